import Foundation
import Logging
import Metrics
import Testing

@testable import API

@Suite("The status")
struct StatusBoardTests {
    private let clock = TestService.Box(1_000_000)
    private let metrics = PrometheusRegistry()
    private let events = RecentEvents()

    private func board(_ facts: StatusFacts = StatusFacts(readiness: Readiness(parts: []))) -> StatusBoard {
        StatusBoard(
            metrics: metrics, events: events, network: "mainnet", now: { [clock] in clock.value }, facts: { facts })
    }

    private func deliver(_ count: Int64, _ outcome: String, _ reason: String) {
        metrics.makeCounter(
            label: "kasia_push_deliveries_total",
            dimensions: [("outcome", outcome), ("reason", reason), ("carrier", "apns")]
        ).increment(by: count)
    }

    private func object(_ answer: JSONAnswer) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any])
    }

    @Test("figures are the metrics', facts the parts'")
    func figures() async throws {
        deliver(5, "delivered", "none")
        deliver(2, "dead", "BadTopic")
        metrics.makeMeter(label: "kasia_store_bytes", dimensions: [("column_family", "a")]).set(Int64(10))
        metrics.makeMeter(label: "kasia_store_bytes", dimensions: [("column_family", "b")]).set(Int64(32))
        metrics.makeMeter(label: "kasia_push_queue_depth", dimensions: [("state", "queued")]).set(Int64(7))
        metrics.makeMeter(label: "kasia_devices", dimensions: []).set(Int64(3))
        var facts = StatusFacts(readiness: Readiness(parts: [Readiness.Part(name: "apns", isReady: true, state: "ok")]))
        facts.node.connectedURL = "http://127.0.0.1:1"
        facts.node.virtualDAAScore = 120
        facts.chain.daaScore = 100
        facts.chain.blockTime = 998_500
        let status = try object(await board(facts).statusWithHistory())
        func member(_ path: String) -> Any? {
            path.split(separator: ".").reduce(status as Any?) { ($0 as? [String: Any])?[String($1)] }
        }
        #expect(member("ready") as? Bool == true && member("parts.apns.state") as? String == "ok")
        #expect(member("chain.daa_behind") as? Int == 20 && member("chain.lag_seconds") as? Double == 1.5)
        #expect(member("store.bytes") as? Int == 42 && member("push.queued") as? Int == 7)
        #expect(member("devices.registered") as? Int == 3 && member("devices.watch_entries") is NSNull)
        let deliveries = try #require(member("push.deliveries") as? [[String: Any]])
        #expect(
            deliveries.map { "\($0["outcome"] ?? "") \($0["reason"] ?? "") \($0["count"] ?? "")" }
                == ["dead BadTopic 2", "delivered none 5"])
        #expect(member("history.time") as? [Int] == [] && member("push.per_second") is NSNull)
        #expect(member("summary.text") as? String == "All is well." && member("summary.guide") is NSNull)
        #expect(member("parts.apns.guide") == nil)
    }

    @Test("the processes that share the store are listed")
    func members() async throws {
        var facts = StatusFacts(readiness: Readiness(parts: []))
        #expect((try object(await board(facts).status())["members"] as? [Any])?.isEmpty == true)
        facts.members = [
            StatusFacts.Member(
                name: "b:8080", state: "silent", version: "2", uptimeSeconds: 60, silentSeconds: 7,
                shards: [0, 2])
        ]
        let members = try object(await board(facts).status())["members"] as? [[String: Any]]
        let expected: [String: Any] = [
            "name": "b:8080", "state": "silent", "version": "2", "uptime_seconds": 60, "silent_seconds": 7,
            "shards": [0, 2],
        ]
        #expect(members as NSArray? == [expected] as NSArray)
    }

    @Test("a trouble is told in a sentence, and each says where the guide helps")
    func troubles() async throws {
        metrics.makeMeter(label: "kasia_push_queue_oldest_seconds", dimensions: []).set(Int64(1_200))
        events.note(level: .error, label: "kasia.indexer", message: "indexer.chain.gap", metadata: [:], at: 1)
        events.note(level: .error, label: "kasia.indexer", message: "something else", metadata: [:], at: 2)
        var facts = StatusFacts(
            readiness: Readiness(parts: [
                Readiness.Part(name: "apns", isReady: false, state: "Apple throttles the provider token"),
                Readiness.Part(name: "store", isReady: true, state: "ok"),
            ]))
        let status = try object(await board(facts).status())
        let summary = try #require(status["summary"] as? [String: Any])
        #expect(summary["level"] as? String == "bad")
        #expect(summary["text"] as? String == "Pushes wait: Apple throttles the provider token.")
        let link = "guide#apns-apple-throttles-the-provider-token"
        #expect(summary["guide"] as? String == link)
        let parts = try #require(status["parts"] as? [String: [String: Any]])
        #expect(parts["apns"]?["guide"] as? String == link && parts["store"]?["guide"] == nil)
        let kinds = try #require(status["events"] as? [[String: Any]])
        #expect(kinds[0]["guide"] is NSNull && kinds[1]["guide"] as? String == "guide#kasiachaingap")
        facts.readiness.parts[0].isReady = true
        facts.readiness.parts[0].state = "ok"
        let later = try object(await board(facts).status())["summary"] as? [String: Any]
        #expect(later?["text"] as? String == "Pushes are late: the oldest waits for 20 minutes.")
    }

    @Test("a chain ahead of what the node told last is not behind; before the first block there is no lag")
    func edges() async throws {
        var facts = StatusFacts(readiness: Readiness(parts: []))
        facts.node.virtualDAAScore = 5
        facts.chain.daaScore = 9
        let chain = try #require(try object(await board(facts).status())["chain"] as? [String: Any])
        #expect(chain["daa_behind"] as? Int == 0 && chain["lag_seconds"] is NSNull)
    }

    @Test("the stream tells the hour, then the status, and each new sample once")
    func stream() async throws {
        let board = board()
        deliver(10, "delivered", "none")
        clock.value += 10_000
        await board.sample()
        // Each pause of the stream is ten seconds, and after the second one there is a sample.
        let pauses = TestService.Box(0)
        let stream = StatusEvents(board: board) { [clock, pauses] in
            clock.value += 10_000
            pauses.value += 1
            if pauses.value == 2 { await board.sample() }
        }
        var iterator = stream.makeAsyncIterator()
        var received: [ServerSentEvent] = []
        while received.count < 6 { received += try #require(try await iterator.next()) }
        #expect(received.map(\.name) == ["history", "status", "status", "status", "sample", "status"])
        let history = try #require(
            JSONSerialization.jsonObject(with: Data((received[0].data ?? "").utf8)) as? [String: Any])
        #expect(history["delivered"] as? [Int] == [10] && history["time"] as? [Int] == [1_010_000])
        #expect(history["send_p99"] as? [NSNull] == [NSNull()])
        let sample = try #require(
            JSONSerialization.jsonObject(with: Data((received[4].data ?? "").utf8)) as? [String: Any])
        #expect(Set(sample.keys) == Set(history.keys).subtracting(["interval_seconds"]))
        #expect(sample["delivered"] as? Int == 0 && sample["time"] as? Int == 1_030_000)
    }
}
