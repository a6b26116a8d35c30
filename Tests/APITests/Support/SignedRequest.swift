import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import Kaspa
import Testing

/// A request that a test signs, then sends as it is or altered.
///
/// The signed texts are built here a second time, from the app developer guide ("The text of a registration") alone.
struct SignedRequest: Sendable {
    enum Form: Sendable, CaseIterable { case one, oneWithGroups, two }

    var method = HTTPRequest.Method.post
    var path = "/v1/push/register"
    var form = Form.one
    var app = "kasia"
    var wallet: TestWallet
    var deviceKey: TestDeviceKey?
    var counter: UInt64 = 1
    var rawDeviceSignature = false
    var nonce: String
    var timestamp: UInt64
    var expiresAt: UInt64
    var token: String? = APITests.token
    var platform = "ios"
    /// In place of a token.
    var subscription: TestSubscription?
    var addresses: [String] = []
    var groups: [String] = []
    var capabilities: [String] = []
    var primary: String?
    var aliases: [String] = []
    /// For a call that has no lists and signs a primary address all the same.
    var signsPrimary = false
    /// Whether the lists are part of the call.
    var hasLists: Bool { path.hasSuffix("/register") || path.hasSuffix("/update") }

    private func digest(_ members: [String]) -> String {
        let list = hasLists ? members : []
        let unique = Set(list.map { $0.trimmingCharacters(in: .whitespaces) }).subtracting([""])
        let sorted = unique.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        return Hex.encode(SHA256.hash(data: Data(sorted.joined(separator: [10]))))
    }

    /// Apple's tokens are signed in lower case, others as they are.
    private var tokenHash: String {
        let text = subscription?.endpoint ?? token ?? ""
        let signed = text.allSatisfy(\.isHexDigit) ? text.lowercased() : text
        return Hex.encode(SHA256.hash(data: Data(signed.utf8)))
    }

    var preimage: String {
        var lines = ["domain=\(app)-push-auth:\(form == .two ? "v2" : "v1")"]
        if form == .two { lines.append("auth_version=2") }
        lines += ["nonce=\(nonce)", "method=\(method.rawValue)", "path=\(path)", "device_token_hash=\(tokenHash)"]
        lines.append("watched_addresses_hash=\(digest(addresses.map { $0.lowercased() }))")
        if form != .one { lines.append("watched_group_ids_hash=\(digest(groups.map { $0.lowercased() }))") }
        if form == .two { lines.append("capabilities_hash=\(digest(capabilities.map { $0.lowercased() }))") }
        lines.append("primary_address=\(hasLists || signsPrimary ? (primary ?? "").lowercased() : "")")
        lines.append("aliases_hash=\(digest(aliases))")
        lines.append("wallet_pubkey=\(Hex.encode(wallet.publicKey))")
        lines += ["wallet_address=\(wallet.address)", "timestamp_ms=\(timestamp)", "expires_at_ms=\(expiresAt)"]
        return lines.joined(separator: "\n")
    }

    private func deviceAuth(_ key: TestDeviceKey) throws -> [String: Any] {
        let text = [
            "domain=\(app)-push-device-auth:v1", "nonce=\(nonce)", "method=\(method.rawValue)", "path=\(path)",
            "device_token_hash=\(tokenHash)", "key_id=\(key.keyID)", "counter=\(counter)", "timestamp_ms=\(timestamp)",
            "expires_at_ms=\(expiresAt)",
        ].joined(separator: "\n")
        let signature = try key.key.signature(for: Data(text.utf8))
        let bytes = rawDeviceSignature ? signature.rawRepresentation : signature.derRepresentation
        return [
            "scheme": "device_key_v1", "key_id": key.keyID,
            "pubkey": key.key.publicKey.x963Representation.base64EncodedString(), "counter": counter,
            "signature": bytes.base64EncodedString(),
        ]
    }

    /// The signed body.
    func body() throws -> [String: Any] {
        var auth: [String: Any] = [
            "wallet_pubkey": Hex.encode(wallet.publicKey), "wallet_address": wallet.address.description,
            "nonce": nonce, "timestamp_ms": timestamp, "expires_at_ms": expiresAt,
            "signature": try wallet.sign(preimage),
        ]
        if form == .two { auth["auth_version"] = 2 }
        if let deviceKey { auth["device_auth"] = try deviceAuth(deviceKey) }
        var body: [String: Any] = ["auth": auth]
        body["device_token"] = subscription?.endpoint ?? token
        if hasLists {
            body["watched_addresses"] = addresses
            body["aliases"] = aliases
            body["primary_address"] = primary
            if form != .one { body["watched_group_ids"] = groups }
            if form == .two { body["capabilities"] = capabilities }
            if path.hasSuffix("/register") { body["platform"] = platform }
            if let subscription {
                body["device_token"] = nil
                body["subscription"] = subscription.json
            }
        } else if form == .oneWithGroups {
            body["watched_group_ids"] = [String]()
        }
        return body
    }
}

extension TestClientProtocol {
    /// Asks for a nonce and prepares a request with it.
    func challenged(
        _ wallet: TestWallet, _ method: HTTPRequest.Method = .post, _ path: String = "/v1/push/register",
        form: SignedRequest.Form = .one
    ) async throws -> SignedRequest {
        let response = try await execute(uri: "/v1/push/challenge", method: .post)
        let object = try #require(JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any])
        let nonce = try #require(object["nonce"] as? String)
        let issued = try #require(object["issued_at_ms"] as? UInt64)
        let expires = try #require(object["expires_at_ms"] as? UInt64)
        var request = SignedRequest(
            method: method, path: path, form: form, wallet: wallet, nonce: nonce, timestamp: issued,
            expiresAt: expires)
        if request.hasLists {
            request.addresses = try addresses(2)
            request.aliases = ["beta", "alpha"]
            request.primary = wallet.address.description
            if form != .one { request.groups = [String(repeating: "ab", count: 32)] }
            if form == .two { request.capabilities = ["group_v1", "other"] }
        } else if path.hasSuffix("wallet") || path.hasSuffix("devices") {
            request.token = nil
        }
        return request
    }

    func send(_ request: SignedRequest) async throws -> TestResponse {
        try await send(request.method, request.path, try request.body())
    }

    /// Registers the usual token for a wallet.
    func registerSigned(
        _ wallet: TestWallet, token: String = token, deviceKey: TestDeviceKey? = nil, counter: UInt64 = 1
    ) async throws -> TestResponse {
        var request = try await challenged(wallet)
        request.token = token
        request.deviceKey = deviceKey
        request.counter = counter
        return try await send(request)
    }
}
