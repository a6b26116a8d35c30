import Foundation
import HTTPTypes
import HummingbirdTesting
import Kaspa
import Store
import Testing

@testable import API

@Suite("Activity over HTTP")
struct ActivityTests {
    private struct Page {
        let items: [[String: Any]]
        let hasMore: Bool
        let next: String?
        var ids: [String] { items.compactMap { $0["id"] as? String } }
    }

    private func page(_ client: any TestClientProtocol, _ query: String) async throws -> Page {
        let response = try await client.execute(uri: "/v1/activity?\(query)", method: .get)
        #expect(response.status == .ok, "\(query): \(response.text)")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any])
        return Page(
            items: try #require(object["items"] as? [[String: Any]]),
            hasMore: try #require(object["has_more"] as? Bool),
            next: object["next_cursor"] as? String)
    }

    @Test("Items have exactly the documented members")
    func members() async throws {
        let service = try TestService()
        var chain = try ActivityChain(service.store)
        try await chain.accept([3], growing: 3)
        try await chain.see(9)
        let (alice, bob) = (chain.alice, chain.bob)
        try await service.run { client in
            let id = ActivityChain.id(3)
            let sent = try await client.execute(uri: "/v1/activity?address=\(alice)", method: .get)
            #expect(
                sent.text == """
                    {"items":[{"id":"\(id)","type":"payment","direction":"out","counterparty":"\(bob)","amount":3,\
                    "fee":2001,"sealed_memo":"78","status":"accepted","confirmations":2,"block_time":1704067200001,"accepted_at":1704067300001,\
                    "explorer_url":"https://explorer.example/\(id)?\(id)"}],"has_more":false,"next_cursor":null}
                    """)
            let received = try await page(client, "address=\(bob)&limit=1")
            let pending = try #require(received.items.first)
            #expect(pending["status"] as? String == "pending" && pending["direction"] as? String == "in")
            for name in ["counterparty", "confirmations", "accepted_at"] { #expect(pending[name] is NSNull) }
            #expect(pending["fee"] == nil && pending["sealed_memo"] as? String == "78")
            #expect(received.hasMore)
            let rest = try await page(client, "address=\(bob)&limit=1&cursor=\(try #require(received.next))")
            #expect(rest.ids == ["\(id)"] && !rest.hasMore && rest.next == nil)
        }
    }

    @Test("A payment's memo is text where anybody can read it, else hex, and left out beyond 2,048 bytes")
    func memos() async throws {
        let service = try TestService()
        let chain = try ActivityChain(service.store)
        func padded(_ count: Int) -> String {
            let (start, end) = (#"{"message":"lunch","a":""#, #""}"#)
            return start + String(repeating: "a", count: count - start.utf8.count - end.utf8.count) + end
        }
        let bodies: [(body: String, memo: String?, isSealed: Bool)] = [
            ("", nil, false), ("c2VhbGVk", nil, true), (#"{"message":"für \"dich\"\n"}"#, "für \"dich\"\n", false),
            (#"{"message":""}"#, "", false), (#"{"message":5}"#, nil, true),
            (padded(2_047), "lunch", false), (padded(2_048), "lunch", false), (padded(2_049), nil, false),
            (String(repeating: "s", count: 2_047), nil, true), (String(repeating: "s", count: 2_048), nil, true),
            (String(repeating: "s", count: 2_049), nil, false),
        ]
        try await service.store.history.recordPending(
            bodies.enumerated().map { chain.payment($0 + 1, body: $1.body) })
        let bob = chain.bob
        try await service.run { client in
            let items = try await page(client, "address=\(bob)").items
            #expect(items.count == bodies.count)
            for (number, expected) in bodies.enumerated() {
                let item = try #require(items.first { $0["id"] as? String == "\(ActivityChain.id(number + 1))" })
                #expect(item["memo"] as? String == expected.memo)
                let sealed = expected.isSealed ? Hex.encode(Array(expected.body.utf8)) : nil
                #expect(item["sealed_memo"] as? String == sealed)
            }
        }
    }

    @Test(
        "Filters leave out what they do not name",
        arguments: [
            ("types=payment", 4), ("types=handshake,broadcast", 0), ("types=transfer", 0),
            ("types=payment,transfer", 4), ("direction=in", 4), ("direction=out,self", 0), ("status=pending", 1),
            ("status=accepted", 3), ("status=reverted,confirmed", 0), ("since=1704067200001", 2),
            ("until=1704067200000", 2), ("since=1704067200001&until=1704067200001", 2), ("since=2&until=1", 0),
            ("include=transfers", 4), ("types=&direction=&status=&counterparty=&cursor=", 4),
        ])
    func filters(_ query: String, _ count: Int) async throws {
        let service = try TestService()
        var chain = try ActivityChain(service.store)
        try await chain.accept([1, 2, 3])
        try await chain.see(4)
        let (alice, bob) = (chain.alice, chain.bob)
        try await service.run { client in
            let filtered = try await page(client, "address=\(bob)&\(query)")
            #expect(filtered.items.count == count)
            let withAlice = try await page(client, "address=\(bob)&counterparty=\(alice)")
            #expect(withAlice.items.count == 3)
            let withBob = try await page(client, "address=\(bob)&counterparty=\(bob)")
            #expect(withBob.items.isEmpty)
        }
    }

    @Test(
        "A page has 50 items by itself, and at most 100",
        arguments: [
            ("", 50), ("&limit=1", 1), ("&limit=99", 99), ("&limit=100", 100), ("&limit=101", 100),
            ("&limit=99999999999999999999", 100),
        ])
    func limits(_ query: String, _ count: Int) async throws {
        let service = try TestService()
        var chain = try ActivityChain(service.store)
        try await chain.accept(Array(1...120))
        let bob = chain.bob
        try await service.run { client in
            let first = try await page(client, "address=\(bob)\(query)")
            #expect(first.items.count == count && first.hasMore)
            let ids = first.items.compactMap { $0["id"] as? String }
            #expect(Set(ids).count == count)
        }
    }

    @Test(
        "What is wrong is named",
        arguments: [
            ("", "address is missing"), ("address=kaspa:x", "address"), ("address=OK&types=mail", "types knows no"),
            ("address=OK&types=payment,,", "types knows no"), ("address=OK&direction=up", "it takes in, out, self"),
            ("address=OK&status=done", "it takes accepted, confirmed, pending, reverted"),
            ("address=OK&include=all", "include knows no"), ("address=OK&since=-1", "since must be milliseconds"),
            ("address=OK&until=x", "until must be milliseconds"),
            ("address=OK&limit=0", "limit must be a positive number"),
            ("address=OK&cursor=abc", "cursor is none of ours"), ("address=OK&counterparty=x", "counterparty"),
        ])
    func mistakes(_ query: String, _ sentence: String) async throws {
        let service = try TestService()
        let address = try addresses(1)[0]
        try await service.run { client in
            let uri = "/v1/activity?" + query.replacing("OK", with: address)
            let response = try await client.execute(uri: uri, method: .get)
            #expect(response.status == .badRequest)
            #expect(try response.error().contains(sentence), "\(response.text)")
        }
    }

    @Test(
        "The status of up to a hundred transactions comes in one answer, in their order",
        arguments: [0, 1, 99, 100, 101])
    func refresh(_ count: Int) async throws {
        let service = try TestService()
        var chain = try ActivityChain(service.store)
        try await chain.accept([1], growing: 101)
        try await chain.accept([2])
        try await chain.remove(1)
        try await chain.accept([3])
        try await chain.see(4)
        try await service.run { client in
            let ids = (0..<count).map { ActivityChain.id($0 % 6).description }
            let response = try await client.send(.post, "/v1/activity/refresh", ["ids": ids])
            guard count <= 100 else {
                #expect(response.status == .badRequest)
                #expect(try response.error() == "ids has more than 100 entries")
                return
            }
            let object = try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any]
            let items = try #require(object?["items"] as? [[String: Any]])
            #expect(items.compactMap { $0["id"] as? String } == ids)
            let known = ["unknown", "confirmed", "reverted", "accepted", "pending", "unknown"]
            #expect(items.compactMap { $0["status"] as? String } == (0..<count).map { known[$0 % 6] })
            guard count > 1 else { return }
            #expect(items[0].count == 6 && items[0]["type"] is NSNull && items[0]["block_time"] is NSNull)
            #expect(items[1]["type"] as? String == "payment" && items[1]["accepted_at"] as? Int == 1_704_067_300_001)
        }
    }

    @Test(
        "A refresh says what is wrong with it",
        arguments: [
            (["ids": "x"] as [String: any Sendable], "ids must be a list of transaction ids"),
            ([:], "ids must be a list"), (["ids": ["ab"]], "ids[0] must be 64 hex digits"),
            (["ids": [7]], "ids[0] must be 64 hex digits"),
        ])
    func refreshMistakes(_ body: [String: any Sendable], _ sentence: String) async throws {
        let service = try TestService()
        try await service.run { client in
            let response = try await client.send(.post, "/v1/activity/refresh", body)
            #expect(response.status == .badRequest)
            #expect(try response.error().contains(sentence))
        }
    }
}
