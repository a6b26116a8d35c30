import KasiaProtocol
import Kaspa
import SampleOperations
import Testing

@testable import Store

@Suite("Lists of operations")
struct OperationListTests {
    private static let (alice, bob) = (Sample.address(1), Sample.address(2))

    private static func operation(
        _ number: Int, _ kind: OperationKind = .contextualMessage, payload: String, time: UInt64 = 10_000,
        sender: Address? = alice, receiver: Address? = nil, acceptedIn block: Int? = 1
    ) -> OperationRecord {
        OperationRecord(
            transactionID: Sample.transaction(number), kind: kind, sender: sender, receiver: receiver, amount: 5,
            blockHash: Sample.block(900), blockTime: time, acceptance: block.map(Sample.acceptance),
            payload: Array("ciph_msg:1:\(payload)".utf8))
    }

    private static func store(accepting operations: [OperationRecord]) async throws -> StoreFixture {
        let fixture = try StoreFixture()
        _ = try await fixture.store.history.apply(
            Sample.step(accepting: operations, cursor: 1), now: 1, withdrawsUnsent: false)
        return fixture
    }

    private static func ids(
        _ store: Store, _ list: OperationList, from time: UInt64 = 0, after position: OperationPosition? = nil,
        limit: Int = 100
    ) async throws -> [TransactionID] {
        try await store.history.operations(in: list, from: time, after: position, limit: limit).map(\.transactionID)
    }

    @Test("Each kind stands in its lists and in no other")
    func kinds() async throws {
        let group = String(repeating: "aa", count: 32)
        let key = String(repeating: "bb", count: 32)
        let fixture = try await Self.store(accepting: [
            Self.operation(1, .handshake, payload: "handshake:x", receiver: Self.bob),
            Self.operation(2, .payment, payload: "payment:x", receiver: Self.bob),
            Self.operation(3, payload: "comm:one:x"), Self.operation(4, payload: "msg:two|x"),
            Self.operation(5, .selfStash, payload: "self_stash:box:x"),
            Self.operation(6, .selfStash, payload: "self_stash:x"),
            Self.operation(7, .selfStash, payload: "self_stash::x"),
            Self.operation(
                8, .groupMessage,
                payload: "gcomm:\(group):7:\(key):\(key):\(String(repeating: "cc", count: 24)):ab:"
                    + String(repeating: "d", count: 128)),
            Self.operation(9, .groupControl, payload: "gctl:\(key):ab"),
            Self.operation(10, .groupControl, payload: "gctl:ab"),
            Self.operation(11, .broadcast, payload: "bcast:news:x"),
            Self.operation(12, payload: "dm:\(Hex.encode(Self.bob.inboxTag)):one:x"),
            Self.operation(13, .broadcast, payload: "bcast: News :x"),
        ])
        let lists: [(OperationList, [Int])] = [
            (.handshakesBySender(Self.alice), [1]), (.handshakesByReceiver(Self.bob), [1]),
            (.handshakesBySender(Self.bob), []), (.handshakesByReceiver(Self.alice), []),
            (.paymentsBySender(Self.alice), [2]), (.paymentsByReceiver(Self.bob), [2]),
            (.contextualMessages(sender: Self.alice, alias: nil), [3, 4, 12]),
            (.contextualMessages(sender: Self.alice, alias: Array("one".utf8)), [3, 12]),
            (.contextualMessages(sender: Self.alice, alias: Array("two".utf8)), [4]),
            (.contextualMessages(sender: Self.alice, alias: Array("on".utf8)), []),
            (.contextualMessages(sender: Self.bob, alias: nil), []),
            (.selfStashes(owner: Self.alice, scope: nil), [5, 6, 7]),
            (.selfStashes(owner: Self.alice, scope: Array("box".utf8)), [5]),
            (.selfStashes(owner: Self.alice, scope: []), [7]),
            (.groupMessages([UInt8](repeating: 0xaa, count: 32)), [8]),
            (.groupControlsBySender(Self.alice), [9, 10]),
            (.groupControlsByRecipient([UInt8](repeating: 0xbb, count: 32)), [9]),
            (.broadcasts(channel: Array("news".utf8)), [11, 13]), (.broadcasts(channel: []), []),
            (.broadcasts(channel: Array(" News ".utf8)), [13]),
            (.inboxMessages(Self.bob.inboxTag), [12]), (.inboxMessages(Self.alice.inboxTag), []),
            (.groupMessagesBySender(Self.alice), [8]), (.groupMessagesBySender(Self.bob), []),
            (.broadcastsBySender(Self.alice), [11, 13]), (.broadcastsBySender(Self.bob), []),
        ]
        for (list, numbers) in lists {
            let expected = Set(numbers.map { Sample.transaction($0) })
            await #expect(Set(try Self.ids(fixture.store, list)) == expected, "\(list)")
            #expect(list.prefix.count == OperationList.prefixBytes)
        }
        #expect(try fixture.store.checkBooks().problems == [])
    }

    @Test("Pages follow each other without a gap or a repeat, where all times are the same too", arguments: [1, 3, 50])
    func pages(size: Int) async throws {
        let operations = (0..<200).map { number in
            Self.operation(number, payload: "comm:a:\(number)", time: [9_999, 10_000, 10_000, 10_001][number % 4])
        }
        let fixture = try await Self.store(accepting: operations)
        let list = OperationList.contextualMessages(sender: Self.alice, alias: Array("a".utf8))
        let expected = operations.map(\.position)
            .sorted { ($0.blockTime, $0.transactionID) < ($1.blockTime, $1.transactionID) }
        var seen: [OperationPosition] = []
        while true {
            let page = try await fixture.store.history.operations(in: list, after: seen.last, limit: size)
            #expect(page.count <= size)
            if page.isEmpty { break }
            seen += page.map(\.position)
        }
        #expect(seen == expected)
        for (time, count) in [(9_999, 200), (10_000, 150), (10_001, 50), (10_002, 0)] as [(UInt64, Int)] {
            #expect(try await Self.ids(fixture.store, list, from: time, limit: 300).count == count)
        }
    }

    @Test("Before acceptance an operation is listed by receiver only; a reorganisation takes it off no list")
    func acceptance() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        let (sent, received) = (OperationList.paymentsBySender(Self.alice), OperationList.paymentsByReceiver(Self.bob))
        let pending = Self.operation(
            1, .payment, payload: "payment:x", sender: nil, receiver: Self.bob, acceptedIn: nil)
        try await store.history.recordPending([pending])
        #expect(try await Self.ids(store, received).count == 1)
        #expect(try await Self.ids(store, sent).isEmpty)
        let accepted = Self.operation(1, .payment, payload: "payment:x", receiver: Self.bob)
        _ = try await store.history.apply(Sample.step(accepting: [accepted], cursor: 1), now: 1, withdrawsUnsent: false)
        #expect(try await Self.ids(store, received).count == 1)
        #expect(try await Self.ids(store, sent).count == 1)
        _ = try await store.history.apply(Sample.step(removed: [1], cursor: 0), now: 1, withdrawsUnsent: false)
        for list in [sent, received] {
            let operations = try await store.history.operations(in: list, limit: 9)
            #expect(operations.count == 1 && operations.first?.acceptance == nil)
        }
        #expect(try store.checkBooks().problems == [])
    }

    @Test("An operation that is accepted with another time or receiver moves; its old places are gone")
    func moves() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try await store.history.recordPending([
            Self.operation(
                1, .payment, payload: "payment:x", time: 5, sender: nil, receiver: Self.alice, acceptedIn: nil)
        ])
        let accepted = Self.operation(1, .payment, payload: "payment:x", time: 9, receiver: Self.bob)
        _ = try await store.history.apply(Sample.step(accepting: [accepted], cursor: 1), now: 1, withdrawsUnsent: false)
        #expect(try await Self.ids(store, .paymentsByReceiver(Self.alice)).isEmpty)
        #expect(try await store.history.operations(in: .paymentsByReceiver(Self.bob), limit: 9).map(\.blockTime) == [9])
        #expect(try StoreDump(store)[.operationLists].count == 2)
        #expect(try store.checkBooks().problems == [])
    }

    @Test("A position is 40 bytes, and nothing else is one")
    func positions() throws {
        let position = OperationPosition(blockTime: 0x0102_0304_0506_0708, transactionID: Sample.hash(9))
        #expect(position.bytes == [1, 2, 3, 4, 5, 6, 7, 8] + [UInt8](repeating: 9, count: 32))
        #expect(OperationPosition(bytes: position.bytes) == position)
        for bytes in [[], Array(position.bytes.dropLast()), position.bytes + [0]] {
            #expect(OperationPosition(bytes: bytes) == nil)
        }
    }

    @Test("The check finds what is missing in a list, and what stands there without reason")
    func check() async throws {
        let fixture = try await Self.store(accepting: [Self.operation(1, payload: "comm:a:x")])
        let keys = try StoreDump(fixture.store).keys(.operationLists)
        let stranger = OperationList.contextualMessages(sender: Self.bob, alias: nil).prefix + keys[0].suffix(40)
        try await fixture.store.write { transaction in
            transaction.delete(.operationLists, keys[0])
            transaction.put(.operationLists, stranger, [])
        }
        let check = try fixture.store.checkBooks()
        #expect(check.problemCount == 2)
        #expect(check.problems.contains { $0.contains("missing in a list") })
        #expect(check.problems.contains { $0.contains("does not belong there") })
    }
}
