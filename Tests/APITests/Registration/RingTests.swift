import Foundation
import HTTPTypes
import HummingbirdTesting
import Kaspa
import Push
import Store
import Testing

@testable import API

// Serialized: hundreds of stores opened at once keep every other test waiting.
@Suite("Ringing", .serialized)
struct RingTests {
    let caller: TestWallet
    let callee: TestWallet

    init() throws {
        caller = try TestWallet("caller")
        callee = try TestWallet("callee")
    }

    /// A signed call, with members replaced or, by nil, left out.
    private func call(
        _ client: any TestClientProtocol, _ changes: [String: Any?] = [:], by wallet: TestWallet? = nil,
        to callee: TestWallet? = nil
    ) async throws -> TestResponse {
        let wallet = wallet ?? caller
        var request = try await client.challenged(wallet, .post, "/v1/push/ring")
        request.primary = wallet.address.description
        request.signsPrimary = true
        var body = try request.body()
        body["to_address"] = (callee ?? self.callee).address.description
        body["call_id"] = "0f8fad5b-d9cb-469f-a165-70867728950e"
        body["video"] = true
        body["kind"] = "invite"
        body["payload"] = "00ff"
        body["timestamp"] = 1_704_067_200_000
        for (name, value) in changes { body[name] = value }
        return try await client.send(.post, "/v1/push/ring", body)
    }

    @Test("a call is taken when its token is bound to the wallet that signed, also when nobody is to be rung")
    func taken() async throws {
        let service = try TestService(sender: SilentSender())
        try await service.run { client in
            try expect(try await call(client), .forbidden, "device_token is not bound")
            expectDone(try await client.register())
            try expect(try await call(client), .forbidden, "device_token is not bound")
            expectDone(try await client.registerSigned(caller))
            let answer = try await call(client)
            #expect(answer.status == .ok && answer.text == "{}", "\(answer.text)")
            try expect(try await call(client, by: callee, to: caller), .forbidden, "device_token is not bound")
        }
    }

    @Test("without a signature, or with another's, it is 401")
    func unsigned() async throws {
        try await TestService(sender: SilentSender()).run { client in
            expectDone(try await client.registerSigned(caller))
            try expect(try await call(client, ["auth": nil]), .unauthorized, "auth is required")
            var request = try await client.challenged(caller, .post, "/v1/push/ring")
            // The primary address is the caller's wallet, and signed.
            request.signsPrimary = true
            request.primary = callee.address.description
            let auth = try request.body()["auth"]
            try expect(try await call(client, ["auth": auth]), .unauthorized, "auth.signature is not valid")
        }
    }

    static let refusals: [(String, (any Sendable)?, String)] = [
        ("kind", "ring", "kind must be invite or request"), ("kind", nil, "kind is missing"),
        ("call_id", "0F8FAD5B-d9cb-469f-a165-70867728950e", "call_id must be a UUID in lower case"),
        ("call_id", "0f8fad5bd9cb469fa16570867728950e", "call_id must be a UUID in lower case"),
        ("call_id", "0f8fad5b-d9cb-469f-a165-70867728950", "call_id must be a UUID in lower case"),
        ("to_address", "kaspa:x", "to_address \"kaspa:x\" is not valid"), ("to_address", nil, "to_address is missing"),
        ("video", "yes", "video must be true or false"), ("payload", "0", "payload must be at most 4096 hex digits"),
        ("payload", "zz", "payload must be at most 4096 hex digits"),
    ]

    @Test("what is malformed is named", arguments: 0..<refusals.count)
    func malformed(index: Int) async throws {
        let (member, value, sentence) = Self.refusals[index]
        try await TestService(sender: SilentSender()).run { client in
            expectDone(try await client.registerSigned(caller))
            try expect(try await call(client, [member: value]), .badRequest, sentence)
        }
    }

    @Test("a payload has at most 2 KB", arguments: [4_094, 4_096, 4_098])
    func payload(digits: Int) async throws {
        try await TestService(sender: SilentSender()).run { client in
            expectDone(try await client.registerSigned(caller))
            let answer = try await call(client, ["payload": String(repeating: "a", count: digits)])
            #expect((answer.status == .ok) == (digits <= 4_096), "\(answer.text)")
        }
    }

    @Test("a wallet may call six times in a minute")
    func callerLimit() async throws {
        try await TestService(sender: SilentSender()).run { client in
            expectDone(try await client.registerSigned(caller))
            for _ in 0..<6 { #expect(try await call(client).status == .ok) }
            let answer = try await call(client)
            try expect(answer, .tooManyRequests, "too many calls by this wallet")
            #expect(answer.headers[.retryAfter] == "10")
        }
    }

    @Test("a wallet may be called twenty times in a minute, by whomever")
    func calleeLimit() async throws {
        try await TestService(sender: SilentSender()).run { client in
            for number in 0..<4 {
                let wallet = try TestWallet("caller \(number)")
                let token = deviceToken(number)
                expectDone(try await client.registerSigned(wallet, token: token))
                for index in 0..<6 {
                    var request = try await client.challenged(wallet, .post, "/v1/push/ring")
                    request.token = token
                    request.primary = wallet.address.description
                    request.signsPrimary = true
                    let answer = try await call(
                        client, ["device_token": token, "auth": try request.body()["auth"]], by: wallet)
                    #expect(
                        answer.status == (number * 6 + index < 20 ? .ok : .tooManyRequests),
                        "\(number) \(index) \(answer.text)")
                }
            }
        }
    }

    @Test("where pushes are not configured, a call is refused and says so")
    func unconfigured() async throws {
        try await TestService().run { client in
            expectDone(try await client.registerSigned(caller))
            let answer = try await call(client)
            try expect(answer, .serviceUnavailable, "pushes are not configured")
            #expect(answer.headers[.retryAfter] != nil)
        }
    }
}
