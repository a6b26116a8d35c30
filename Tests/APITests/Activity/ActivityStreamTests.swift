import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Kaspa
import Logging
import Store
import Testing
import TestRandom

@testable import API

@Suite("The stream of activity", .timeLimit(.minutes(10)))
struct ActivityStreamTests {
    private static func port(_ client: any TestClientProtocol) throws -> Int { try #require(client.port) }

    private static func statuses(_ events: [ServerSentEvent]) throws -> [String] {
        try events.filter { $0.data != nil }.map { event in
            let data = try JSONSerialization.jsonObject(with: Data((event.data ?? "").utf8)) as? [String: Any]
            return data?["status"] as? String ?? event.name ?? ""
        }
    }

    @Test("Each change comes once with an id, and a stream that broke off goes on after the last one seen")
    func changes() async throws {
        let service = try TestService()
        try await service.run(.live) { client in
            let port = try Self.port(client)
            var chain = try ActivityChain(service.store)
            let path = "/v1/activity/stream?address=\(chain.bob)"
            var step = 0
            let first = try await EventReader.read(path, port: port) { answer in
                // Each event is the sign to make the next change.
                guard answer.events.count > step else { return true }
                step = answer.events.count
                switch step {
                case 1: try await chain.see(1)
                case 2: try await chain.accept([1])
                case 3: try await chain.remove(1)
                case 4: try await chain.accept([1])
                case 5: try await chain.accept([], growing: 100)
                default: return false
                }
                return true
            }
            #expect(first.status == 200 && first.head.lowercased().contains("content-type: text/event-stream"))
            #expect(first.events.first == ServerSentEvent(id: "0-"))
            #expect(first.events.dropFirst().allSatisfy { $0.name == "activity" && $0.id != nil })
            #expect(
                try Self.statuses(first.events) == ["pending", "accepted", "reverted", "accepted", "confirmed"])
            try await chain.accept([2, 3])
            let second = try await EventReader.read(path, port: port, lastID: first.lastID) { $0.events.count < 2 }
            #expect(try Self.statuses(second.events) == ["accepted", "accepted"])
            // From the middle, and from the very beginning, by the parameter.
            let middle = try await EventReader.read(path, port: port, lastID: first.events[3].id) {
                $0.events.count < 4
            }
            #expect(middle.events.map(\.id) == first.events.suffix(2).map(\.id) + second.events.map(\.id))
            let all = try await EventReader.read(path + "&last_event_id=0-", port: port) { $0.events.count < 7 }
            #expect(all.events.map(\.id) == first.events.dropFirst().map(\.id) + second.events.map(\.id))
        }
    }

    @Test("Only what concerns the address is told, and both ends hear of it")
    func ends() async throws {
        let service = try TestService()
        try await service.run(.live) { client in
            let port = try Self.port(client)
            var chain = try ActivityChain(service.store)
            try await chain.accept([1])
            try await service.store.history.recordPending([chain.payment(2, back: true)])
            try await chain.accept([3])
            let (alice, bob) = (chain.alice, chain.bob)
            let sender = try await EventReader.read(
                "/v1/activity/stream?address=\(alice)", port: port, lastID: "0-"
            ) { $0.events.count < 3 }
            let receiver = try await EventReader.read(
                "/v1/activity/stream?address=\(bob)", port: port, lastID: "0-"
            ) { $0.events.count < 2 }
            #expect(sender.events.map(\.id) == [1, 2, 3].map { ActivityStreamTests.id($0, $0) })
            #expect(receiver.events.map(\.id) == [1, 3].map { ActivityStreamTests.id($0, $0) })
            #expect(try Self.statuses(sender.events) == ["accepted", "pending", "accepted"])
        }
    }

    private static func id(_ number: Int, _ transaction: Int) -> String {
        "\(number)-\(ActivityChain.id(transaction).description.prefix(8))"
    }

    @Test("A position that the log does not have begins with a reset", arguments: ["7-abababab", "1-00000000", "900-"])
    func reset(_ position: String) async throws {
        let service = try TestService()
        try await service.run(.live) { client in
            let port = try Self.port(client)
            var chain = try ActivityChain(service.store)
            try await chain.accept([1])
            let answer = try await EventReader.read(
                "/v1/activity/stream?address=\(chain.bob)", port: port, lastID: position
            ) { $0.status == 200 && $0.events.isEmpty }
            guard position != "900-" else {
                #expect(answer.status == 400)
                return
            }
            #expect(answer.events == [ServerSentEvent(id: Self.id(1, 1), name: "reset", data: "{}")])
        }
    }

    @Test("A reader who is further behind than is replayed begins with a reset", arguments: [2, 3, 4])
    func farBehind(_ longest: Int) async throws {
        let service = try TestService(longestReplay: longest)
        try await service.run(.live) { client in
            let port = try Self.port(client)
            var chain = try ActivityChain(service.store)
            for number in 1...4 { try await chain.accept([number]) }
            let answer = try await EventReader.read(
                "/v1/activity/stream?address=\(chain.bob)", port: port, lastID: Self.id(1, 1)
            ) { $0.events.count < ($0.events.first?.name == "reset" ? 1 : 3) }
            #expect(
                longest >= 3
                    ? answer.events.map(\.id) == [2, 3, 4].map { Self.id($0, $0) }
                    : answer.events == [ServerSentEvent(id: Self.id(4, 4), name: "reset", data: "{}")])
        }
    }

    @Test("A long replay is read in many turns, and leaves nothing out; so is one whose time is always over")
    func stretches() async throws {
        for tick in [Duration.zero, .seconds(1)] {
            let service = try TestService(tick: tick)
            try await service.run(.live) { client in
                let port = try Self.port(client)
                var chain = try ActivityChain(service.store)
                for first in stride(from: 1, to: 450, by: 50) { try await chain.accept(Array(first..<first + 50)) }
                let answer = try await EventReader.read(
                    "/v1/activity/stream?address=\(chain.bob)", port: port, lastID: "0-"
                ) { $0.events.count < 450 }
                #expect(answer.events.compactMap { $0.id?.prefix { $0 != "-" } } == (1...450).map { "\($0)" })
            }
        }
    }

    @Test("A stream from an older place is 429 for a client that has read enough; one from now on is not")
    func allowance() async throws {
        let service = try TestService(rateLimitPerMinute: 60, tick: .seconds(10))
        try await service.run(.live) { client in
            let port = try Self.port(client)
            let path = "/v1/activity/stream?address=\(try addresses(1)[0])"
            let first = try await EventReader.read(path, port: port, lastID: "0-") { $0.comments < 0 }
            #expect(first.status == 200)
            _ = try await client.execute(uri: "/v1/activity?address=\(try addresses(1)[0])", method: .get)
            let refused = try await EventReader.read(path, port: port, lastID: "0-") { _ in false }
            #expect(refused.status == 429 && refused.head.lowercased().contains("retry-after: "))
            #expect(try await EventReader.read(path, port: port) { _ in false }.status == 200)
        }
    }

    @Test("A stream on which nothing happens says that it lives, and outlives the idle timeout")
    func heartbeat() async throws {
        let service = try TestService(idleTimeout: .seconds(1), heartbeat: .milliseconds(50))
        try await service.run(.live) { client in
            let port = try Self.port(client)
            let path = "/v1/activity/stream?address=\(try addresses(1)[0])"
            var answer: EventReader.Answer?
            // On a loaded machine the timeout can be over before the request is sent.
            try await eventually("a connection is in time") {
                answer = try? await EventReader.read(path, port: port) { $0.comments < 50 }
                return answer?.status == 200
            }
            #expect(answer?.comments == 50 && answer?.events.count == 1)
        }
    }

    @Test("So many streams and no more are served; a place that is left is free again", arguments: [1, 2])
    func places(_ maximum: Int) async throws {
        let service = try TestService(maximumStreams: maximum, heartbeat: .milliseconds(20))
        try await service.run(.live) { client in
            let port = try Self.port(client)
            let path = "/v1/activity/stream?address=\(try addresses(1)[0])"
            func open(_ more: Int) async throws {
                guard more > 0 else {
                    let refused = try await EventReader.read(path, port: port) { _ in false }
                    #expect(refused.status == 503 && refused.head.lowercased().contains("retry-after: 10"))
                    return
                }
                try await EventReader.read(path, port: port) { answer in
                    #expect(answer.status == 200)
                    try await open(more - 1)
                    return false
                }
            }
            try await open(maximum)
            try await eventually("a place is free") {
                try await EventReader.read(path, port: port) { _ in false }.status == 200
            }
        }
    }

    @Test("A reader who is too slow is closed, and what it missed is still in the log")
    func slow() async throws {
        let service = try TestService()
        let answer = ActivityAnswer(explorerURL: nil)
        let publisher = ActivityPublisher(
            store: service.store, answer: answer, buffered: 3, logger: Logger(label: "test"))
        var chain = try ActivityChain(service.store)
        let slow = try await publisher.subscribe(to: chain.bob, includesTransfers: false)
        let quick = try await publisher.subscribe(to: chain.alice, includesTransfers: false)
        var quickEvents = quick.events.makeAsyncIterator()
        for number in 1...5 {
            try await chain.accept([number])
            await publisher.deliver()
            #expect(await quickEvents.next()?.id == Self.id(number, number))
            let open = await publisher.readerCount
            #expect(open == (number <= 3 ? 2 : 1))
        }
        var seen: [String?] = []
        for await event in slow.events { seen.append(event.id) }
        #expect(seen == [1, 2, 3].map { Self.id($0, $0) })
        // No time passes: on a crowded machine a read's budget would be over after the first event.
        let now = ContinuousClock.now
        let resumed = ActivityStream(
            publisher: publisher, store: service.store, address: chain.bob, includesTransfers: false,
            start: try ActivityStream.position(Self.id(3, 3)), answer: answer, client: [],
            reads: Reads(APIConfiguration(network: .mainnet), now: { now }),
            replays: ClientTurns(atOnce: ActivityStream.replaysAtOnce))
        var events = resumed.makeAsyncIterator()
        #expect(try await events.next()?.map(\.id) == [Self.id(4, 4), Self.id(5, 5)])
        try await chain.accept([6])
        await publisher.deliver()
        #expect(try await events.next()?.map(\.id) == [Self.id(6, 6)])
    }

    /// Big events without an end.
    private struct Flood: AsyncSequence, Sendable {
        struct Iterator: AsyncIteratorProtocol {
            mutating func next() async throws -> [ServerSentEvent]? {
                [ServerSentEvent(data: String(repeating: "x", count: 100_000))]
            }
        }
        func makeAsyncIterator() -> Iterator { Iterator() }
    }

    @Test("A reader who takes nothing is cut off")
    func stuck() async throws {
        let streams = EventStreams(
            slots: .init(maximum: 1), proxies: TrustedProxies([]), writeTimeout: .milliseconds(100))
        let router = Router(context: APIRequestContext.self)
        router.get("flood") { request, context in try streams.response(Flood(), to: request, on: context) }
        try await Application(router: router).test(.live) { client in
            let port = try Self.port(client)
            _ = try await RawConnection.hold("GET /flood HTTP/1.1\r\nhost: localhost\r\n\r\n", port: port) {
                try await eventually("the stream is cut") { streams.slots.count == 0 }
            }
        }
    }

    @Test("Events are framed line by line, whatever is in them")
    func framing() {
        #expect(
            ServerSentEvent(id: "1-ab", name: "activity", data: "{}").text == "id: 1-ab\nevent: activity\ndata: {}\n\n")
        #expect(
            ServerSentEvent(id: "1\n2\0", data: "a\nb\r\n\rc").text == "id: 12\ndata: a\ndata: b\ndata: \ndata: c\n\n")
        #expect(ServerSentEvent(id: "7-").text == "id: 7-\n\n")
        // No line ends at these for the standard.
        #expect(ServerSentEvent(data: "a\u{2028}b\u{85}c").text == "data: a\u{2028}b\u{85}c\n\n")
    }

    @Test("Whatever happens, a client that pages once and streams with breaks has seen how things stand")
    func random() async throws {
        var random = SeededRandom()
        let seed = random.seed
        let service = try TestService()
        let plan = (0..<120).map { _ in
            (kind: Int.random(in: 0..<8, using: &random), id: Int.random(in: 0..<30, using: &random))
        }
        let breaks = Set((0..<10).map { _ in Int.random(in: 0..<120, using: &random) })
        try await service.run(.live) { client in
            let port = try Self.port(client)
            var chain = try ActivityChain(service.store)
            let path = "/v1/activity/stream?address=\(chain.bob)"
            var seen: [String: String] = [:]
            var lastID: String?
            var hasPaged = false
            var next = plan.indices.startIndex
            var read = 0
            func apply(_ events: ArraySlice<ServerSentEvent>) async throws {
                for event in events {
                    // The first id says from where on there will be events: what was before is paged through now.
                    if !hasPaged {
                        seen = try await Self.page(chain.bob, in: service.store)
                        hasPaged = true
                    }
                    guard event.data != nil else { continue }
                    let data = try JSONSerialization.jsonObject(with: Data((event.data ?? "").utf8)) as? [String: Any]
                    seen[data?["id"] as? String ?? ""] = data?["status"] as? String
                }
            }
            func isBehind(_ id: String?) async throws -> Bool {
                let last = try await service.store.history.lastChange()
                return id != Self.text(last)
            }
            var isDone = false
            while !isDone {
                read = 0
                let answer = try await EventReader.read(path, port: port, lastID: lastID) { answer in
                    try await apply(answer.events[read...])
                    read = answer.events.count
                    guard next < plan.count else { return try await isBehind(answer.lastID) }
                    let step = plan[next]
                    next += 1
                    let before = try await service.store.history.lastChange()
                    switch step.kind {
                    case 0, 1: try await chain.see(step.id)
                    case 2...4: try await chain.accept([step.id, (step.id + 1) % 30], growing: step.id % 3 + 1)
                    case 5: try await chain.remove(step.id % 3 + 1)
                    case 6: try await chain.accept([], growing: 60)
                    default: break
                    }
                    // Nothing more comes by itself if nothing changed.
                    while next < plan.count, try await service.store.history.lastChange() == before {
                        try await chain.accept([100 + next])
                        next += 1
                    }
                    return !breaks.contains(next)
                }
                lastID = answer.lastID ?? lastID
                if next >= plan.count { isDone = try await !isBehind(lastID) }
            }
            let expected = try await Self.page(chain.bob, in: service.store)
            #expect(seen == expected, "TEST_SEED=\(seed)")
            #expect(expected.count > 20)
        }
    }

    /// The status of each item of an address, by transaction.
    private static func page(_ address: Address, in store: Store) async throws -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: try await store.history.activity(of: address, limit: 1_000).items.map {
                ($0.transactionID.description, $0.status.rawValue)
            })
    }

    private static func text(_ position: ChangePosition) -> String { ActivityStream.text(of: position) }
}
