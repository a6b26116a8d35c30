import KasiaProtocol
import Kaspa
import SampleOperations
import Testing

@testable import Store

@Suite("Pages by block time")
struct TimePageTests {
    private static let alice = Sample.address(1)

    private static func operation(
        _ number: Int, _ kind: OperationKind, _ payload: String, time: UInt64, sender: Address? = alice,
        acceptedIn block: Int? = 1
    ) -> OperationRecord {
        OperationRecord(
            transactionID: Sample.transaction(number), kind: kind, sender: sender, receiver: nil, amount: 0,
            blockHash: Sample.block(900), blockTime: time, acceptance: block.map(Sample.acceptance),
            payload: Array("kchat:1:\(payload)".utf8))
    }

    /// A group control of a sender for one of 256 keys.
    private static func control(_ number: Int, from sender: Int = 1, to key: UInt8 = 7, time: UInt64) -> OperationRecord
    {
        let digits = Hex.encode([UInt8](repeating: key, count: 32))
        return operation(number, .groupControl, "gctl:\(digits):ab", time: time, sender: Sample.address(sender))
    }

    private static func store(accepting operations: [OperationRecord]) async throws -> StoreFixture {
        let fixture = try StoreFixture()
        _ = try await fixture.store.history.apply(
            Sample.step(accepting: operations, notifies: false, cursor: 1), now: 1, withdrawsUnsent: false)
        return fixture
    }

    private static func times(
        _ store: Store, _ lists: [OperationList] = [.groupControlsBySender(alice)], laterThan time: UInt64 = 0,
        limit: Int, _ end: TimePageEnd
    ) async throws -> [UInt64] {
        try await store.history.operations(inAnyOf: lists, laterThan: time, limit: limit, ending: end).map(\.blockTime)
    }

    @Test("A page begins behind its time, and ends between two times")
    func ends() async throws {
        let times: [UInt64] = [10, 20, 20, 20, 30, 40]
        let fixture = try await Self.store(
            accepting: times.enumerated().map { Self.control($0 + 1, time: $1) })
        for (time, count) in [(0, 6), (9, 6), (10, 5), (11, 5), (40, 0), (.max, 0)] as [(UInt64, Int)] {
            let found = try await Self.times(fixture.store, laterThan: time, limit: 9, .afterTime)
            #expect(found == Array(times.suffix(count)), "\(time)")
        }
        for (limit, after, before) in [(1, 1, 1), (2, 4, 1), (3, 4, 1), (4, 4, 4), (5, 5, 5), (6, 6, 6), (7, 6, 6)] {
            #expect(
                try await Self.times(fixture.store, limit: limit, .afterTime) == Array(times.prefix(after)), "\(limit)")
            #expect(
                try await Self.times(fixture.store, limit: limit, .beforeTime) == Array(times.prefix(before)),
                "\(limit)")
        }
        // The first time is taken whole, so that the reader gets on.
        for limit in 1...4 {
            for end in [TimePageEnd.afterTime, .beforeTime] {
                let found = try await Self.times(fixture.store, laterThan: 10, limit: limit, end)
                #expect(found == (limit == 4 ? [20, 20, 20, 30] : [20, 20, 20]), "\(limit)")
            }
        }
        #expect(try await Self.times(fixture.store, [], limit: 1, .afterTime) == [])
    }

    @Test("Several lists are read as one, each row once, in order and to the end", arguments: [1, 2, 3, 50, 500])
    func merged(limit: Int) async throws {
        let seed = SeededRandom.runSeed
        var random = SeededRandom(seed: seed)
        // Few times, so that many rows share one; more than a stretch in a list; many rows in two lists.
        let operations = (1...600).map { number in
            Self.control(
                number, from: 1 + random.below(9), to: UInt8(random.below(5)), time: 1 + UInt64(random.below(150)))
        }
        let fixture = try await Self.store(accepting: operations)
        let key: (UInt8) -> [UInt8] = { [UInt8](repeating: $0, count: 32) }
        let senders = [1, 4, 6, 6, 77].map { Sample.address($0) }
        let lists = senders.map { OperationList.groupControlsBySender($0) } + [.groupControlsByRecipient(key(3))]
        let expected = operations.filter { operation in
            operation.sender.map(senders.contains) == true
                || operation.payload.starts(with: Array("kchat:1:gctl:\(Hex.encode(key(3)))".utf8))
        }.map(\.position).sorted { ($0.blockTime, $0.transactionID) < ($1.blockTime, $1.transactionID) }
        for end in [TimePageEnd.afterTime, .beforeTime] {
            var seen: [OperationPosition] = []
            while true {
                let time = seen.last?.blockTime ?? 0
                let page = try await fixture.store.history.operations(
                    inAnyOf: lists, laterThan: time, limit: limit, ending: end)
                guard let first = page.first, let last = page.last else { break }
                let isOfOneTime = first.blockTime == last.blockTime
                switch end {
                case .afterTime: #expect(page.dropLast().count { $0.blockTime < last.blockTime } < limit)
                case .beforeTime: #expect(page.count <= limit || isOfOneTime)
                }
                seen += page.map(\.position)
                guard seen.count <= expected.count else { break }
            }
            #expect(seen == expected, "seed \(seed)")
        }
    }

    @Test("A page looks at 5,000 rows at most, though they are of one time")
    func rows() async throws {
        let count = History.timePageRows + 1
        let fixture = try await Self.store(
            accepting: (1...count).map { Self.control($0, time: $0 == 1 ? 10 : 20) })
        for end in [TimePageEnd.afterTime, .beforeTime] {
            // Without the first, just as many as may be looked at are left.
            #expect(try await Self.times(fixture.store, laterThan: 10, limit: 1, end).count == count - 1)
        }
        #expect(try await Self.times(fixture.store, limit: 2, .afterTime).count == count - 1)
        #expect(try await Self.times(fixture.store, limit: 2, .beforeTime) == [10])
    }

    @Test("A page is full with 4 MiB of payloads", arguments: [-1, 0, 1])
    func bytes(more: Int) async throws {
        let whole = History.timePageBytes / 4
        let operations = (1...9).map { number in
            let payload = "self_stash:".padding(whole - "kchat:1:".utf8.count + (number == 1 ? more : 0))
            return Self.operation(number, .selfStash, payload, time: UInt64(number) * 10)
        }
        let fixture = try await Self.store(accepting: operations)
        #expect(operations.prefix(4).reduce(0) { $0 + $1.payload.count } == History.timePageBytes + more)
        let list = [OperationList.selfStashes(owner: Self.alice, scope: nil)]
        for end in [TimePageEnd.afterTime, .beforeTime] {
            let first = try await Self.times(fixture.store, list, limit: 500, end)
            #expect(first == [10, 20, 30, 40] + (more < 0 ? [50] : []))
            let second = try await Self.times(fixture.store, list, laterThan: 40, limit: 500, end)
            #expect(second == [50, 60, 70, 80])
        }
    }

    // MARK: Inboxes

    @Test("An inbox lists accepted messages whose sender is known, and no others")
    func inboxes() async throws {
        let tag = Sample.address(4).inboxTag
        let text = "dm:\(Hex.encode(tag)):one:x"
        let other = "dm:\(Hex.encode(Sample.address(5).inboxTag)):one:x"
        let fixture = try await Self.store(accepting: [
            Self.operation(1, .contextualMessage, text, time: 10),
            Self.operation(2, .contextualMessage, "comm:one:x", time: 11),
            Self.operation(3, .contextualMessage, other, time: 12),
            Self.operation(4, .contextualMessage, text, time: 13, sender: nil),
            Self.operation(5, .contextualMessage, text, time: 14, sender: Sample.address(2)),
        ])
        let store = fixture.store
        try await store.history.recordPending([
            Self.operation(6, .contextualMessage, text, time: 15, sender: nil, acceptedIn: nil)
        ])
        #expect(try await Self.times(store, [.inboxMessages(tag)], limit: 9, .afterTime) == [10, 14])
        #expect(try await Self.times(store, [.inboxMessages(Sample.address(6).inboxTag)], limit: 9, .afterTime) == [])
        let list = OperationList.contextualMessages(sender: Self.alice, alias: Array("one".utf8))
        #expect(
            try await store.history.operations(in: list, limit: 9).map(\.blockTime) == [10, 11, 12], "as comm is listed"
        )
        _ = try await store.history.apply(Sample.step(removed: [1], cursor: 0), now: 2, withdrawsUnsent: false)
        let reverted = try await store.history.operations(
            inAnyOf: [.inboxMessages(tag)], laterThan: 0, limit: 9, ending: .afterTime)
        #expect(reverted.map(\.blockTime) == [10, 14] && reverted.allSatisfy { $0.acceptance == nil })
        #expect(try store.checkBooks().problems == [])
    }

    // MARK: Broadcasts

    private static func broadcasts(
        _ store: Store, _ channel: String = "news", before time: UInt64? = nil, limit: Int
    ) async throws -> (times: [UInt64], hasMore: Bool) {
        let page = try await store.history.broadcasts(
            in: try #require(ChannelName(channel)), before: time, limit: limit)
        return (page.operations.map(\.blockTime), page.hasMore)
    }

    @Test("Broadcasts come newest first, and no page cuts a time apart")
    func newestFirst() async throws {
        let times: [UInt64] = [10, 20, 20, 20, 30, 40]
        let fixture = try await Self.store(
            accepting: times.enumerated().map { Self.operation($0 + 1, .broadcast, "bcast:news:x", time: $1) })
        let newest = Array(times.reversed())
        for (limit, count) in [(1, 1), (2, 2), (3, 5), (4, 5), (5, 5), (6, 6), (7, 6)] {
            let page = try await Self.broadcasts(fixture.store, limit: limit)
            #expect(page.times == Array(newest.prefix(count)) && page.hasMore == (count < 6), "\(limit)")
        }
        for (time, count) in [(0, 0), (10, 0), (11, 1), (20, 1), (21, 4), (40, 5), (41, 6), (.max, 6)]
            as [(UInt64, Int)]
        {
            #expect(
                try await Self.broadcasts(fixture.store, before: time, limit: 9).times == Array(newest.suffix(count)))
        }
        let page = try await fixture.store.history.broadcasts(
            in: try #require(ChannelName("news")), before: nil, limit: 9)
        #expect(
            page.operations.map(\.position.bytes)
                == page.operations.map(\.position.bytes).sorted {
                    $1.lexicographicallyPrecedes($0)
                })
    }

    @Test("A broadcast that is not accepted, or whose sender is not known, is nobody's")
    func unproven() async throws {
        let fixture = try await Self.store(accepting: [
            Self.operation(1, .broadcast, "bcast:news:x", time: 10),
            Self.operation(2, .broadcast, "bcast:news:x", time: 20, sender: nil),
            Self.operation(3, .broadcast, "bcast:news:x", time: 30),
            Self.operation(4, .broadcast, "bcast:news:x", time: 40, acceptedIn: 2),
        ])
        _ = try await fixture.store.history.apply(Sample.step(removed: [2], cursor: 1), now: 2, withdrawsUnsent: false)
        #expect(try await Self.broadcasts(fixture.store, limit: 9).times == [30, 10])
        #expect(try await Self.broadcasts(fixture.store, before: 30, limit: 1).times == [10])
    }

    @Test("A channel has the broadcasts of every spelling of its name")
    func spellings() async throws {
        let spellings = ["news", "News", " NEWS\t", "news2", "ne ws"]
        let fixture = try await Self.store(
            accepting: spellings.enumerated().map {
                Self.operation($0 + 1, .broadcast, "bcast:\($1):x", time: UInt64($0 + 1) * 10)
            })
        #expect(try await Self.broadcasts(fixture.store, limit: 9).times == [30, 20, 10])
        #expect(try await Self.broadcasts(fixture.store, "NEWS", limit: 9).times == [30, 20, 10])
        func listed(_ name: String) async throws -> [UInt64] {
            try await fixture.store.history.operations(in: .broadcasts(channel: Array(name.utf8)), limit: 9).map(
                \.blockTime)
        }
        #expect(try await listed("news") == [10, 20, 30])
        #expect(try await listed("News") == [20])
        #expect(try await listed("ne ws") == [50])
        #expect(try fixture.store.checkBooks().problems == [])
    }
}

extension String {
    /// With as many letters behind it as make it so long.
    fileprivate func padding(_ count: Int) -> String { self + String(repeating: "a", count: count - utf8.count) }
}
