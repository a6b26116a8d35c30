import Crypto
import Foundation
import KasiaPushSecp256k1
import Kaspa

@testable import KasiaPushCore

/// Somebody with a wallet, whose secret is derived from a name.
struct Person {
    let secret: [UInt8]
    let key: Secp256k1WalletKey
    let address: String

    init(_ name: String) {
        secret = Array(SHA256.hash(data: Array(name.utf8)))
        guard let key = Secp256k1WalletKey(secret: secret), let address = key.address() else {
            preconditionFailure("the hash of a name is a good secret")
        }
        self.key = key
        self.address = address
    }

    var opener: MessageOpener {
        guard let opener = MessageOpener(address: address, secret: secret, curve: LibSecp256k1()) else {
            preconditionFailure("a person's address and secret are good")
        }
        return opener
    }
}

/// What an app does to seal a message; the library only opens them.
enum Seal {
    /// `marker`: the ephemeral key's first byte, 2 or 3; nil: the older form without one.
    static func message(
        _ text: [UInt8], to receiver: Person, by ephemeral: Person = Person("ephemeral"), marker: UInt8? = 2,
        nonce: [UInt8] = Array(0..<12)
    ) throws -> [UInt8] {
        // Both signs of a point have the same multiples but for their sign, so the x coordinates are the same.
        guard let shared = LibSecp256k1().sharedX(secret: ephemeral.secret, publicKey: receiver.key.publicKey) else {
            throw CocoaError(.coderInvalidValue)
        }
        let key = KeyDerivation.key(from: shared)
        let box = try ChaChaPoly.seal(text, using: key, nonce: ChaChaPoly.Nonce(data: nonce))
        return nonce + (marker.map { [$0] } ?? []) + ephemeral.key.publicKey + box.ciphertext + box.tag
    }

    static func message(_ text: String, to receiver: Person) throws -> [UInt8] {
        try message(Array(text.utf8), to: receiver)
    }

    /// A group message's body: everything after `gcomm:`.
    static func group(
        _ text: [UInt8], to group: GroupKeys, epoch: UInt64, by writer: Person, senderID: [UInt8]? = nil,
        messageID: [UInt8] = Array(repeating: 9, count: 24), tagBytes: Int = 16
    ) async throws -> [UInt8] {
        let senderID = senderID ?? Array(SHA256.hash(data: Array(writer.address.utf8)))
        let root = group.root(ofEpoch: epoch) ?? Array(repeating: 0, count: 32)
        let salt = group.salt(epoch)
        let key = KeyDerivation.key(from: root, salt: salt, info: Array("kasia:gcomm:key".utf8) + senderID)
        let nonceKey = KeyDerivation.bytes(from: root, salt: salt, info: Array("kasia:gcomm:nonce".utf8) + senderID)
        let nonce = KeyDerivation.bytes(
            from: nonceKey, salt: messageID, info: Array("kasia:gcomm:nonce".utf8), count: 12)
        let additional = [1] + Array("gcomm".utf8) + salt + senderID + messageID
        let box = try ChaChaPoly.seal(
            text, using: key, nonce: ChaChaPoly.Nonce(data: nonce), authenticating: additional)
        let sealed = box.ciphertext + box.tag.prefix(tagBytes)
        let signature = try await writer.key.signature(ofDigest: Array(SHA256.hash(data: additional + sealed)))
        let fields = [
            Hex.encode(group.blindedID(ofMember: writer.key.publicKey) ?? []), String(epoch), Hex.encode(senderID),
            Hex.encode(writer.key.publicKey), Hex.encode(messageID), Hex.encode(sealed), Hex.encode(signature),
        ]
        return Array(fields.joined(separator: ":").utf8)
    }
}
