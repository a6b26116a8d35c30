import CSecp256k1
import Crypto
import Foundation
import Kaspa
import Testing

/// A wallet of the recorded blocks' cast, whose private key `Tests/Fixtures/README.md` tells.
struct CastWallet: Sendable {
    private let secret: [UInt8]
    let publicKey: [UInt8]
    let address: Address

    init(_ name: String) throws {
        // Far below the group's order, so there is nothing to reduce.
        secret = Array(SHA256.hash(data: Data("kasia fixture \(name)".utf8)))
        let context = try #require(secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)))
        defer { secp256k1_context_destroy(context) }
        var pair = secp256k1_keypair()
        try #require(secp256k1_keypair_create(context, &pair, secret) == 1)
        var point = secp256k1_xonly_pubkey()
        try #require(secp256k1_keypair_xonly_pub(context, &point, nil, &pair) == 1)
        var bytes = [UInt8](repeating: 0, count: 32)
        try #require(secp256k1_xonly_pubkey_serialize(context, &bytes, &point) == 1)
        publicKey = bytes
        address = try #require(Address(prefix: .kaspa, version: .schnorr, payload: bytes))
    }

    /// The body of a register call of version 2, signed, with group messages.
    func registration(token: String, groups: [String], rest: RESTClient) async throws -> Data {
        let answer = try await rest.send("POST", "/v1/push/challenge", Data())
        let challenge = try #require(JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
        let nonce = try #require(challenge["nonce"] as? String)
        let issued = try #require(challenge["issued_at_ms"] as? UInt64)
        let expires = try #require(challenge["expires_at_ms"] as? UInt64)
        func hash(_ list: [String]) -> String { Hex.encode(SHA256.hash(data: Data(list.joined(separator: "\n").utf8))) }
        let lines = [
            "domain=kasia-push-auth:v2", "auth_version=2", "nonce=\(nonce)", "method=POST", "path=/v1/push/register",
            "device_token_hash=\(hash([token]))", "watched_addresses_hash=\(hash([address.description]))",
            "watched_group_ids_hash=\(hash(groups.sorted()))", "capabilities_hash=\(hash(["group_v1"]))",
            "primary_address=\(address)", "aliases_hash=\(hash([]))", "wallet_pubkey=\(Hex.encode(publicKey))",
            "wallet_address=\(address)", "timestamp_ms=\(issued)", "expires_at_ms=\(expires)",
        ]
        let auth: [String: Any] = [
            "auth_version": 2, "wallet_pubkey": Hex.encode(publicKey), "wallet_address": address.description,
            "nonce": nonce, "timestamp_ms": issued, "expires_at_ms": expires,
            "signature": try sign(lines.joined(separator: "\n")),
        ]
        return try JSONSerialization.data(withJSONObject: [
            "device_token": token, "platform": "ios", "primary_address": address.description,
            "watched_addresses": [address.description], "watched_group_ids": groups, "capabilities": ["group_v1"],
            "auth": auth,
        ])
    }

    private func sign(_ preimage: String) throws -> String {
        let context = try #require(secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)))
        defer { secp256k1_context_destroy(context) }
        var pair = secp256k1_keypair()
        try #require(secp256k1_keypair_create(context, &pair, secret) == 1)
        var signature = [UInt8](repeating: 0, count: 64)
        let digest = Array(SHA256.hash(data: Data(preimage.utf8)))
        try #require(secp256k1_schnorrsig_sign32(context, &signature, digest, &pair, nil) == 1)
        return Hex.encode(signature)
    }
}
