import Crypto
import Foundation
import Store

/// A subscription's private half: it opens messages as a browser does, written apart from what seals them.
struct Browser: Sendable {
    let key: P256.KeyAgreement.PrivateKey
    let secret: [UInt8]

    init(key: P256.KeyAgreement.PrivateKey = .init(), secret: [UInt8] = (0..<16).map { _ in .random(in: 0...255) }) {
        self.key = key
        self.secret = secret
    }

    var keys: DeviceRecord.SubscriptionKeys {
        DeviceRecord.SubscriptionKeys(publicKey: Array(key.publicKey.x963Representation), secret: secret)
    }

    enum Failure: Error { case tooShort, badHeader, noDelimiter }

    /// The message in a body of RFC 8188 that has one record.
    func open(_ body: [UInt8]) throws -> [UInt8] {
        guard body.count >= 86 + 17 else { throw Failure.tooShort }
        let salt = Data(body[0..<16])
        guard Array(body[16..<20]) == [0, 0, 16, 0], body[20] == 65 else { throw Failure.badHeader }
        let sender = Data(body[21..<86])
        let agreed = try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: sender))
        // RFC 5869 by hand: one block is all that is needed.
        let first = Self.hmac(Data(secret), agreed.withUnsafeBytes { Data($0) })
        let info = Data("WebPush: info".utf8) + [0] + key.publicKey.x963Representation + sender
        let root = Self.hmac(salt, Self.hmac(first, info + [1]))
        let contentKey = Self.hmac(root, Data("Content-Encoding: aes128gcm".utf8) + [0, 1]).prefix(16)
        let nonce = Self.hmac(root, Data("Content-Encoding: nonce".utf8) + [0, 1]).prefix(12)
        let box = try AES.GCM.SealedBox(
            nonce: .init(data: nonce), ciphertext: Data(body[86..<body.count - 16]), tag: Data(body.suffix(16)))
        var padded = Array(try AES.GCM.open(box, using: SymmetricKey(data: contentKey)))
        while padded.last == 0 { padded.removeLast() }
        guard padded.popLast() == 2 else { throw Failure.noDelimiter }
        return padded
    }

    private static func hmac(_ key: Data, _ message: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}

/// Base64 for URLs, by Foundation.
func base64URL(_ text: String) throws -> [UInt8] {
    var base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    while base64.count % 4 != 0 { base64 += "=" }
    guard let data = Data(base64Encoded: base64) else { throw Browser.Failure.badHeader }
    return Array(data)
}
