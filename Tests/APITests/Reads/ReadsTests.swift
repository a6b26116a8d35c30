import Dispatch
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Kaspa
import Store
import Synchronization
import Testing

@testable import API

@Suite("Reads of the history", .serialized, .timeLimit(.minutes(5)))
struct ReadsTests {
    /// Every call that reads the history, with what it needs.
    private static func calls() throws -> [(HTTPRequest.Method, String, String?)] {
        let (address, hex) = (try addresses(1)[0], String(repeating: "ab", count: 32))
        var calls: [(HTTPRequest.Method, String, String?)] = [
            "handshakes/by-sender", "handshakes/by-receiver", "payments/by-sender", "payments/by-receiver",
            "contextual-messages/by-sender", "group-control/by-sender", "group-control/by-recipient", "v1/activity",
        ].map { (.get, "/\($0)?address=\(address)", nil) }
        calls += [
            "self-stash/by-owner?owner=\(address)", "group-messages/by-blinded-group-id?blinded_group_id=\(hex)",
            "broadcasts/by-channel?channel=news", "get-broadcasts?channel=news", "v1/messages/\(hex)",
            "contextual-messages/by-txid?tx_id=\(hex)",
            "contextual-messages/by-inbox?tag=\(hex.prefix(32))",
        ].map { (.get, "/\($0)", nil) }
        calls += [
            ("group-messages/by-blinded-group-ids", #"{"queries":[{"blindedGroupId":"\#(hex)"}]}"#),
            ("group-messages/since", #"{"blindedGroupIds":["\#(hex)"]}"#),
            ("group-control/since", #"{"senders":["\#(address)"]}"#), ("v1/activity/refresh", #"{"ids":["\#(hex)"]}"#),
        ].map { (.post, "/\($0.0)", $0.1) }
        return calls
    }

    private static func send(
        _ client: any TestClientProtocol, _ call: (HTTPRequest.Method, String, String?), headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        headers[.contentType] = "application/json"
        return try await client.execute(
            uri: call.1, method: call.0, headers: headers, body: call.2.map { ByteBuffer(string: $0) })
    }

    private static var isReadThread: Bool { ReadThreads.isCurrent }

    @Test("None of them looks into the store on another thread than those of the pool")
    func threads() async throws {
        let places = Mutex<[Bool]>([])
        let conditions = StoreConditions(before: { step in
            if step == .read { places.withLock { $0.append(Self.isReadThread) } }
        })
        let calls = try Self.calls()
        let open = APIRoutes.open.subtracting([
            "/docs", "/guide", "/health", "/openapi.json", "/v1/activity/stream", "/v1/push/key",
        ])
        #expect(calls.count == open.count, "a call that reads is missing here")
        try await TestService(conditions: conditions).run { client in
            for call in calls {
                places.withLock { $0 = [] }
                let status = try await Self.send(client, call).status
                #expect(status == .ok || status == .notFound, "\(call.1)")
                let seen = places.withLock { $0 }
                #expect(!seen.isEmpty && seen.allSatisfy(\.self), "\(call.1)")
            }
        }
    }

    @Test("A client that has read enough is 429 with Retry-After; its neighbours and calls that do not read are not")
    func allowance() async throws {
        let proxies = try ["127.0.0.0/8", "::1"].map { try #require(AddressBlock($0)) }
        // Each look at the clock takes a second, and each read looks twice.
        let service = try TestService(rateLimitPerMinute: 60, trustedProxies: proxies, tick: .seconds(1))
        try await service.run(.live) { client in
            for address in ["198.51.100.1", "2001:db8:0:1::1"] {
                let headers: HTTPFields = [.xForwardedFor: address]
                var statuses: [HTTPResponse.Status] = []
                for call in try Self.calls() {
                    statuses.append(try await Self.send(client, call, headers: headers).status)
                }
                #expect(statuses.first == .ok && statuses.contains(.tooManyRequests))
            }
            let call = try #require(try Self.calls().first)
            var refused: TestResponse?
            for _ in 0..<20 where refused?.status != .tooManyRequests {
                refused = try await Self.send(client, call, headers: [.xForwardedFor: "2001:db8:0:1:2::9"])
            }
            #expect(refused?.status == .tooManyRequests && refused?.headers[.retryAfter] != nil, "the same /64")
            #expect(refused?.text.contains("too many reads from this address") == true)
            #expect(try await Self.send(client, call, headers: [.xForwardedFor: "2001:db8:0:2::1"]).status == .ok)
            #expect(try await client.execute(uri: "/health", method: .get).status == .ok)
        }
    }

    @Test("Without a rate limit nothing is 429")
    func unlimited() async throws {
        try await TestService(tick: .seconds(100)).run { client in
            for call in try Self.calls() {
                #expect(try await Self.send(client, call).status != .tooManyRequests)
            }
        }
    }

    @Test("A filter that matches rarely ends at the budget with a cursor that goes on", arguments: [1, 7, 39, 40, 41])
    func budget(_ rows: Int) async throws {
        let service = try TestService(rowsPerRead: rows)
        var chain = try ActivityChain(service.store)
        try await chain.accept([1])
        try await chain.accept(Array(2...40))
        try await chain.remove(1)
        try await chain.accept(Array(2...40))
        let bob = chain.bob
        for number in [41] { try await chain.see(number) }
        try await service.run { client in
            var (ids, cursor, pages): ([String], String, Int) = ([], "", 0)
            repeat {
                let uri = "/v1/activity?address=\(bob)&status=pending&limit=100&cursor=\(cursor)"
                let response = try await client.execute(uri: uri, method: .get)
                #expect(response.status == .ok)
                let page = try #require(
                    try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any])
                ids += try #require(page["items"] as? [[String: Any]]).compactMap { $0["id"] as? String }
                cursor = page["next_cursor"] as? String ?? ""
                #expect(page["has_more"] as? Bool == !cursor.isEmpty)
                pages += 1
            } while !cursor.isEmpty && pages < 100
            #expect(ids == [ActivityChain.id(41).description])
            #expect(pages == (41 + rows - 1) / rows)
        }
    }

    @Test("Lists without a cursor in their answer are whole, however soon the time is over")
    func complete() async throws {
        let service = try TestService(tick: .seconds(1))
        var chain = try ActivityChain(service.store)
        try await chain.accept(Array(1...40))
        let uri = "/payments/by-receiver?address=\(chain.bob)&limit=40"
        try await service.run { client in
            let response = try await client.execute(uri: uri, method: .get)
            let rows = try JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [Any]
            #expect(rows?.count == 40)
            let hex = (0..<64).map { String(format: "%064x", $0) }
            let queries = hex.map { #"{"blindedGroupId":"\#($0)"}"# }.joined(separator: ",")
            let batch = try await Self.send(
                client, (.post, "/group-messages/by-blinded-group-ids", #"{"queries":[\#(queries)]}"#))
            let object = try JSONSerialization.jsonObject(with: Data(buffer: batch.body)) as? [String: Any]
            let results = try #require(object?["results"] as? [[String: Any]])
            #expect(results.compactMap { $0["blindedGroupId"] as? String } == hex)
        }
    }
}
