import KasiaProtocol
import Kaspa
import SampleOperations
import Testing

@testable import Store

@Suite("Activity of an address")
struct ActivityTests {
    private static let (alice, bob, carol) = (Sample.address(1), Sample.address(3), Sample.address(4))

    private static func operation(
        _ number: Int, _ kind: OperationKind = .payment, time: UInt64 = 10_000, from sender: Address? = alice,
        to receiver: Address? = bob, acceptedIn block: Int? = 1, payload: String? = nil
    ) -> OperationRecord {
        let texts: [OperationKind: String] = [
            .payment: "payment:x", .handshake: "handshake:x", .contextualMessage: "comm:a:x",
            .selfStash: "self_stash:x",
            .groupControl: "gctl:\(Hex.encode(bob.xOnlyPublicKey ?? [])):ab", .broadcast: "bcast:news:x",
            .groupMessage: "gcomm:" + String(repeating: "aa", count: 32)
                + ":7:" + String(repeating: "bb", count: 32) + ":"
                + String(repeating: "bb", count: 32) + ":" + String(repeating: "cc", count: 24) + ":ab:"
                + String(repeating: "d", count: 128),
        ]
        return OperationRecord(
            transactionID: Sample.transaction(number), kind: kind, sender: sender, receiver: receiver, amount: 5,
            blockHash: Sample.block(900), blockTime: time, acceptance: block.map(Sample.acceptance),
            acceptedAt: block.map { UInt64(20_000 + $0) },
            payload: Array("ciph_msg:1:\(payload ?? texts[kind] ?? "")".utf8))
    }

    private static func store(_ operations: [OperationRecord], cursor: Int = 1) async throws -> StoreFixture {
        let fixture = try StoreFixture()
        try await fixture.step(accepting: operations, cursor: cursor)
        return fixture
    }

    private static func numbers(_ page: ActivityPage) -> [TransactionID] { page.items.map(\.transactionID) }

    private static func ids(_ numbers: Int...) -> [TransactionID] { numbers.map(Sample.transaction) }

    @Test(
        "Each kind is told from both ends",
        arguments: [
            (OperationKind.payment, bob as Address?, true), (.handshake, bob, true), (.groupControl, nil, true),
            (.contextualMessage, nil, false), (.groupMessage, nil, false), (.broadcast, nil, false),
        ])
    func ends(_ kind: OperationKind, _ receiver: Address?, _ hasOtherEnd: Bool) async throws {
        let fixture = try await Self.store([Self.operation(1, kind, to: receiver)])
        let out = try #require(try await fixture.store.history.activity(of: Self.alice, limit: 9).items.first)
        #expect(out.kind == kind && out.direction == .outgoing && out.status == .accepted)
        #expect(out.counterparty == (hasOtherEnd ? Self.bob : nil))
        #expect(out.amount == 5 && out.blockTime == 10_000 && out.acceptedAt == 20_001 && out.confirmations == 0)
        let incoming = try await fixture.store.history.activity(of: Self.bob, limit: 9).items
        #expect(incoming.map(\.direction) == (hasOtherEnd ? [.incoming] : []))
        #expect(incoming.map(\.counterparty) == (hasOtherEnd ? [Self.alice] : []))
        #expect(
            try await fixture.store.history.activity(of: Self.carol, limit: 9) == ActivityPage(items: [], next: nil))
    }

    @Test("What goes to oneself is one item")
    func toSelf() async throws {
        let fixture = try await Self.store([
            Self.operation(1, .selfStash, to: nil), Self.operation(2, to: Self.alice),
            Self.operation(3, .groupControl, from: Self.bob, to: nil),
        ])
        let own = try await fixture.store.history.activity(of: Self.alice, limit: 9).items
        #expect(own.count == 2 && own.allSatisfy { $0.direction == .toSelf && $0.counterparty == nil })
        let control = try await fixture.store.history.activity(of: Self.bob, limit: 9).items
        #expect(control.map(\.direction) == [.toSelf])
        for direction in ActivityDirection.allCases {
            let page = try await fixture.store.history.activity(
                of: Self.alice, matching: ActivityFilter(directions: [direction]), limit: 9)
            #expect(page.items.count == (direction == .toSelf ? 2 : 0))
        }
    }

    @Test("A payment has its body, sealed or not, from both ends and before it is accepted; no other kind has one")
    func memo() async throws {
        let fixture = try await Self.store([
            Self.operation(1, payload: "payment:{\"message\":\"x\"}"), Self.operation(2, payload: "payment:"),
            Self.operation(3, .handshake), Self.operation(4, .contextualMessage, to: nil),
        ])
        try await fixture.store.history.recordPending([
            Self.operation(5, from: nil, acceptedIn: nil, payload: "pay:\u{fffd}")
        ])
        for address in [Self.alice, Self.bob] {
            let items = try await fixture.store.history.activity(of: address, limit: 9).items
            func memo(_ number: Int) throws -> [UInt8]? {
                try #require(items.first { $0.transactionID == Sample.transaction(number) }).memo.map(Array.init)
            }
            #expect(try memo(1) == Array(#"{"message":"x"}"#.utf8))
            #expect(try memo(2) == [])
            #expect(try memo(3) == nil)
            if address == Self.alice {
                #expect(try memo(4) == nil)
            } else {
                #expect(try memo(5) == Array("\u{fffd}".utf8))
            }
        }
    }

    @Test("A fee is told with the item and with the transaction's state, and stays whatever the chain does")
    func fee() async throws {
        let fixture = try StoreFixture()
        let history = fixture.store.history
        func told() async throws -> [UInt64?] {
            let item = try await history.activityItem(Sample.transaction(1), of: Self.bob)
            let page = try await history.activity(of: Self.bob, limit: 1).items.first
            let state = try await history.transactionStates([Sample.transaction(1)])
            return [item?.fee, page?.fee, state[0]?.fee]
        }
        let none: [UInt64?] = [nil, nil, nil]
        try await history.recordPending([Self.operation(1, from: nil, acceptedIn: nil)])
        #expect(try await told() == none)
        // A node that did not name all coins, and then one that does.
        try await fixture.step(accepting: [Self.operation(1)], cursor: 1)
        #expect(try await told() == none)
        var named = Self.operation(1)
        named.fee = 7
        try await fixture.step(accepting: [named], cursor: 1)
        #expect(try await told() == [7, 7, 7])
        #expect(try await history.changes(after: 0, limit: 9).map(\.kind) == [.seen, .accepted, .amended])
        try await fixture.step(removed: [1], cursor: 2)
        #expect(try await told() == [7, 7, 7])
        try await fixture.step(accepting: [Self.operation(1, acceptedIn: 3)], cursor: 3)
        #expect(try await told() == [7, 7, 7])
        #expect(try fixture.store.checkBooks().problems == [])
    }

    @Test("A fee of nothing is a fee")
    func noFee() async throws {
        var operation = Self.operation(1)
        operation.fee = 0
        let fixture = try await Self.store([operation])
        #expect(try await fixture.store.history.activity(of: Self.bob, limit: 1).items.map(\.fee) == [0])
    }

    @Test("Pages meet exactly where many items share a moment", arguments: [1, 2, 3, 6, 7, 8])
    func pages(_ limit: Int) async throws {
        let fixture = try await Self.store((1...7).map { Self.operation($0, time: $0 < 6 ? 500 : 501) })
        var seen: [TransactionID] = []
        var next: OperationPosition?
        var pages = 0
        repeat {
            let page = try await fixture.store.history.activity(of: Self.bob, before: next, limit: limit)
            #expect(page.items.count == min(limit, 7 - seen.count))
            seen += Self.numbers(page)
            next = page.next
            pages += 1
        } while next != nil
        #expect(pages == (7 + limit - 1) / limit)
        #expect(Set(seen).count == 7 && Set(seen.prefix(2)) == Set(Self.ids(6, 7)))
        #expect(seen.prefix(2).elementsEqual(seen.prefix(2).sorted(by: >)))
        #expect(seen.dropFirst(2).elementsEqual(seen.dropFirst(2).sorted(by: >)))
    }

    @Test("A page ends when it has looked at enough, and the next goes on there", arguments: [4, 5, 6])
    func lookups(_ lookups: Int) async throws {
        let fixture = try await Self.store(
            (1...4).map { Self.operation($0, .handshake, time: UInt64(100 - $0)) } + [Self.operation(5, time: 50)])
        var filter = ActivityFilter()
        filter.statuses = [.accepted]
        filter.kinds = [.handshake, .payment]
        filter.counterparty = Self.carol
        let page = try await fixture.store.history.activity(
            of: Self.bob, matching: filter, limit: 1, budget: ReadBudget(rows: lookups))
        #expect(page.items.isEmpty)
        #expect((page.next == nil) == (lookups >= 5))
        filter.counterparty = Self.alice
        filter.kinds = [.payment]
        let last = try await fixture.store.history.activity(
            of: Self.bob, matching: filter, before: page.next, limit: 1, budget: ReadBudget(rows: 1))
        #expect(Self.numbers(last) == Self.ids(5) && last.next == nil)
    }

    @Test("However soon a page's time is over, the pages together have every item once", arguments: [1, 2, 50])
    func time(_ limit: Int) async throws {
        let fixture = try await Self.store((1...40).map { Self.operation($0, time: UInt64(100 + $0 / 3)) })
        let start = ContinuousClock.now
        var (seen, next, pages): ([ActivityItem], OperationPosition?, Int) = ([], nil, 0)
        repeat {
            let budget = ReadBudget(until: start, now: { start })
            let page = try await fixture.store.history.activity(
                of: Self.bob, before: next, limit: limit, budget: budget)
            seen += page.items
            next = page.next
            pages += 1
        } while next != nil && pages < 100
        #expect(seen == (try await fixture.store.history.activity(of: Self.bob, limit: 100)).items)
        #expect(seen.count == 40 && pages == 40)
    }

    @Test(
        "Times are inclusive at both ends",
        arguments: [
            (UInt64(99), UInt64(101), 2), (100, 101, 2), (101, 102, 2), (102, 102, 1), (103, .max, 0), (0, 99, 0),
            (0, 100, 1), (0, 101, 2), (101, 101, 1), (102, 101, 0), (0, .max, 3),
        ])
    func times(_ since: UInt64, _ until: UInt64, _ count: Int) async throws {
        let fixture = try await Self.store([100, 101, 102].map { Self.operation(Int($0), time: $0) })
        let page = try await fixture.store.history.activity(
            of: Self.alice, matching: ActivityFilter(since: since, until: until), limit: 9)
        #expect(page.items.count == count)
    }

    @Test("An item is confirmed by the growth of the chain", arguments: [98, 99, 100, 101, 102])
    func confirmed(_ cursor: Int) async throws {
        let fixture = try await Self.store([Self.operation(1, acceptedIn: 1)])
        let last = try await fixture.store.history.lastChange()
        try await fixture.step(cursor: cursor)
        let item = try #require(try await fixture.store.history.activity(of: Self.bob, limit: 1).items.first)
        #expect(item.status == (cursor > 100 ? .confirmed : .accepted))
        #expect(item.confirmations == UInt64(cursor - 1))
        let changes = try await fixture.store.history.changes(after: last.number, limit: 9)
        #expect(changes.map(\.kind) == (cursor > 100 ? [.confirmed] : []))
    }

    @Test("A confirmation is not taken back when the chain is shorter for a moment")
    func shorter() async throws {
        let fixture = try await Self.store([Self.operation(1, acceptedIn: 1)])
        try await fixture.step(cursor: 101)
        let last = try await fixture.store.history.lastChange()
        try await fixture.step(removed: [101], cursor: 100)
        #expect(try await fixture.store.history.activity(of: Self.bob, limit: 1).items.map(\.status) == [.confirmed])
        try await fixture.step(cursor: 102)
        #expect(try await fixture.store.history.lastChange() == last)
    }

    @Test("The log tells each change once, to everybody whom it concerns")
    func changes() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        #expect(try await store.history.lastChange() == .start)
        #expect(try await store.history.changes(after: 0, limit: 9).isEmpty)
        func news() async throws -> [ActivityChange.Kind] {
            try await store.history.changes(after: 0, limit: 99).map(\.kind)
        }
        let pending = Self.operation(1, from: nil, acceptedIn: nil)
        try await store.history.recordPending([pending])
        try await store.history.recordPending([pending])
        #expect(try await news() == [.seen])
        #expect(try await store.history.changes(after: 0, limit: 1).first?.addresses == [Self.bob])
        let accepted = Self.operation(1)
        try await fixture.step(accepting: [accepted], cursor: 1)
        try await fixture.step(accepting: [accepted], cursor: 1)
        #expect(try await news() == [.seen, .accepted])
        #expect(try await store.history.changes(after: 1, limit: 1).first?.addresses == [Self.alice, Self.bob])
        try await fixture.step(removed: [1], cursor: 2)
        #expect(try await news() == [.seen, .accepted, .reverted])
        #expect(try await store.history.activity(of: Self.alice, limit: 1).items.map(\.status) == [.reverted])
        // Out of one block and into another in one step is one change.
        try await fixture.step(accepting: [Self.operation(1, acceptedIn: 3)], cursor: 3)
        try await fixture.step(removed: [3], accepting: [Self.operation(1, acceptedIn: 4)], cursor: 4)
        #expect(try await news() == [.seen, .accepted, .reverted, .accepted, .accepted])
        // What is old enough when it comes is told once.
        try await fixture.step(accepting: [Self.operation(2, acceptedIn: 4)], cursor: 104)
        #expect(try await news().suffix(2) == [.confirmed, .confirmed])
        #expect(try await store.history.changes(after: 0, limit: 99).map(\.number) == Array(1...7))
    }

    @Test("A receiver who turns out to be another is told that the item is gone")
    func otherReceiver() async throws {
        let fixture = try StoreFixture()
        try await fixture.store.history.recordPending([Self.operation(1, from: nil, to: Self.alice, acceptedIn: nil)])
        #expect(
            try await fixture.store.history.activity(of: Self.alice, limit: 1).items.map(\.direction) == [.incoming])
        try await fixture.step(accepting: [Self.operation(1, from: Self.carol, to: Self.bob)], cursor: 1)
        let change = try #require(try await fixture.store.history.changes(after: 1, limit: 1).first)
        #expect(Set(change.addresses) == [Self.alice, Self.bob, Self.carol])
        #expect(try await fixture.store.history.activityItem(Sample.transaction(1), of: Self.alice) == nil)
        #expect(try await fixture.store.history.activity(of: Self.alice, limit: 1).items.isEmpty)
    }

    @Test("The log keeps the newest changes, and knows which positions it can go on from", arguments: [4, 5, 6])
    func limit(_ count: Int) async throws {
        var limits = StoreLimits()
        limits.changes = 5
        let fixture = try StoreFixture(limits: limits)
        for number in 1...count { try await fixture.step(accepting: [Self.operation(number)], cursor: 1) }
        let kept = try await fixture.store.history.changes(after: 0, limit: 99)
        #expect(kept.map(\.number) == Array(UInt64(max(1, count - 4))...UInt64(count)))
        let first = ChangePosition(number: 1, tag: Array(Sample.transaction(1).bytes.prefix(4)))
        #expect(try await fixture.store.history.hasChanges(since: .start) == (count < 6))
        #expect(try await fixture.store.history.hasChanges(since: first) == (count < 6))
        let last = try await fixture.store.history.lastChange()
        #expect(last == ChangePosition(number: UInt64(count), tag: Array(Sample.transaction(count).bytes.prefix(4))))
        #expect(try await fixture.store.history.hasChanges(since: last))
        for stranger in [
            ChangePosition(number: last.number, tag: first.tag), ChangePosition(number: last.number + 1, tag: last.tag),
            ChangePosition(number: .max, tag: []), ChangePosition(number: 0, tag: first.tag),
        ] { #expect(try await !fixture.store.history.hasChanges(since: stranger)) }
    }

    @Test("Writers signal changes, and nothing else")
    func signals() async throws {
        let fixture = try StoreFixture()
        var signals = fixture.store.history.changeSignals.makeAsyncIterator()
        try await fixture.step(cursor: 1)
        try await fixture.register(Sample.device(1))
        try await fixture.step(accepting: [Self.operation(1)], cursor: 2)
        await signals.next()
        #expect(try await fixture.store.history.lastChange().number == 1)
    }
}

extension StoreFixture {
    fileprivate func step(removed: [Int] = [], accepting: [OperationRecord] = [], cursor: Int) async throws {
        _ = try await store.history.apply(
            Sample.step(removed: removed, accepting: accepting, cursor: cursor), now: 1, withdrawsUnsent: false)
    }
}
