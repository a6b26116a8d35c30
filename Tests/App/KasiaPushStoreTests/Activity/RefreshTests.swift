import Testing

@testable import KasiaPushStore

@Suite struct RefreshTests {
    static let days30 = ActivityLedger.refreshedForMilliseconds
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [99, 100, 101, 250]) func `a round asks about each unsettled transaction once, 100 at a time`(
        count: Int
    ) async throws {
        let ledger = try await folder.store().activity
        for number in 0..<count { _ = try await ledger.record(sent(number, at: Int64(number / 3))) }
        var batches: [[String]] = []
        var cursor: LedgerCursor?
        repeat {
            let page = try await ledger.unsettled(now: 1_000, after: cursor)
            batches.append(page.items.map(\.transactionID))
            // Half of them stay unknown, and are in nobody's way.
            let answer = page.items.enumerated().map {
                ($1.transactionID, $0.isMultiple(of: 2) ? RefreshedStatus.unknown : .confirmed)
            }
            let changed = try await ledger.apply(Dictionary(uniqueKeysWithValues: answer), now: 1_000)
            #expect(changed.count == page.items.count / 2)
            cursor = page.next
        } while cursor != nil
        #expect(batches.map(\.count) == stride(from: 0, to: count, by: 100).map { min(100, count - $0) })
        #expect(batches.joined().elementsEqual((0..<count).reversed().map(transactionID)))
    }

    @Test(arguments: [(days30 - 1, 1), (days30, 0), (days30 + 1, 0)])
    func `a transaction is asked about for 30 days`(age: Int64, count: Int) async throws {
        let ledger = try await folder.store().activity
        _ = try await ledger.record(sent(1, at: 5))
        #expect(try await ledger.unsettled(now: 5 + age).items.count == count)
    }

    @Test func `an answer is applied, and gives what it changed`() async throws {
        let ledger = try await folder.store().activity
        for number in 1...5 { _ = try await ledger.record(sent(number, at: 0)) }
        let changed = try await ledger.apply(
            [
                transactionID(1): .accepted, transactionID(2): .confirmed, transactionID(3): .unknown,
                transactionID(4): .reverted, transactionID(9): .confirmed,
            ], now: 86_400_000)
        #expect(
            changed.map { "\($0.transactionID.suffix(1)) \($0.status)" } == ["1 pending", "2 confirmed", "4 failed"])
        #expect(
            try await ledger.transactions().items.map(\.status)
                == [.broadcast, .failed, .broadcast, .confirmed, .pending])
        #expect(
            try await ledger.unsettled(now: 0).items.map(\.transactionID) == [5, 3, 1].map(transactionID))
        #expect(try await ledger.apply([transactionID(2): .reverted, transactionID(4): .confirmed], now: .max).isEmpty)
        #expect(try await ledger.apply([:], now: .min).isEmpty)
    }

    @Test func `an answer with a bad id changes nothing`() async throws {
        let ledger = try await folder.store().activity
        _ = try await ledger.record(sent(1, at: 0))
        let error = await #expect(throws: StoreError.self) {
            try await ledger.apply([transactionID(1): .accepted, "": .accepted], now: 0)
        }
        #expect(error?.code == .invalidValue)
        #expect(try await ledger.transaction(transactionID(1))?.status == .broadcast)
    }

    @Test(arguments: SentStatus.allCases, SentStatus.allCases)
    func `marking takes allowed steps only`(from: SentStatus, to: SentStatus) async throws {
        let ledger = try await folder.store().activity
        let id = transactionID(1)
        _ = try await ledger.record(sent(1, at: 0))
        if from != .broadcast { #expect(try await ledger.mark(id, .pending)) }
        if from != .broadcast && from != .pending { #expect(try await ledger.mark(id, from)) }
        if from == to || from.canBecome(to) {
            #expect(try await ledger.mark(id, to))
            #expect(try await ledger.transaction(id)?.status == to)
        } else {
            let error = await #expect(throws: StoreError.self) { try await ledger.mark(id, to) }
            #expect(error?.code == .forbiddenTransition)
            #expect(error?.detail == "\(from) to \(to)")
            #expect(try await ledger.transaction(id)?.status == from)
        }
    }

    @Test func `what is not recorded is not marked`() async throws {
        let ledger = try await folder.store().activity
        #expect(try await !ledger.mark(transactionID(1), .pending))
    }
}
