import Kaspa
import StoreSupport
import Testing

@testable import Store

@Suite("Plain transfers to watched addresses")
struct TransferTests {
    private let fixture: StoreFixture
    private var store: Store { fixture.store }

    init() throws { fixture = try StoreFixture() }

    /// Everybody may be watched, as far as the filter knows.
    private static func transfer(
        _ number: Int, to addresses: [Int] = [1], from spenders: [Int] = [9], in block: Int, time: UInt64? = nil
    ) -> TransferRecord {
        let credits = addresses.map { Funds.Credit(address: Sample.address($0), amount: UInt64($0 * 100)) }
        return TransferRecord(
            transactionID: Sample.transaction(number), blockTime: time ?? UInt64(10_000 + number),
            acceptance: Sample.acceptance(block), acceptedAt: UInt64(20_000 + block),
            funds: Funds(credits: credits, spenders: spenders.map { Sample.address($0) }),
            listed: (addresses + spenders).map { Sample.address($0) },
            toSpenders: UInt64(addresses.filter(spenders.contains).reduce(0, +) * 100),
            toOthers: UInt64(addresses.filter { !spenders.contains($0) }.reduce(0, +) * 100))
    }

    private static func step(
        removed: [Int] = [], _ transfers: [TransferRecord], push: AcceptedTransfer.Push = .due, cursor: Int
    ) -> ChainStep {
        ChainStep(
            removed: removed.map { Sample.block($0) }, accepted: [],
            transfers: transfers.map { AcceptedTransfer($0, push: push) }, cursor: Sample.cursor(cursor))
    }

    /// Applies a step twice; the second time must change nothing.
    private func applyTwice(
        _ step: ChainStep, now: UInt64 = 5_000, withdraws: Bool = false
    ) async throws -> ChainStepResult {
        let result = try await store.history.apply(step, now: now, withdrawsUnsent: withdraws)
        let dump = try StoreDump(store)
        #expect(try await store.history.apply(step, now: now + 1, withdrawsUnsent: withdraws) == ChainStepResult())
        #expect(try StoreDump(store) == dump)
        #expect(try store.checkBooks().problems == [])
        return result
    }

    /// The numbers of the transactions in an address's list.
    private func listed(_ address: Int) throws -> [Int] {
        let prefix = OperationList.transfers(Sample.address(address)).prefix
        return try StoreDump(store).keys(.operationLists).filter { $0.starts(with: prefix) }.map { key in
            try #require((1...99).first { Sample.transaction($0).bytes == Array(key.suffix(32)) })
        }
    }

    private func watch(_ device: Int, _ addresses: [Int] = [], primary: Int? = nil) async throws {
        try await fixture.register(
            Sample.device(
                device, watching: addresses.map { Sample.address($0) }, primary: primary.map { Sample.address($0) }))
    }

    private func isSound() throws { #expect(try store.checkBooks().problems == []) }

    @Test("Acceptance, transfer and event come together, and a second time changes nothing")
    func accept() async throws {
        try await register(50, funds: [1, 2])
        let transfer = TransferTests.transfer(1, to: [1, 2], from: [9, 8], in: 1)
        let result = try await applyTwice(TransferTests.step([transfer], cursor: 1))
        #expect(result.accepted == 1)
        #expect(result.enqueued == [.addressActivity: 1])
        var expected = transfer
        expected.listed = [1, 2].map { Sample.address($0) }
        #expect(try await store.history.transfer(Sample.transaction(1)) == expected)
        #expect(try listed(1) == [1] && listed(2) == [1] && listed(9) == [])
        let event = try #require(try await store.outbox.events(after: 0, limit: 9).first)
        #expect(event.kind == .addressActivity)
        #expect(event.funds == transfer.funds)
        #expect(event.sender == Sample.address(9))
        #expect(try await store.history.cursor() == Sample.cursor(1))
        #expect(try await store.history.operation(Sample.transaction(1)) == nil)
    }

    @Test("A transfer's fee is told with it, and an answer that does not say it takes it from nobody")
    func fee() async throws {
        try await watch(50, [1])
        var transfer = TransferTests.transfer(1, in: 1)
        transfer.fee = 5
        _ = try await applyTwice(TransferTests.step([transfer], cursor: 1))
        func told() async throws -> [UInt64?] {
            let filter = ActivityFilter(includesTransfers: true)
            let page = try await store.history.activity(of: Sample.address(1), matching: filter, limit: 1)
            let state = try await store.history.transactionStates([Sample.transaction(1)])
            return [try await store.history.transfer(Sample.transaction(1))?.fee, page.items.first?.fee, state[0]?.fee]
        }
        #expect(try await told() == [5, 5, 5])
        _ = try await applyTwice(TransferTests.step(removed: [1], [], cursor: 2))
        #expect(try await told() == [5, 5, 5])
        _ = try await applyTwice(TransferTests.step([TransferTests.transfer(1, in: 3)], cursor: 3))
        #expect(try await told() == [5, 5, 5])
        // One that named fewer parties knew none; now it is known.
        _ = try await applyTwice(TransferTests.step([TransferTests.transfer(2, in: 4)], cursor: 4))
        var narrow = TransferTests.transfer(2, to: [], in: 5)
        (narrow.listed, narrow.fee) = ([Sample.address(9)], 6)
        _ = try await applyTwice(TransferTests.step([narrow], cursor: 5))
        #expect(try await store.history.transfer(Sample.transaction(2))?.fee == 6)
    }

    @Test("Events of one step are numbered as the chain accepted them, whatever they are about")
    func order() async throws {
        try await register(50, funds: [1])
        let step = ChainStep(
            removed: [],
            accepted: [2, 4].map {
                AcceptedOperation(operation: Sample.operation($0, acceptedIn: $0), notifies: true)
            },
            transfers: [1, 3, 5].map { AcceptedTransfer(TransferTests.transfer($0, in: $0), push: .due) },
            cursor: Sample.cursor(5))
        _ = try await applyTwice(step)
        #expect(
            try await store.outbox.events(after: 0, limit: 9).map(\.transactionID)
                == (1...5).map { Sample.transaction($0) })
    }

    @Test("A reorganisation takes it out or moves it, and it is an event once, ever")
    func reorganisation() async throws {
        try await register(50, funds: [1])
        _ = try await applyTwice(
            TransferTests.step([TransferTests.transfer(1, in: 1), TransferTests.transfer(2, in: 1)], cursor: 1))
        let moved = try await applyTwice(
            TransferTests.step(removed: [1], [TransferTests.transfer(2, in: 2)], cursor: 2))
        #expect(moved.reverted == 2 && moved.accepted == 1 && moved.enqueued.isEmpty && moved.withdrawn == 0)
        #expect(moved.revertedPushes == [.addressActivity: 1])
        #expect(try await store.history.transfer(Sample.transaction(1))?.isReverted == true)
        #expect(try await store.history.transfer(Sample.transaction(1))?.acceptedAt == nil)
        #expect(try await store.history.transfer(Sample.transaction(2))?.acceptance == Sample.acceptance(2))
        #expect(try await store.history.transfer(Sample.transaction(2))?.acceptedAt == 20_002)
        #expect(try listed(1) == [1, 2])
        #expect(try await store.outbox.reverted(Sample.transaction(1))?.acceptance == Sample.acceptance(1))
        #expect(try await store.outbox.reverted(Sample.transaction(2)) == nil)
        let again = try await applyTwice(TransferTests.step([TransferTests.transfer(1, in: 3)], cursor: 3))
        #expect(again.accepted == 1 && again.enqueued.isEmpty)
        #expect(try await store.outbox.reverted(Sample.transaction(1)) == nil)
        #expect(try await store.totals().events == 2)
    }

    @Test("With confirmations it is withdrawn unsent, and a later acceptance is a new event")
    func withdrawn() async throws {
        try await register(50, funds: [1])
        _ = try await applyTwice(TransferTests.step([TransferTests.transfer(1, in: 1)], cursor: 1), withdraws: true)
        let removed = try await applyTwice(TransferTests.step(removed: [1], [], cursor: 0), withdraws: true)
        #expect(removed.withdrawn == 1 && removed.revertedPushes.isEmpty)
        #expect(try await store.history.transfer(Sample.transaction(1))?.isReverted == true)
        #expect(try await store.outbox.books().eventsWithdrawn == 1)
        let again = try await applyTwice(
            TransferTests.step([TransferTests.transfer(1, in: 2)], cursor: 2), withdraws: true)
        #expect(again.enqueued == [.addressActivity: 1])
        #expect(try await store.totals().events == 1)
    }

    @Test("It stays when its marker goes, accepted or not")
    func pruned() async throws {
        try await register(50, funds: [1])
        for number in 1...3 {
            _ = try await applyTwice(
                TransferTests.step([TransferTests.transfer(number, in: number)], cursor: number),
                now: UInt64(number * 100))
        }
        _ = try await applyTwice(TransferTests.step(removed: [2], [], cursor: 3), now: 400)
        #expect(try await store.outbox.pruneEnqueuedMarkers(before: 201, limit: 9, keepsUncorrected: false) == 2)
        try isSound()
        let dump = try StoreDump(store)
        #expect(dump[.transfers].count == 3 && dump[.enqueued].count == 1)
        #expect(dump[.accepted].count == 2 && dump[.reverted].isEmpty)
        #expect(try listed(1) == [1, 2, 3])
    }

    // MARK: What is indexed

    @Test("Nobody watches: nothing is kept, whatever the filter supposed")
    func unwatched() async throws {
        try await watch(1, [5])
        let before = try StoreDump(store)
        let result = try await applyTwice(TransferTests.step([TransferTests.transfer(1, in: 1)], cursor: 1))
        #expect(result == ChainStepResult())
        var after = try StoreDump(store)
        after.rows[.meta]?[MetaKey.cursor] = nil
        #expect(after == before)
    }

    @Test("It stands in the lists of all who watch, in whatever way, and only who watches for funds is told")
    func waysToWatch() async throws {
        try await watch(1, [1], primary: 2)
        try await register(2, funds: [3])
        try await watch(3, [8])
        let transfers = [
            TransferTests.transfer(1, to: [1], from: [9], in: 1), TransferTests.transfer(2, to: [2], from: [9], in: 1),
            TransferTests.transfer(3, to: [3], from: [9], in: 1), TransferTests.transfer(4, to: [9], from: [8], in: 1),
            TransferTests.transfer(5, to: [7], from: [3], in: 1), TransferTests.transfer(6, to: [7], from: [], in: 1),
            TransferTests.transfer(7, to: [1, 2, 3, 8], from: [8, 9], in: 1),
        ]
        let result = try await applyTwice(TransferTests.step(transfers, cursor: 1))
        #expect(result.accepted == 6 && result.enqueued == [.addressActivity: 2])
        #expect(try listed(1) == [1, 7] && listed(2) == [2, 7] && listed(3) == [3, 5, 7] && listed(8) == [4, 7])
        #expect(try listed(7) == [] && listed(9) == [])
        let events = try await store.outbox.events(after: 0, limit: 9)
        #expect(events.map(\.transactionID) == [3, 7].map { Sample.transaction($0) })
        #expect(events[1].funds?.credits == [Funds.Credit(address: Sample.address(3), amount: 300)])
        #expect(events[1].funds?.spenders == [8, 9].map { Sample.address($0) })
    }

    @Test("One that is too old, or comes while pushes are off, is indexed all the same and never told of")
    func withoutPush() async throws {
        try await register(1, funds: [1])
        for (number, push, tooOld) in [(1, .tooOld, 1), (2, .off, 0)] as [(Int, AcceptedTransfer.Push, Int)] {
            let result = try await applyTwice(
                TransferTests.step([TransferTests.transfer(number, in: number)], push: push, cursor: number))
            #expect(result.accepted == 1 && result.enqueued.isEmpty && result.tooOldTransfers == tooOld)
            #expect(try listed(1).contains(number))
        }
        _ = try await applyTwice(TransferTests.step(removed: [2], [], cursor: 1))
        #expect(try await store.outbox.reverted(Sample.transaction(2)) == nil, "it was never queued")
        #expect(try await store.history.transfer(Sample.transaction(2))?.isReverted == true)
    }

    @Test("Who begins to watch later finds what is accepted from then on; who ceases to keeps what there is")
    func watchBegunLater() async throws {
        let transfers = [1, 2].map { TransferTests.transfer($0, to: [1, 2], in: $0) }
        try await watch(1, [1])
        _ = try await applyTwice(TransferTests.step([transfers[0]], cursor: 1))
        try await register(2, funds: [2])
        #expect(try listed(2) == [])
        _ = try await applyTwice(TransferTests.step([transfers[1]], cursor: 2))
        #expect(try listed(1) == [1, 2] && listed(2) == [2])
        #expect(try await store.totals().events == 1)
        // Accepted once more, now that the second address is watched, and the first is not any more.
        try await store.registry.removeDevice(Sample.id(1))
        let again = try await applyTwice(
            TransferTests.step(removed: [2, 1], [TransferTests.transfer(1, to: [1, 2], in: 3)], cursor: 3))
        #expect(again.enqueued == [.addressActivity: 1])
        #expect(try listed(1) == [1, 2] && listed(2) == [1, 2])
        #expect(try await store.history.transfer(Sample.transaction(1))?.acceptance == Sample.acceptance(3))
        try await store.registry.removeDevice(Sample.id(2))
        _ = try await applyTwice(
            TransferTests.step(removed: [3], [TransferTests.transfer(1, to: [1, 2], in: 4)], cursor: 4))
        #expect(try await store.history.transfer(Sample.transaction(1))?.acceptance == Sample.acceptance(4))
        #expect(try await store.totals().events == 2)
    }

    @Test("An acceptance that names another block time moves it in the lists")
    func otherBlockTime() async throws {
        try await watch(1, [1])
        _ = try await applyTwice(
            TransferTests.step([1, 2].map { TransferTests.transfer($0, in: 1, time: UInt64($0)) }, cursor: 1))
        #expect(try listed(1) == [1, 2])
        _ = try await applyTwice(
            TransferTests.step(
                removed: [1], [1, 2].map { TransferTests.transfer($0, in: 2, time: UInt64(9 - $0)) }, cursor: 2))
        #expect(try listed(1) == [2, 1])
    }

    @Test("An answer that does not name a spender any more takes nobody out of the lists")
    func fewerParties() async throws {
        try await watch(1, [9])
        let transfer = TransferTests.transfer(1, to: [1], from: [9], in: 1)
        _ = try await applyTwice(TransferTests.step([transfer], cursor: 1))
        try await watch(2, [1])
        _ = try await applyTwice(
            TransferTests.step(removed: [1], [TransferTests.transfer(1, to: [1], from: [], in: 2)], cursor: 2))
        var expected = transfer
        expected.listed = [Sample.address(9)]
        expected.acceptance = Sample.acceptance(2)
        expected.acceptedAt = 20_002
        #expect(try await store.history.transfer(Sample.transaction(1)) == expected)
        #expect(try listed(9) == [1])
    }

    @Test("What is known as an operation is no transfer")
    func operation() async throws {
        try await register(1, funds: [1])
        try await fixture.accept(1)
        let result = try await applyTwice(TransferTests.step([TransferTests.transfer(1, in: 2)], cursor: 2))
        #expect(result == ChainStepResult())
        #expect(try await store.history.transfer(Sample.transaction(1)) == nil)
    }

    @Test("A deleted transfer leaves nothing but its marker, and one that comes back is not told of again")
    func deleted() async throws {
        try await register(1, funds: [1])
        let before = try StoreDump(store)
        let step = TransferTests.step([TransferTests.transfer(1, to: [1, 2], from: [9], in: 1)], cursor: 1)
        _ = try await applyTwice(step)
        let transfer = try #require(try await store.history.transfer(Sample.transaction(1)))
        try await store.write { (transaction) throws(StoreError) in transaction.deleteTransfer(transfer) }
        try isSound()
        let after = try StoreDump(store)
        #expect(
            Set(after.differingFamilies(before)) == ["meta", "enqueued", "enqueued_by_time", "events", "changes"],
            "that it is gone is no change")
        let again = try await applyTwice(step)
        #expect(again.accepted == 1 && again.enqueued.isEmpty)
        #expect(try listed(1) == [1])
    }

    @Test("What an older version kept is read, goes with its marker, and is listed once it is accepted again")
    func olderRows() async throws {
        try await watch(1, [1])
        let old = [1, 2].map { number in
            var transfer = TransferTests.transfer(number, in: 1)
            (transfer.listed, transfer.acceptedAt, transfer.toOthers) = ([], nil, 0)
            return transfer
        }
        try await store.write { (transaction) throws(StoreError) in
            for transfer in old {
                let id = transfer.transactionID
                transaction.put(.transfers, id.bytes, transfer.encoded)
                transaction.put(.accepted, Sample.block(1).bytes + id.bytes, [])
                transaction.mark(id, event: 1, now: 100)
            }
        }
        try isSound()
        #expect(try await store.history.transfer(Sample.transaction(1)) == old[0])
        let again = try await applyTwice(
            TransferTests.step(removed: [1], [TransferTests.transfer(2, in: 2)], cursor: 2))
        #expect(again.accepted == 1 && again.enqueued.isEmpty)
        #expect(try listed(1) == [2])
        #expect(try await store.outbox.pruneEnqueuedMarkers(before: 101, limit: 9, keepsUncorrected: false) == 2)
        #expect(try await store.history.transfer(Sample.transaction(1)) == nil)
        #expect(try await store.history.transfer(Sample.transaction(2)) != nil)
        try isSound()
    }

    @Test("A check finds a place in a list that is missing or one too many, and a repair sets it right")
    func repaired() async throws {
        try await watch(1, [1, 9])
        _ = try await applyTwice(
            TransferTests.step([1, 2].map { TransferTests.transfer($0, in: $0) }, cursor: 2))
        let sound = try StoreDump(store)
        let transfer = try #require(try await store.history.transfer(Sample.transaction(1)))
        let stray = OperationList.transfers(Sample.address(2)).prefix + transfer.position.bytes
        try await store.write { (transaction) throws(StoreError) in
            transaction.delete(.operationLists, transfer.listKeys[0])
            transaction.delete(.accepted, Sample.block(2).bytes + Sample.transaction(2).bytes)
            transaction.put(.operationLists, stray, [])
        }
        #expect(try store.checkBooks().problemCount == 3)
        let repair = try await store.repairIndexes(now: 1)
        #expect(repair.added == [.operationLists: 1, .accepted: 1] && repair.removed == [.operationLists: 1])
        #expect(try StoreDump(store) == sound)
    }

    // MARK: Fan-out

    private func register(_ number: Int, funds addresses: [Int]) async throws {
        var device = Sample.device(number)
        device.watchOnlyAddresses = addresses.map { Sample.address($0) }
        try await fixture.register(device)
    }

    /// Accepts a transfer and walks its lists to the end, telling everybody of 7 sompi.
    private func tell(
        _ store: Store, _ number: Int, to addresses: [Int] = [1], now: UInt64, limit: Int = 100
    ) async throws -> FanOutStep {
        _ = try await store.history.apply(
            TransferTests.step([TransferTests.transfer(number, to: addresses, in: number)], cursor: number), now: now,
            withdrawsUnsent: false)
        let event = try #require(try await store.outbox.events(after: 0, limit: 1).first)
        var all = FanOutStep()
        while !all.finished {
            let step = try await store.outbox.fanOut(
                event: event.number, lists: addresses.map { .funds(Sample.address($0)) }, limit: limit,
                ordinaryWatchers: .max, now: now, expiresAt: .max
            ) { _, list in .notifyFunds(address: Sample.address(addresses[list]), amount: 7) }
            all.notified += step.notified
            all.suppressed.merge(step.suppressed) { $0 + $1 }
            all.finished = step.finished
        }
        #expect(try store.checkBooks().problems == [])
        return all
    }

    @Test("A delivery says which address and how much, and a device is told once, whatever list it is in")
    func delivery() async throws {
        try await register(1, funds: [1, 2])
        try await register(2, funds: [2])
        let step = try await tell(store, 1, to: [1, 2], now: 5_000, limit: 1)
        #expect(step.notified == 2 && step.suppressed.isEmpty)
        let first = try await store.outbox.deliveries(of: Sample.id(1), limit: 9)
        #expect(first.map(\.address) == [Sample.address(1)] && first.map(\.amount) == [7])
        #expect(first.map(\.kind) == [.addressActivity])
        #expect(try await store.outbox.deliveries(of: Sample.id(2), limit: 9).map(\.address) == [Sample.address(2)])
        let place = try #require(try await fixture.place(Sample.id(1)))
        let due = try #require(try store.outbox.dueDelivery(place))
        #expect(due.payload == OperationPayload() && due.wasTold)
    }

    @Test("Lists beyond the two hundred and fifty-sixth are walked too")
    func manyLists() async throws {
        try await register(1, funds: [250])
        let addresses = (0..<300).map { $0 == 299 ? 250 : 240 }
        let step = try await tell(store, 1, to: addresses, now: 5_000, limit: 3)
        #expect(step.notified == 1)
        #expect(try await store.outbox.deliveries(of: Sample.id(1), limit: 1).first?.address == Sample.address(250))
    }

    @Test("Thirty pushes an hour: the twenty-ninth and thirtieth go, the thirty-first is suppressed and counted")
    func hourlyLimit() async throws {
        try await register(1, funds: [1])
        var told: [Int] = []
        for number in 1...32 {
            told.append(try await tell(store, number, now: 1_000_000 + UInt64(number)).notified)
        }
        #expect(told == [Int](repeating: 1, count: 30) + [0, 0])
        #expect(try await store.outbox.books().deliveriesSuppressed == 2)
        #expect(try await store.outbox.deviceState(Sample.id(1)).lastSeq == 30)
        // Another device has an hour of its own.
        try await register(2, funds: [1])
        let step = try await tell(store, 33, now: 1_000_050)
        #expect(step.notified == 1 && step.suppressed == [.hourlyLimit: 1])
    }

    @Test(
        "The hour counts from each push to the millisecond, also over a restart",
        arguments: [(3_599_999, 0), (3_600_000, 1), (3_600_001, 1)] as [(UInt64, Int)])
    func hour(_ later: UInt64, _ expected: Int) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        do {
            let store = try Store(path: path, network: .mainnet)
            var device = Sample.device(1)
            device.watchOnlyAddresses = [Sample.address(1)]
            let record = device
            try await store.registry.upsertDevice(record.id) { _ in record }
            try await store.outbox.noteAccepted(record.id)
            // The first alone, the others a minute later.
            for number in 1...30 {
                #expect(try await tell(store, number, now: number == 1 ? 1_000_000 : 1_060_000).notified == 1)
            }
        }
        let store = try await StoreFiles(path: path).open()
        #expect(try await tell(store, 31, now: 1_000_000 + later).notified == expected)
        #expect(try await tell(store, 32, now: 1_000_000 + later).notified == 0)
    }

    @Test("A clock that was set back does not bar a device for longer than an hour")
    func clockSetBack() async throws {
        try await register(1, funds: [1])
        for number in 1...30 {
            #expect(try await tell(store, number, now: 90_000_000).notified == 1)
        }
        #expect(try await tell(store, 31, now: 90_000_000 - 3_599_999).notified == 0)
        #expect(try await tell(store, 32, now: 90_000_000 - 3_600_000).notified == 1)
    }

    @Test("An unregister forgets the hour")
    func unregistered() async throws {
        try await register(1, funds: [1])
        _ = try await tell(store, 1, now: 1_000)
        #expect(try StoreDump(store)[.recentFunds].count == 1)
        try await store.registry.removeDevice(Sample.id(1))
        #expect(try StoreDump(store)[.recentFunds].isEmpty)
        try isSound()
    }
}
