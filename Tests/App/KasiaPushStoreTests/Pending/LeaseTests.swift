import Testing

@testable import KasiaPushStore

@Suite struct LeaseTests {
    static let lease = PendingMessages.leaseMilliseconds
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [(lease - 1, 0), (lease, 1), (lease + 1, 1), (-1, 1)])
    func `a taken message comes again when its time is over, or the clock was set back`(
        later: Int64, count: Int
    ) async throws {
        let pending = try await folder.store().pending
        _ = try await pending.add(message(1))
        let now: Int64 = 1_000_000
        #expect(try await pending.take(now: now).messages.count == 1)
        #expect(try await pending.take(now: now).messages.isEmpty)
        #expect(try await pending.take(now: now + later).messages.count == count)
    }

    @Test func `a confirmed message never comes again`() async throws {
        let pending = try await folder.store().pending
        _ = try await pending.add([message(0xa), message(2)])
        _ = try await pending.take(now: 0)
        try await pending.confirm([transactionID(0xa).uppercased()])
        #expect(try await pending.add(message(0xa)) == .known)
        try await pending.giveBackAll()
        #expect(try await pending.take(now: 0).messages == [message(2)])
    }

    @Test func `what the app fetched otherwise is confirmed without being taken`() async throws {
        let pending = try await folder.store().pending
        _ = try await pending.add(message(1))
        try await pending.confirm([transactionID(1), transactionID(2), transactionID(2)])
        #expect(try await pending.add([message(1), message(2)]) == [.known, .known])
        #expect(try await pending.count() == 0)
    }

    @Test(arguments: [999, 1_000, 1_001]) func `the latest 1,000 confirmed transactions are remembered`(count: Int)
        async throws
    {
        let pending = try await folder.store().pending
        try await pending.confirm((0..<count).map(transactionID))
        #expect(try await pending.add(message(0)) == (count <= 1_000 ? .known : .added))
        #expect(try await pending.add(message(1)) == .known)
    }

    @Test func `what is given back comes at once, in its place`() async throws {
        let pending = try await folder.store().pending
        _ = try await pending.add((1...3).map { message($0) })
        _ = try await pending.take(now: 0)
        try await pending.giveBack([transactionID(3), transactionID(1), transactionID(9)])
        #expect(try await pending.take(now: 0).messages == [message(1), message(3)])
    }

    @Test func `a message that is taken gets its text, and stays taken`() async throws {
        let pending = try await folder.store().pending
        _ = try await pending.add(message(1, text: nil))
        _ = try await pending.take(now: 0)
        #expect(try await pending.add(message(1)) == .opened)
        #expect(try await pending.take(now: 0).messages.isEmpty)
        try await pending.giveBackAll()
        #expect(try await pending.take(now: 0).messages == [message(1)])
    }

    @Test(arguments: [(-1, 1), (0, 1), (1, 1), (99, 99), (100, 100), (101, 100), (Int.max, 100)])
    func `one take has at most 100`(limit: Int, count: Int) async throws {
        let pending = try await folder.store().pending
        _ = try await pending.add((0..<100).map { message($0) })
        #expect(try await pending.take(now: .min, limit: limit).messages.count == count)
        #expect(try await pending.take(now: .min).messages.count == 100 - count)
    }

    @Test func `takers at the same time share without overlap`() async throws {
        let stores = [try await folder.store(), try await folder.store(), try await folder.store()]
        _ = try await stores[0].pending.add((0..<100).map { message($0) })
        let taken = try await withThrowingTaskGroup { group in
            for store in stores {
                group.addTask {
                    var taken: [PendingMessage] = []
                    while case let messages = try await store.pending.take(now: 0, limit: 3).messages,
                        !messages.isEmpty
                    { taken += messages }
                    return taken
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(taken.map(\.receivedAt).sorted() == (0..<100).map(Int64.init))
    }
}
