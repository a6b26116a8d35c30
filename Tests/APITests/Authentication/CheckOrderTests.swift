import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import Kaspa
import Testing

@testable import API

/// One of the nine checks, made to fail.
enum Check: Int, CaseIterable, Sendable {
    case shape = 1, window, time, address, walletSignature, deviceSignature, nonce, binding, counter

    var status: HTTPResponse.Status { rawValue <= 2 ? .badRequest : .unauthorized }

    var sentence: String {
        switch self {
        case .shape: "auth.auth_version must be 1 or 2"
        case .window: "auth.expires_at_ms is before auth.timestamp_ms"
        case .time: "auth.timestamp_ms is in the future"
        case .address: "auth.wallet_address is not the address of auth.wallet_pubkey"
        case .walletSignature: "auth.signature is not valid"
        case .deviceSignature: "auth.device_auth.signature is not valid"
        case .nonce: "auth.nonce is unknown or was used"
        case .binding: "device token is bound to another wallet"
        case .counter: "auth.device_auth.counter must be greater"
        }
    }
}

@Suite("The nine checks")
struct CheckOrderTests {
    /// A request in which these checks fail and, as far as that is possible, no other.
    private static func request(
        _ client: any TestClientProtocol, failing checks: Set<Check>, owner: TestWallet, key: TestDeviceKey
    ) async throws -> [String: Any] {
        let thief = try TestWallet("thief")
        var request = try await client.challenged(checks.contains(.binding) ? thief : owner)
        request.deviceKey = key
        request.counter = checks.contains(.counter) ? 5 : 6
        if checks.contains(.nonce) { request.nonce = String(repeating: "0", count: 32) }
        if checks.contains(.time) {
            request.timestamp += 120_000
            request.expiresAt += 120_000
        }
        if checks.contains(.window) { request.expiresAt = request.timestamp - 1 }
        var body = try request.body()
        var auth = try #require(body["auth"] as? [String: Any])
        if checks.contains(.address) { auth["wallet_address"] = try TestWallet("other").address.description }
        if checks.contains(.walletSignature) { auth["signature"] = try owner.sign("something else") }
        if checks.contains(.deviceSignature), var device = auth["device_auth"] as? [String: Any] {
            device["signature"] = try key.key.signature(for: Data("else".utf8)).derRepresentation.base64EncodedString()
            auth["device_auth"] = device
        }
        if checks.contains(.shape) { auth["auth_version"] = 3 }
        body["auth"] = auth
        return body
    }

    @Test("each fails alone with its own status and sentence, and changes nothing", arguments: Check.allCases)
    func alone(check: Check) async throws {
        try await fails([check], with: check)
    }

    @Test("of two that fail the first answers", arguments: Check.allCases, Check.allCases)
    func pairs(first: Check, second: Check) async throws {
        guard first.rawValue < second.rawValue else { return }
        try await fails([first, second], with: first)
    }

    @Test("of all from one on the first answers", arguments: Check.allCases)
    func all(from first: Check) async throws {
        try await fails(Set(Check.allCases.filter { $0.rawValue >= first.rawValue }), with: first)
    }

    private func fails(_ checks: Set<Check>, with expected: Check) async throws {
        let service = try TestService()
        let (owner, key) = (try TestWallet("owner"), try TestDeviceKey("phone"))
        try await service.run { client in
            expectDone(try await client.registerSigned(owner, deviceKey: key, counter: 5))
            let before = try await service.device(token)
            service.clock.value += 1000
            let body = try await Self.request(client, failing: checks, owner: owner, key: key)
            let used = try service.usedNonces()
            let answer = try await client.send(.post, "/v1/push/register", body)
            try expect(answer, expected.status, expected.sentence)
            #expect(try await service.device(token) == before)
            let isUsedUp = try service.usedNonces() == used + 1
            #expect(isUsedUp == (expected.rawValue > Check.nonce.rawValue), "only where the signatures held")
            // And with nothing wrong it passes.
            let good = try await Self.request(client, failing: [], owner: owner, key: key)
            expectDone(try await client.send(.post, "/v1/push/register", good))
        }
    }

    @Test(
        "the window is a minute at most", arguments: [(-1, 400), (0, 200), (59_999, 200), (60_000, 200), (60_001, 400)])
    func window(milliseconds: Int, status: Int) async throws {
        try await TestService().run { client in
            var request = try await client.challenged(try TestWallet("owner"))
            request.timestamp = UInt64(Int(request.expiresAt) - milliseconds)
            let answer = try await client.send(request)
            // A timestamp after the expiry, or long before the present, is no matter of the clock.
            #expect(answer.status.code == status, "\(answer.text)")
        }
    }

    @Test(
        "a clock may be a minute ahead, and a request come a minute late",
        arguments: [
            (59_999, "auth.expires_at_ms is not its challenge's"),
            (60_000, "auth.expires_at_ms is not its challenge's"),
            (60_001, "auth.timestamp_ms is in the future"), (-119_999, "auth.nonce has expired"),
            (-120_000, "auth.nonce has expired"), (-120_001, "auth has expired"),
        ])
    func clock(ahead: Int, sentence: String) async throws {
        let service = try TestService()
        try await service.run { client in
            var request = try await client.challenged(try TestWallet("owner"))
            if ahead > 0 {
                request.timestamp += UInt64(ahead)
                request.expiresAt += UInt64(ahead)
            } else {
                service.clock.value += UInt64(-ahead)
            }
            try expect(try await client.send(request), .unauthorized, sentence)
        }
    }

    static let shapes: [(String, String, String)] = [
        ("wallet_pubkey", "1", "auth.wallet_pubkey must be a string"),
        ("wallet_pubkey", "\"\(String(repeating: "0", count: 63))\"", "auth.wallet_pubkey must be 64 hex digits"),
        ("wallet_pubkey", "\"\(String(repeating: "0", count: 66))\"", "auth.wallet_pubkey must be 64 hex digits"),
        ("wallet_pubkey", "\"\(String(repeating: "g", count: 64))\"", "auth.wallet_pubkey must be 64 hex digits"),
        ("wallet_address", "null", "auth.wallet_address is missing"),
        ("wallet_address", "\"kaspa:qqqq\"", "auth.wallet_address is not a valid address"),
        ("wallet_address", "\"\(String(repeating: "k", count: 200))\"", "auth.wallet_address is not a valid address"),
        ("nonce", "\"\"", "auth.nonce must be 32 hex digits"),
        ("nonce", "\"\(String(repeating: "0", count: 30))\"", "auth.nonce must be 32 hex digits"),
        ("nonce", "\"\(String(repeating: "0", count: 34))\"", "auth.nonce must be 32 hex digits"),
        ("timestamp_ms", "-1", "auth.timestamp_ms must be a whole number"),
        ("timestamp_ms", "1.5", "auth.timestamp_ms must be a whole number"),
        ("timestamp_ms", "\"1\"", "auth.timestamp_ms must be a whole number"),
        ("expires_at_ms", "18446744073709551616", "auth.expires_at_ms must be a whole number"),
        ("expires_at_ms", "null", "auth.expires_at_ms is missing"),
        ("signature", "\"\(String(repeating: "0", count: 126))\"", "auth.signature must be 128 hex digits"),
        ("signature", "\"\(String(repeating: "0", count: 130))\"", "auth.signature must be 128 hex digits"),
        ("auth_version", "0", "auth.auth_version must be 1 or 2"),
        ("auth_version", "3", "auth.auth_version must be 1 or 2"),
        ("auth_version", "\"2\"", "auth.auth_version must be 1 or 2"),
        ("auth_version", "1.5", "auth.auth_version must be 1 or 2"),
        ("device_auth", "[]", "auth.device_auth must be an object"),
        ("device_auth", "{}", "auth.device_auth.scheme is missing"),
        ("device_auth", "{\"scheme\":\"x\"}", "auth.device_auth.scheme must be device_key_v1"),
        (
            "device_auth", "{\"scheme\":\"device_key_v1\",\"key_id\":\"00\"}",
            "auth.device_auth.key_id must be 64 hex digits"
        ),
    ]

    @Test("a wrong member of auth is 400 by name, before any signature is looked at", arguments: shapes)
    func shape(name: String, json: String, sentence: String) async throws {
        try await TestService().run { client in
            var body = try await client.challenged(try TestWallet("owner")).body()
            var auth = try #require(body["auth"] as? [String: Any])
            auth[name] = "REPLACED"
            body["auth"] = auth
            let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
                .replacing("\"REPLACED\"", with: json)
            try expect(
                try await client.send(.post, "/v1/push/register", bytes: Array(text.utf8)), .badRequest, sentence)
        }
    }

    static let deviceShapes: [(String, any Sendable, String)] = [
        ("key_id", "zz", "key_id must be 64 hex digits"), ("pubkey", "AAAA", "pubkey must be 65 bytes in base64"),
        ("pubkey", Data(count: 64).base64EncodedString(), "pubkey must be 65 bytes in base64"),
        ("pubkey", Data(count: 66).base64EncodedString(), "pubkey must be 65 bytes in base64"),
        ("pubkey", "!!!!", "pubkey must be 65 bytes in base64"),
        ("signature", Data(count: 7).base64EncodedString(), "signature must be 8 to 72 bytes in base64"),
        ("signature", Data(count: 73).base64EncodedString(), "signature must be 8 to 72 bytes in base64"),
        ("counter", 0, "counter must be greater than 0"), ("counter", -1, "counter must be a whole number"),
        ("counter", "1", "counter must be a whole number"),
    ]

    @Test("a wrong member of device_auth is 400 by name", arguments: 0..<deviceShapes.count)
    func deviceShape(index: Int) async throws {
        let (name, value, sentence) = Self.deviceShapes[index]
        try await TestService().run { client in
            var request = try await client.challenged(try TestWallet("owner"))
            request.deviceKey = try TestDeviceKey("phone")
            var body = try request.body()
            var auth = try #require(body["auth"] as? [String: Any])
            var device = try #require(auth["device_auth"] as? [String: Any])
            device[name] = value
            auth["device_auth"] = device
            body["auth"] = auth
            try expect(try await client.send(.post, "/v1/push/register", body), .badRequest, sentence)
        }
    }

    @Test("a wrong signature is answered with the text to sign, and who signs that text is let in")
    func expectedText() async throws {
        let (owner, key) = (try TestWallet("owner"), try TestDeviceKey("phone"))
        let service = try TestService()
        try await service.run { client in
            func expectedText(_ body: [String: Any]) async throws -> String {
                let answer = try await client.send(.post, "/v1/push/register", body)
                #expect(answer.status == .unauthorized)
                let object = try JSONSerialization.jsonObject(with: Data(buffer: answer.body)) as? [String: String]
                #expect(object?["code"] == "wrong_signature")
                return try #require(object?["expected_text"])
            }
            var body = try await Self.request(
                client, failing: [.walletSignature, .deviceSignature], owner: owner, key: key)
            var auth = try #require(body["auth"] as? [String: Any])
            auth["signature"] = try owner.sign(try await expectedText(body))
            body["auth"] = auth
            let text = try await expectedText(body)
            #expect(text.hasPrefix("domain=kasia-push-device-auth:v1\n"))
            var device = try #require(auth["device_auth"] as? [String: Any])
            device["signature"] = try key.key.signature(for: Data(text.utf8)).derRepresentation.base64EncodedString()
            auth["device_auth"] = device
            body["auth"] = auth
            expectDone(try await client.send(.post, "/v1/push/register", body))
        }
    }

    @Test("to a body that KaChat's app has sent, the text has its domain; who signs either one is let in")
    func expectedTextOfKachat() async throws {
        let owner = try TestWallet("owner")
        try await TestService().run { client in
            var body = try await client.challenged(owner).body()
            body["devicecheck_token"] = "dGVzdA=="
            var auth = try #require(body["auth"] as? [String: Any])
            auth["signature"] = try owner.sign("something else")
            body["auth"] = auth
            let refusal = try await client.send(.post, "/v1/push/register", body)
            let object = try JSONSerialization.jsonObject(with: Data(buffer: refusal.body)) as? [String: String]
            let text = try #require(object?["expected_text"])
            #expect(text.hasPrefix("domain=kchat-push-auth:v"))
            for domain in ["kchat", "kasia"] {
                auth["signature"] = try owner.sign(text.replacing("domain=kchat", with: "domain=\(domain)"))
                body["auth"] = auth
                let answer = try await client.send(.post, "/v1/push/register", body)
                if domain == "kchat" {
                    expectDone(answer)
                } else {
                    // Its signature holds, and then the nonce is looked at.
                    try expect(answer, .unauthorized, "auth.nonce is unknown or was used")
                }
            }
        }
    }

    @Test("a key that is on no curve is a signature that does not hold")
    func noPoints() async throws {
        try await TestService().run { client in
            var request = try await client.challenged(try TestWallet("owner"))
            request.deviceKey = try TestDeviceKey("phone")
            var body = try request.body()
            var auth = try #require(body["auth"] as? [String: Any])
            let none = [UInt8](repeating: 0xff, count: 32)
            auth["wallet_pubkey"] = Hex.encode(none)
            auth["wallet_address"] = try #require(Address(prefix: .kaspa, version: .schnorr, payload: none)).description
            body["auth"] = auth
            try expect(
                try await client.send(.post, "/v1/push/register", body), .unauthorized, "auth.signature is not valid")
        }
        let digest = [UInt8](repeating: 1, count: 32)
        #expect(!WalletSignature.isValid([], of: digest, by: digest))
        #expect(!WalletSignature.isValid([UInt8](repeating: 0, count: 64), of: [], by: digest))
    }
}
