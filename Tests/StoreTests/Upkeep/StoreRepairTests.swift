import KasiaProtocol
import Kaspa
import Testing

@testable import Store

@Suite("Repairing the indexes")
struct StoreRepairTests {
    private let wallet = Sample.address(7)

    /// Three devices, one of them with a wallet, and deliveries that wait for two of them.
    private func makeStore() async throws -> StoreFixture {
        let fixture = try StoreFixture()
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)], primary: Sample.address(3)))
        var owned = Sample.device(2, watching: [Sample.address(1), Sample.address(2)])
        owned.walletAddress = wallet
        try await fixture.register(owned)
        try await fixture.register(
            Sample.device(3, watching: [Sample.address(9)], groups: [[UInt8](repeating: 4, count: 32)]))
        for number in 1...2 {
            try await fixture.accept(number)
            try await fixture.fanOut(event: UInt64(number))
        }
        #expect(try fixture.store.checkBooks().isSound)
        return fixture
    }

    private func firstKey(_ fixture: StoreFixture, _ family: ColumnFamily) throws -> [UInt8] {
        var first: [UInt8]?
        try fixture.store.database.scan(family, prefix: []) { (row) throws(StoreError) in
            first = Array(row.key)
            return false
        }
        return try #require(first)
    }

    @Test("A sound store is left alone")
    func sound() async throws {
        let fixture = try await makeStore()
        #expect(try await fixture.store.repairIndexes(now: 9_000).changedNothing)
        #expect(try fixture.store.checkBooks().isSound)
    }

    @Test(
        "A row that is lost is there again",
        arguments: [
            ColumnFamily.watchers, .walletDevices, .deviceStates, .schedule, .deliveryLogByTime, .enqueuedByTime,
            .operationLists, .accepted,
        ])
    func lost(family: ColumnFamily) async throws {
        let fixture = try await makeStore()
        let key = try firstKey(fixture, family)
        try await fixture.store.write { $0.delete(family, key) }
        #expect(try !fixture.store.checkBooks().isSound)
        let repair = try await fixture.store.repairIndexes(now: 9_000)
        #expect((repair.added[family] ?? 0) > 0, "\(repair)")
        let check = try fixture.store.checkBooks()
        #expect(check.isSound, "\(check.problems)")
        #expect(try await fixture.store.repairIndexes(now: 9_000).changedNothing)
    }

    @Test(
        "A registration that is lost takes with it what named it",
        arguments: [1, 2, 3])
    func lostDevice(number: Int) async throws {
        let fixture = try await makeStore()
        let id = Sample.id(number)
        try await fixture.store.write { $0.delete(.devices, id.bytes) }
        #expect(try !fixture.store.checkBooks().isSound)
        let repair = try await fixture.store.repairIndexes(now: 9_000)
        #expect((repair.removed[.watchers] ?? 0) > 0)
        #expect(repair.totals.contains("count_devices said 3, there are 2"))
        let check = try fixture.store.checkBooks()
        #expect(check.isSound, "\(check.problems)")
        #expect(try await fixture.store.outbox.deliveries(of: id, limit: 9).isEmpty)
        #expect(try await fixture.store.registry.devices(ofWallet: wallet).count == (number == 2 ? 0 : 1))
    }

    @Test("Rows that lead nowhere go, whatever they are made of")
    func strangers() async throws {
        let fixture = try await makeStore()
        let stranger = Sample.id(99)
        try await fixture.store.write { transaction in
            transaction.put(.watchers, transaction.watchIndexKey(.address(Sample.address(1))) + stranger.bytes, [])
            transaction.put(
                .watchers, transaction.watchIndexKey(.address(Sample.address(8))) + Sample.id(1).bytes, [])
            transaction.put(.walletDevices, wallet.storageKey + Sample.id(1).bytes, [])
            transaction.put(.schedule, ScheduleKey(lane: .bulk, due: 1, device: stranger, seq: 1).bytes, [])
            transaction.put(.schedule, [0xff], [])
            transaction.put(.deviceStates, stranger.bytes, DeviceState().encoded)
            transaction.put(.enqueuedByTime, [UInt8](repeating: 1, count: 40), [])
            let gone = Sample.transaction(98)
            transaction.put(.recentFunds, stranger.bytes, [])
            transaction.put(.reverted, gone.bytes, [])
            transaction.put(.retractions, [UInt8](repeating: 2, count: 8) + gone.bytes, [])
            transaction.put(.accepted, Sample.block(1).bytes + gone.bytes, [])
            transaction.put(.unconfirmed, UnconfirmedItem.key(5, gone), [])
            let list = OperationList.paymentsBySender(Sample.address(1))
            transaction.put(
                .operationLists, list.prefix + OperationPosition(blockTime: 7, transactionID: gone).bytes, [])
        }
        let repair = try await fixture.store.repairIndexes(now: 9_000)
        #expect(
            repair.removed == [
                .watchers: 2, .walletDevices: 1, .schedule: 2, .deviceStates: 1, .enqueuedByTime: 1, .recentFunds: 1,
                .reverted: 1, .retractions: 1, .accepted: 1, .unconfirmed: 1, .operationLists: 1,
            ])
        #expect(repair.added.isEmpty)
        let check = try fixture.store.checkBooks()
        #expect(check.isSound, "\(check.problems)")
    }

    @Test("A device whose state is lost goes on counting where it was, and its deliveries are due again")
    func lostState() async throws {
        let fixture = try await makeStore()
        let id = Sample.id(1)
        let before = try await fixture.store.outbox.deviceState(id)
        try await fixture.store.write { transaction in
            transaction.delete(.deviceStates, id.bytes)
            if let place = before.scheduled { transaction.delete(.schedule, place.key(of: id).bytes) }
        }
        _ = try await fixture.store.repairIndexes(now: 9_000)
        let after = try await fixture.store.outbox.deviceState(id)
        #expect(after.lastSeq == before.lastSeq && before.lastSeq == 2)
        #expect(after.scheduled == DeviceState.Scheduled(seq: 1, due: 9_000, lane: .ordinary))
        #expect(try await fixture.place(id) == after.scheduled?.key(of: id))
    }

    /// A store in which one event waits for its sender, and one was for nobody as its sender stayed unknown.
    private func makeStoreWithQuestion() async throws -> StoreFixture {
        let fixture = try await makeStore()
        for (number, deadline) in [(11, 20_000), (12, 60_000)] as [(Int, UInt64)] {
            var accepted = AcceptedOperation(
                operation: Sample.operation(number, sender: nil, acceptedIn: number), notifies: true)
            accepted.pendingSender = .init(
                needsSender: true, paid: [], deadline: deadline, askingUntil: deadline + 90_000)
            _ = try await fixture.store.history.apply(
                ChainStep(removed: [], accepted: [accepted], cursor: Sample.cursor(number)), now: 9_000,
                withdrawsUnsent: false)
        }
        let ended = try await fixture.store.history.endSenderWaits(
            now: 30_000, askingUntil: 120_000, limit: 10
        ) { _, _ in .suppressed }
        #expect(ended.suppressed == 1 && ended.count == 1)
        let books = try await fixture.store.outbox.books()
        #expect(books.eventsUnresolved == 1 && books.eventsSuppressed == 1)
        #expect(try fixture.store.checkBooks().isSound)
        return fixture
    }

    @Test("Events that wait for their sender, and those that were for nobody, stay in the books")
    func unresolvedBooks() async throws {
        let fixture = try await makeStoreWithQuestion()
        let before = try await fixture.store.outbox.books()
        #expect(try await fixture.store.repairIndexes(now: 31_000).changedNothing)
        #expect(try await fixture.store.outbox.books() == before)
        try await fixture.store.write { (transaction) throws(StoreError) in
            try transaction.adjust(.eventsUnresolved, by: 3)
            try transaction.adjust(.eventsCreated, by: 5)
        }
        #expect(try !fixture.store.checkBooks().isSound)
        let repair = try await fixture.store.repairIndexes(now: 31_000)
        #expect(
            repair.totals == [
                "count_events_unresolved said 4, there are 1",
                "count_events_created said \(before.eventsCreated + 5), there are \(before.eventsCreated)",
            ])
        #expect(try await fixture.store.outbox.books() == before)
    }

    @Test("A question about a sender that has lost a time is asked again, and a time without a question goes")
    func questions() async throws {
        for lost in 0...2 {
            let fixture = try await makeStoreWithQuestion()
            let question = try #require(try await fixture.store.history.unresolvedSender(of: Sample.transaction(12)))
            let stranger = UnresolvedSender.timeKey(.question, 5, Sample.transaction(99))
            let old = UnresolvedSender.timeKey(.deadline, 5, Sample.transaction(12))
            try await fixture.store.write { transaction in
                for key in question.timeKeys.prefix(lost) { transaction.delete(.unresolvedTimes, key) }
                for key in [stranger, old, [7]] { transaction.put(.unresolvedTimes, key, []) }
            }
            #expect(try !fixture.store.checkBooks().isSound)
            let repair = try await fixture.store.repairIndexes(now: 31_000)
            let added: [ColumnFamily: UInt64] = lost == 0 ? [:] : [.unresolvedTimes: UInt64(lost)]
            #expect(repair.added == added)
            #expect(repair.removed == [.unresolvedTimes: 3])
            let check = try fixture.store.checkBooks()
            #expect(check.isSound, "\(check.problems)")
        }
    }

    @Test("The acceptance of a group's message whose sender is asked for comes back")
    func groupQuestion() async throws {
        let fixture = try await makeStore()
        var accepted = AcceptedOperation(
            operation: Sample.operation(13, kind: .groupMessage, sender: nil, acceptedIn: 13), notifies: true)
        accepted.group = .init(
            blindedGroupID: [UInt8](repeating: 4, count: 32), senderPublicKey: [UInt8](repeating: 5, count: 32))
        accepted.pendingSender = .init(needsSender: true, paid: [], deadline: 60_000, askingUntil: 90_000)
        _ = try await fixture.store.history.apply(
            ChainStep(removed: [], accepted: [accepted], cursor: Sample.cursor(13)), now: 9_000, withdrawsUnsent: false)
        #expect(try fixture.store.checkBooks().isSound)
        let key = Sample.block(13).bytes + Sample.transaction(13).bytes
        try await fixture.store.write { $0.delete(.accepted, key) }
        #expect(try !fixture.store.checkBooks().isSound)
        #expect(try await fixture.store.repairIndexes(now: 31_000).added == [.accepted: 1])
        #expect(try fixture.store.checkBooks().isSound)
    }

    @Test("An operation or a question that cannot be read stays as it is, and holds up nothing else")
    func unreadableAmongOthers() async throws {
        let fixture = try await makeStoreWithQuestion()
        let stranger = Sample.id(99)
        try await fixture.store.write { (transaction) throws(StoreError) in
            transaction.put(.operations, Sample.transaction(1).bytes, [1, 2, 3])
            transaction.put(.unresolved, Sample.transaction(77).bytes, [1, 2, 3])
            transaction.put(.deadLetters, [1, 2, 3], [])
            transaction.put(.recentFunds, stranger.bytes, [])
            try transaction.adjust(.devices, by: 4)
        }
        let repair = try await fixture.store.repairIndexes(now: 31_000)
        #expect(repair.removed == [.recentFunds: 1, .deadLetters: 1] && repair.added.isEmpty)
        #expect(repair.totals == ["count_devices said 7, there are 3"])
        #expect(try fixture.store.database.get(.operations, Sample.transaction(1).bytes) == [1, 2, 3])
        #expect(try fixture.store.database.get(.unresolved, Sample.transaction(77).bytes) == [1, 2, 3])
    }

    @Test("More rows than a batch holds are all looked at", arguments: [-1, 0, 1])
    func batches(beyond: Int) async throws {
        let fixture = try StoreFixture()
        let count = Store.repairBatch + beyond
        for number in 0..<count { try await fixture.register(Sample.device(number, watching: [Sample.address(1)])) }
        try await fixture.store.write { transaction in
            for number in [0, count - 1] {
                transaction.delete(
                    .watchers, transaction.watchIndexKey(.address(Sample.address(1))) + Sample.id(number).bytes)
            }
        }
        let repair = try await fixture.store.repairIndexes(now: 1)
        #expect(repair.added == [.watchers: 2] && repair.removed.isEmpty)
        #expect(try fixture.store.checkBooks().isSound)
    }

    @Test("A registration that cannot be read is said so, and nothing is invented")
    func corrupt() async throws {
        let fixture = try await makeStore()
        try await fixture.store.write { $0.put(.devices, Sample.id(1).bytes, [1, 2, 3]) }
        await #expect(throws: StoreError.self) { _ = try await fixture.store.repairIndexes(now: 1) }
    }
}
