import Foundation
import HTTPTypes
import HummingbirdTesting
import KasiaProtocol
import Kaspa
import SampleOperations
import Store
import Testing

@testable import API

@Suite("What the app fetches")
struct MessageTests {
    let alice: Address
    let bob: Address

    init() throws {
        let texts = try addresses(2)
        alice = try Address(parsing: texts[0])
        bob = try Address(parsing: texts[1])
    }

    static func id(_ number: Int) throws -> TransactionID {
        try #require(Hash(bytes: [UInt8](repeating: 0xab, count: 30) + [UInt8(number >> 8), UInt8(number & 255)]))
    }

    func operation(
        _ number: Int, _ kind: OperationKind, _ payload: String, time: UInt64 = 1_704_067_200_000,
        isAccepted: Bool = true, from sender: Address? = nil
    ) throws -> OperationRecord {
        let pays = kind.paysReceiver
        return OperationRecord(
            transactionID: try Self.id(number), kind: kind, sender: isAccepted ? sender ?? alice : nil,
            receiver: pays ? bob : nil, amount: pays ? 125_000_000 : 0, blockHash: .zero, blockTime: time,
            acceptance: isAccepted ? .init(blockHash: try Self.id(999), daaScore: 77, blueScore: 66) : nil,
            payload: Array("ciph_msg:1:\(payload)".utf8))
    }

    static let key = String(repeating: "bb", count: 32)
    static let group = String(repeating: "aa", count: 32)
    /// A group message's fields.
    private static let sealed = sealed(for: group)

    static func sealed(for group: String) -> String {
        "\(group):7:\(key):\(key):\(String(repeating: "cc", count: 24)):ab:\(String(repeating: "d", count: 128))"
    }

    static let tag = "91c2716cef3e35fd08bb763ca20ebeff"

    /// Operation 20: a message to an inbox.
    func inbox() throws -> OperationRecord { try operation(20, .contextualMessage, "dm:\(Self.tag):ab:text") }

    /// Operations 1 to 8, one of each kind and a second self-stash, all accepted.
    func everyKind() throws -> [OperationRecord] {
        try [
            operation(1, .handshake, "handshake:hello"), operation(2, .payment, "payment:memo"),
            operation(3, .contextualMessage, "comm:ab:text"), operation(4, .selfStash, "self_stash:box:note"),
            operation(5, .selfStash, "self_stash:note"), operation(6, .groupMessage, "gcomm:\(Self.sealed)"),
            operation(7, .groupControl, "gctl:\(Self.key):c0de"), operation(8, .broadcast, "bcast:news:hi"),
        ]
    }

    func service(_ operations: [OperationRecord]) async throws -> TestService {
        let service = try TestService()
        try await record(operations, in: service)
        return service
    }

    /// Puts operations into the store, those with an acceptance by a step of the chain.
    func record(_ operations: [OperationRecord], in service: TestService) async throws {
        try await service.store.history.recordPending(operations.filter { $0.acceptance == nil })
        let accepted = operations.filter { $0.acceptance != nil }
        _ = try await service.store.history.apply(
            ChainStep(
                removed: [], accepted: accepted.map { AcceptedOperation(operation: $0, notifies: false) },
                cursor: ChainCursor(blockHash: try Self.id(999), daaScore: 77, blueScore: 66, timestamp: 1)),
            now: 1, withdrawsUnsent: false)
    }

    func items(_ client: any TestClientProtocol, _ uri: String) async throws -> [[String: Any]] {
        let response = try await client.execute(uri: uri, method: .get)
        #expect(response.status == .ok, "\(uri): \(response.text)")
        return try #require(JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [[String: Any]])
    }

    /// The items without their cursors, as JSON with sorted keys.
    private func expectItems(_ items: [[String: Any]], _ json: String) throws {
        let found = items.map { $0.filter { $0.key != "cursor" } }
        let expected = try JSONSerialization.jsonObject(with: Data(json.utf8))
        #expect(found as NSArray == expected as? NSArray, "\(found)")
        #expect(items.allSatisfy { ($0["cursor"] as? String)?.count == 80 })
    }

    @Test("Items have exactly the members that apps know")
    func members() async throws {
        let (key, group, sealed) = (Self.key, Self.group, Self.sealed)
        let keyBytes = try #require(Hex.decode(key))
        let recipient = try #require(Address(prefix: .kaspa, version: .schnorr, payload: keyBytes))
        let service = try await service(try everyKind())
        let (alice, bob) = (alice, bob)
        try await service.run { client in
            let tail =
                #""block_time":1704067200000,"accepting_daa_score":77,"accepting_block":"\#(try Self.id(999))""#
            func hex(_ text: String) -> String { Hex.encode(Array(text.utf8)) }
            let answers: [(String, Int, String, String)] = [
                (
                    "handshakes/by-sender?address=\(alice)", 1, "handshake",
                    #""sender":"\#(alice)","receiver":"\#(bob)","message_payload":"\#(hex("hello"))""#
                ),
                (
                    "payments/by-receiver?address=\(bob)", 2, "payment",
                    #""sender":"\#(alice)","receiver":"\#(bob)","amount":125000000,"message":"\#(hex("memo"))""#
                ),
                (
                    "contextual-messages/by-sender?address=\(alice)&alias=\(hex("ab"))", 3, "contextual_message",
                    #""sender":"\#(alice)","alias":"\#(hex("ab"))","alias_text":"ab","message_payload":"\#(hex("text"))""#
                ),
                (
                    "self-stash/by-owner?owner=\(alice)&scope=\(hex("box"))", 4, "self_stash",
                    #""owner":"\#(alice)","scope":"\#(hex("box"))","stashed_data":"\#(hex("note"))""#
                ),
                (
                    "group-messages/by-blinded-group-id?blinded_group_id=\(group)", 6, "group_message",
                    #""sender":"\#(alice)","blinded_group_id":"\#(group)","epoch":7,"sender_id":"\#(key)","#
                        + #""sender_pub":"\#(key)","msg_id":"\#(String(repeating: "cc", count: 24))","#
                        + #""message_payload":"\#(hex(sealed))""#
                ),
                (
                    "group-control/by-recipient?address=\(recipient)", 7, "group_control",
                    #""sender":"\#(alice)","recipient":"\#(recipient)","recipient_key":"\#(key)","#
                        + #""message_payload":"\#(hex("c0de"))""#
                ),
                (
                    "broadcasts/by-channel?channel=news", 8, "broadcast",
                    #""sender":"\#(alice)","channel":"news","message_payload":"\#(hex("hi"))""#
                ),
            ]
            for (uri, number, kind, members) in answers {
                let body = #""tx_id":"\#(try Self.id(number))",\#(members),\#(tail)"#
                try expectItems(try await items(client, "/" + uri), "[{\(body)}]")
                let whole = try await client.execute(uri: "/v1/messages/\(try Self.id(number))", method: .get)
                let found = try JSONSerialization.jsonObject(with: Data(buffer: whole.body)) as? NSDictionary
                let expected = try JSONSerialization.jsonObject(with: Data(#"{"kind":"\#(kind)",\#(body)}"#.utf8))
                #expect(found == expected as? NSDictionary, "\(whole.text)")
            }
            let noted = try await items(client, "/self-stash/by-owner?owner=\(alice)&limit=1&block_time=0")
            #expect(noted.count == 1)
            let all = try await items(client, "/self-stash/by-owner?owner=\(alice)")
            #expect(all.count == 2 && all.contains { $0["scope"] as? String == "" })
            let whole = try await client.execute(uri: "/v1/messages/\(try Self.id(5))", method: .get)
            #expect(whole.text.contains(#""scope":"""#))
        }
    }

    private static let aliases: [([UInt8], String?)] = [
        (Array("20f9260eb781".utf8), "20f9260eb781"), (Array("a b".utf8), "a b"), (Array("鍵🔑".utf8), "鍵🔑"),
        ([0x22, 0x5c], "\"\\"), ([0x7e], "~"), ([0x7f], nil), ([0x1f, 0x61], nil), ([0x61, 0x0a, 0x62], nil),
        (Array("a\u{202e}b".utf8), nil), ([0xff, 0xfe], nil), ([0x61, 0xc3], nil), (Array(" ab".utf8), nil),
        (Array("ab\u{a0}".utf8), nil),
    ]

    @Test("An alias is there as text, too, if a registration can list that text")
    func aliasText() async throws {
        let operations = try Self.aliases.enumerated().map { number, alias in
            let plain = try operation(number, .contextualMessage, "comm:")
            return OperationRecord(
                transactionID: plain.transactionID, kind: plain.kind, sender: plain.sender, receiver: nil, amount: 0,
                blockHash: .zero, blockTime: plain.blockTime, acceptance: plain.acceptance,
                payload: plain.payload + alias.0 + Array(":text".utf8))
        }
        let service = try await service(operations)
        let alice = alice
        try await service.run { client in
            let rows = try await items(client, "/contextual-messages/by-sender?address=\(alice)&limit=50")
            #expect(rows.count == Self.aliases.count)
            for (row, (bytes, text)) in zip(rows, Self.aliases) {
                #expect(row["alias"] as? String == Hex.encode(bytes))
                #expect(row["alias_text"] as? String == text)
                #expect((row["alias_text"] is NSNull) == (text == nil), "it is always there")
                guard let text else { continue }
                expectDone(try await client.register(["aliases": [text]]))
                #expect(try await service.device(token)?.aliases == [bytes])
            }
        }
    }

    @Test("What is not accepted has no acceptance and no sender, and is listed by receiver only")
    func pending() async throws {
        let service = try await service([operation(1, .handshake, "hs:x", isAccepted: false)])
        let (alice, bob) = (alice, bob)
        try await service.run { client in
            #expect(try await items(client, "/handshakes/by-sender?address=\(alice)").isEmpty)
            let item = try #require(try await items(client, "/handshakes/by-receiver?address=\(bob)").first)
            #expect(item["sender"] as? String == "")
            #expect(item["accepting_block"] is NSNull && item["accepting_daa_score"] is NSNull)
        }
    }

    @Test("Pages are followed by cursor to the end; the limit is 10, at most 50")
    func pages() async throws {
        let service = try await service((0..<120).map { try operation($0, .payment, "pay:x", time: 5) })
        let uri = "/payments/by-sender?address=\(alice)"
        try await service.run { client in
            for (limit, count) in [("", 10), ("&limit=1", 1), ("&limit=49", 49), ("&limit=50", 50), ("&limit=51", 50)] {
                #expect(try await items(client, uri + limit).count == count)
            }
            for (time, count) in [(4, 50), (5, 50), (6, 0)] {
                #expect(try await items(client, uri + "&limit=50&block_time=\(time)").count == count)
            }
            var (seen, cursor) = ([String](), "")
            while true {
                let page = try await items(client, uri + "&limit=50&cursor=\(cursor)")
                guard let last = page.last?["cursor"] as? String else { break }
                (seen, cursor) = (seen + page.compactMap { $0["tx_id"] as? String }, last)
            }
            #expect(seen == (try (0..<120).map { try Self.id($0).description }))
        }
    }

    @Test("What is wrong is named")
    func errors() async throws {
        let alice = alice
        let other = try addresses(1, prefix: .kaspatest)[0]
        try await TestService().run { client in
            let good = "address=\(alice)"
            for (uri, sentence) in [
                ("handshakes/by-sender", "address is missing"),
                ("handshakes/by-sender?address=kaspa:x", "is not valid"),
                ("payments/by-receiver?address=\(other)", "is not valid"),
                ("payments/by-receiver?\(good)&limit=0", "limit must be a positive number"),
                ("payments/by-receiver?\(good)&limit=-1", "limit must be a positive number"),
                ("payments/by-receiver?\(good)&block_time=x", "block_time must be milliseconds"),
                ("payments/by-receiver?\(good)&block_time=18446744073709551616", "block_time must be milliseconds"),
                ("payments/by-receiver?\(good)&cursor=\(String(repeating: "0", count: 78))", "cursor is none of ours"),
                ("payments/by-receiver?\(good)&cursor=\(String(repeating: "0", count: 82))", "cursor is none of ours"),
                ("payments/by-receiver?\(good)&cursor=\(String(repeating: "x", count: 80))", "cursor is none of ours"),
                ("contextual-messages/by-sender?\(good)&alias=abc", "alias must be an even number of hex digits"),
                (
                    "contextual-messages/by-sender?\(good)&alias=\(String(repeating: "a", count: 130))",
                    "alias is longer than 64 bytes"
                ),
                ("self-stash/by-owner?\(good)", "owner is missing"),
                ("group-messages/by-blinded-group-id?blinded_group_id=ab", "must be 64 hex digits"),
                ("broadcasts/by-channel", "channel is missing"),
                ("v1/messages/xyz", "tx_id must be 64 hex digits"),
            ] {
                try expect(try await client.execute(uri: "/" + uri, method: .get), .badRequest, sentence)
            }
            for length in [126, 128] {
                let uri = "/contextual-messages/by-sender?\(good)&alias=\(String(repeating: "a", count: length))"
                #expect(try await items(client, uri).isEmpty)
            }
            try expect(
                try await client.execute(uri: "/v1/messages/\(try Self.id(1))", method: .get), .notFound,
                "no operation of this transaction is known")
            try expect(
                try await client.execute(uri: "/v1/messages/\(try Self.id(1))", method: .post), .methodNotAllowed, "GET"
            )
        }
    }
}
