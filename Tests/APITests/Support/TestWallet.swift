import CSecp256k1
import Crypto
import Foundation
import Kaspa
import Testing

/// A wallet whose private key the test has.
struct TestWallet: Sendable {
    let secret: [UInt8]
    let publicKey: [UInt8]
    let address: Address

    /// The key is SHA-256 of the name.
    init(_ name: String, network: Network = .mainnet) throws {
        secret = Array(SHA256.hash(data: Data(name.utf8)))
        let context = try #require(secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)))
        defer { secp256k1_context_destroy(context) }
        var pair = secp256k1_keypair()
        try #require(secp256k1_keypair_create(context, &pair, secret) == 1)
        var point = secp256k1_xonly_pubkey()
        try #require(secp256k1_keypair_xonly_pub(context, &point, nil, &pair) == 1)
        var bytes = [UInt8](repeating: 0, count: 32)
        try #require(secp256k1_xonly_pubkey_serialize(context, &bytes, &point) == 1)
        publicKey = bytes
        address = try #require(Address(prefix: network.addressPrefix, version: .schnorr, payload: bytes))
    }

    /// A BIP-340 signature over the SHA-256 of a text, in hex.
    func sign(_ preimage: String) throws -> String {
        let context = try #require(secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)))
        defer { secp256k1_context_destroy(context) }
        var pair = secp256k1_keypair()
        try #require(secp256k1_keypair_create(context, &pair, secret) == 1)
        let digest = Array(SHA256.hash(data: Data(preimage.utf8)))
        var signature = [UInt8](repeating: 0, count: 64)
        try #require(secp256k1_schnorrsig_sign32(context, &signature, digest, &pair, nil) == 1)
        return Hex.encode(signature)
    }
}

/// A phone's device key.
struct TestDeviceKey: Sendable {
    let key: P256.Signing.PrivateKey
    var keyID: String { Hex.encode(SHA256.hash(data: key.publicKey.x963Representation)) }

    init(_ name: String) throws {
        key = try P256.Signing.PrivateKey(rawRepresentation: SHA256.hash(data: Data(name.utf8)))
    }
}
