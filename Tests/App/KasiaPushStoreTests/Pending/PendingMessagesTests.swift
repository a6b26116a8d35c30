import Testing

@testable import KasiaPushStore

@Suite struct PendingMessagesTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `what the extension added, the app takes as it was`() async throws {
        let pending = try await folder.store().pending
        let full = PendingMessage(
            transactionID: transactionID(1), kind: "group_message", sender: "kaspa:qa", thread: "abc", text: "hi",
            receivedAt: 5)
        let bare = PendingMessage(transactionID: transactionID(2), receivedAt: 6)
        #expect(try await pending.add([full, bare]) == [.added, .added])
        #expect(try await pending.take(now: 10) == TakenMessages(messages: [full, bare], dropped: 0))
    }

    @Test func `a transaction is there once, and gets its text once`() async throws {
        let pending = try await folder.store().pending
        #expect(try await pending.add(message(0xab, text: nil)) == .added)
        #expect(try await pending.add(message(0xab, text: nil)) == .known)
        var opened = message(0xab)
        opened.transactionID = opened.transactionID.uppercased()
        opened.sender = "KASPA:QB"
        opened.kind = nil
        #expect(try await pending.add(opened) == .opened)
        #expect(try await pending.add(message(0xab, text: "other")) == .known)
        #expect(try await pending.add(message(0xab, text: nil)) == .known)
        let taken = try await pending.take(now: 0).messages
        #expect(taken.map(\.text) == ["hello"])
        #expect(taken.map(\.kind) == ["contextual_message"])
        #expect(taken.map(\.sender) == ["kaspa:qb"])
    }

    @Test(arguments: [99, 100, 101]) func `the newest 100 are kept, and the others counted`(count: Int) async throws {
        let pending = try await folder.store().pending
        for number in 0..<count { _ = try await pending.add(message(number)) }
        #expect(try await pending.count() == min(count, 100))
        let taken = try await pending.take(now: 0)
        #expect(taken.messages.map(\.transactionID) == (max(0, count - 100)..<count).map(transactionID))
        #expect(taken.dropped == max(0, count - 100))
    }

    @Test func `a list of more than 100 keeps its last 100`() async throws {
        let pending = try await folder.store().pending
        #expect(try await pending.add((0..<250).map { message($0) }).count == 250)
        #expect(try await pending.take(now: 0).messages.map(\.receivedAt) == (150..<250).map(Int64.init))
    }

    @Test func `the number of dropped messages is told until it is confirmed`() async throws {
        let pending = try await folder.store().pending
        _ = try await pending.add((0..<103).map { message($0) })
        #expect(try await pending.take(now: 0).dropped == 3)
        _ = try await pending.add(message(200))
        #expect(try await pending.take(now: 0).dropped == 4)
        try await pending.confirm([], dropped: 3)
        #expect(try await pending.take(now: 0).dropped == 1)
        try await pending.confirm([], dropped: .max)
        try await pending.confirm([], dropped: -1)
        #expect(try await pending.take(now: 0).dropped == 0)
    }

    @Test(arguments: [65_535, 65_536, 65_537]) func `a text that is too long is left to the app`(bytes: Int)
        async throws
    {
        let pending = try await folder.store().pending
        #expect(try await pending.add(message(1, text: String(repeating: "x", count: bytes))) == .added)
        #expect(try await pending.take(now: 0).messages[0].text?.utf8.count == (bytes <= 65_536 ? bytes : nil))
    }

    @Test(arguments: [
        PendingMessage(transactionID: String(repeating: "a", count: 63), receivedAt: 0),
        PendingMessage(transactionID: String(repeating: "a", count: 65), receivedAt: 0),
        PendingMessage(transactionID: String(repeating: "g", count: 64), receivedAt: 0),
        PendingMessage(transactionID: String(repeating: "é", count: 32), receivedAt: 0),
        PendingMessage(transactionID: transactionID(1), kind: String(repeating: "k", count: 65), receivedAt: 0),
        PendingMessage(transactionID: transactionID(1), sender: "", receivedAt: 0),
        PendingMessage(transactionID: transactionID(1), sender: String(repeating: "s", count: 129), receivedAt: 0),
        PendingMessage(transactionID: transactionID(1), thread: String(repeating: "t", count: 161), receivedAt: 0),
    ])
    func `a value outside of its bounds refuses the whole list`(bad: PendingMessage) async throws {
        let pending = try await folder.store().pending
        let error = await #expect(throws: StoreError.self) { try await pending.add([message(7), bad]) }
        #expect(error?.code == .invalidValue)
        #expect(try await pending.count() == 0)
    }

    @Test func `the longest values are taken`() async throws {
        let pending = try await folder.store().pending
        let long = PendingMessage(
            transactionID: transactionID(1), kind: String(repeating: "k", count: 64),
            sender: String(repeating: "s", count: 128), thread: String(repeating: "t", count: 160), receivedAt: .max)
        #expect(try await pending.add(long) == .added)
        #expect(try await pending.take(now: .max).messages == [long])
    }
}
