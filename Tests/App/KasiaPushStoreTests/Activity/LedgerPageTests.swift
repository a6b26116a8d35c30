import Testing

@testable import KasiaPushStore

@Suite struct LedgerPageTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [1, 99, 100, 101, 200, 201]) func `a page has at most 100, and the last one says so`(count: Int)
        async throws
    {
        let ledger = try await folder.store().activity
        // Ten of each time, recorded out of order.
        for number in 0..<count { _ = try await ledger.record(sent(number, at: Int64(number * 7 % 10))) }
        for number in 0..<count { _ = try await ledger.log(signature(number, at: Int64(number * 7 % 10))) }
        let expected = (0..<count).sorted { ($0 * 7 % 10, $0) > ($1 * 7 % 10, $1) }.map(transactionID)
        var sizes: [Int] = []
        var ids: [String] = []
        var cursor: LedgerCursor?
        repeat {
            let page = try await ledger.transactions(after: cursor, limit: .max)
            sizes.append(page.items.count)
            ids += page.items.map(\.transactionID)
            cursor = page.next
        } while cursor != nil
        #expect(ids == expected)
        #expect(sizes == stride(from: 0, to: count, by: 100).map { min(100, count - $0) })
        var digests: [String] = []
        repeat {
            let page = try await ledger.signatures(of: "kaspa:qa", after: cursor, limit: 7)
            digests += page.items.map(\.digest)
            cursor = page.next
        } while cursor != nil
        #expect(digests == expected)
    }

    @Test func `what is sent meanwhile neither repeats nor skips anything`() async throws {
        let ledger = try await folder.store().activity
        for number in 0..<4 { _ = try await ledger.record(sent(number, at: 10)) }
        let first = try await ledger.transactions(limit: 2)
        #expect(first.items.map(\.transactionID) == [3, 2].map(transactionID))
        _ = try await ledger.record(sent(4, at: 10))
        _ = try await ledger.record(sent(5, at: 11))
        let second = try await ledger.transactions(after: first.next, limit: 2)
        #expect(second.items.map(\.transactionID) == [1, 0].map(transactionID))
        #expect(second.next == nil)
    }

    @Test func `a page of one address has only its own`() async throws {
        let ledger = try await folder.store().activity
        for number in 0..<6 {
            let address = number.isMultiple(of: 2) ? "kaspa:qa" : "kaspa:qb"
            _ = try await ledger.record(sent(number, at: 0, from: address))
            _ = try await ledger.log(signature(number, at: 0, by: address))
        }
        let page = try await ledger.transactions(of: "kaspa:QB", limit: 2)
        #expect(page.items.map(\.transactionID) == [5, 3].map(transactionID))
        let rest = try await ledger.transactions(of: "kaspa:qb", after: page.next, limit: 2)
        #expect(rest.items.map(\.transactionID) == [transactionID(1)])
        #expect(try await ledger.signatures(of: "kaspa:qb").items.map(\.digest) == [5, 3, 1].map(transactionID))
        #expect(try await ledger.transactions(of: "kaspa:qc").items.isEmpty)
    }
}
