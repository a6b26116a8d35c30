import APNsSandbox
import Foundation
import Kaspa
import KaspaNode
import KaspadReplay
import Recordings
import Store
import Testing

/// Recorded blocks in, exactly the expected notifications out.
@Suite("Recorded blocks")
struct RecordedBlocksTests {
    @Test("caught up with in one go, lead to exactly the golden notifications", .timeLimit(.minutes(5)))
    func catchUp() async throws {
        let golden = try Fixture.goldenNotifications()
        let recording = try Fixture.recording()
        try await World.with(recording) { world in
            // Nothing is told before the devices are there: a node that is not synced is not followed.
            world.replay.setFaults { $0.isSynced = false }
            await world.replay.advanceToEnd()
            let sent = try await world.withIndexer(now: { RecordedTimes(recording).end }) { indexer in
                for device in golden.devices { try await indexer.rest.register(device.registration) }
                world.replay.setFaults { $0.isSynced = true }
                try await indexer.untilQuiet(at: ReplayedChain(recording, entries: world.replay.entryCount).sink)
                return world.sandbox.notifications
            }
            try expect(sent, equal: golden)
        }
    }

    @Test(
        "followed live, with a stop and a start in the middle, tell each device of each operation once",
        .timeLimit(.minutes(5)), arguments: [100, 231, 380, 384, 440])
    func liveWithStop(stopsAfter entry: Int) async throws {
        let golden = try Fixture.goldenNotifications()
        let recording = try Fixture.recording()
        try await World.with(recording) { world in
            let now: @Sendable () -> UInt64 = { RecordedTimes(recording).end }
            try await world.withIndexer(now: now) { indexer in
                for device in golden.devices { try await indexer.rest.register(device.registration) }
                await world.replay.advance(to: entry)
                // Stopped wherever it stands: at a chain block, with or without pushes on their way.
                try await eventually("the chain is being followed") { try await indexer.store.history.cursor() != nil }
            }
            try await world.withIndexer(now: now) { indexer in
                await world.replay.advanceToEnd()
                try await indexer.untilQuiet(at: ReplayedChain(recording, entries: world.replay.entryCount).sink)
            }
            let sent = world.sandbox.notifications
            let keys = sent.map { "\($0.token) \($0.collapseID ?? "")" }
            #expect(Set(keys).count == keys.count, "something was sent twice")
            // What was accepted for a while only may have been told, depending on when the indexer asked.
            let missing = golden.notifications.filter { !keys.contains("\($0.token) \($0.transactionID)") }
            #expect(missing.isEmpty, "missing: \(missing.map(\.operation))")
            let known = Set(golden.notifications.map(\.apnsID))
            let accepted = try AcceptedForAWhile.transactionIDs()
            for notification in sent where !known.contains(notification.id) {
                #expect(accepted.contains(notification.collapseID ?? ""), "unexpected: \(notification.id)")
            }
        }
    }
}

/// Compares everything that Apple got with the golden file: headers, bodies field by field, and the numbering.
private func expect(_ sent: [ReceivedNotification], equal golden: GoldenNotifications) throws {
    var received: [String: ReceivedNotification] = [:]
    for notification in sent {
        #expect(received[notification.id] == nil, "sent twice: \(notification.id)")
        received[notification.id] = notification
        #expect(notification.bodyLength <= 4096)
    }
    var order: [String: [(seq: Int, chainIndex: Int)]] = [:]
    for expected in golden.notifications {
        guard let notification = received.removeValue(forKey: expected.apnsID) else {
            Issue.record("missing: \(expected.operation) for \(expected.device)")
            continue
        }
        #expect(notification.token == expected.token)
        #expect(notification.collapseID == expected.transactionID)
        #expect(notification.topic == World.topic)
        #expect(notification.pushType == "alert")
        #expect(notification.priority == 10)
        let (body, seq) = try withoutSeq(notification.body)
        #expect(body == expected.body, "\(expected.operation) for \(expected.device)")
        order[expected.token, default: []].append((seq, expected.chainIndex))
    }
    #expect(received.isEmpty, "not expected: \(received.values.map { "\($0.token.prefix(4)) \($0.collapseID ?? "")" })")
    for numbers in order.values {
        let sorted = numbers.sorted { $0.seq < $1.seq }
        #expect(sorted.map(\.seq) == Array(1...sorted.count))
        #expect(zip(sorted, sorted.dropFirst()).allSatisfy { $0.chainIndex <= $1.chainIndex })
    }
}

private func withoutSeq(_ body: [UInt8]) throws -> (NSDictionary, Int) {
    var object = try #require(JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    if var inner = object["kasia"] as? [String: Any] {
        let seq = try #require(inner.removeValue(forKey: "seq") as? Int)
        object["kasia"] = inner
        return (object as NSDictionary, seq)
    }
    let seq = try #require(object.removeValue(forKey: "seq") as? Int)
    return (object as NSDictionary, seq)
}

/// The times that a recording spans.
struct RecordedTimes {
    /// A second after the last block, milliseconds since 1970: the recording is news then.
    let end: UInt64

    init(_ recording: Recording) {
        let last =
            recording.entries.compactMap { entry -> Int64? in
                if case .block(let block) = entry.event { block.header.timestamp } else { nil }
            }.max() ?? 0
        end = UInt64(clamping: last) + 1000
    }
}

/// The virtual chain after some of a recording's entries.
struct ReplayedChain {
    let sink: BlockHash

    init(_ recording: Recording, entries count: Int) throws {
        var chain = [recording.header.startHash]
        for entry in recording.entries.prefix(count) {
            guard case .virtualChain(let change) = entry.event else { continue }
            chain.removeLast(change.removedChainBlockHashes.count)
            chain += change.added.map(\.chainBlockHeader.hash)
        }
        sink = try #require(Hash(chain[chain.count - 1]))
    }
}

/// Operations that the virtual chain accepted at some time and not in the end.
enum AcceptedForAWhile {
    static func transactionIDs() throws -> Set<String> {
        let data = try Data(contentsOf: Fixture.folder.appendingPathComponent("recorded-blocks.expected.json"))
        let document = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let operations = try #require(document["operations"] as? [[String: Any]])
        return Set(operations.filter { $0["fate"] as? String == "lost" }.compactMap { $0["id"] as? String })
    }
}
