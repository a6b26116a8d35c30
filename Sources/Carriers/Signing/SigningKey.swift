import Crypto
import FoundationEssentials

/// The operator's Ed25519 key pair (RFC 8032), which signs pushes.
///
/// Its description shows the public half.
public struct SigningKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    private let key: Curve25519.Signing.PrivateKey
    /// The half that apps check signatures with.
    public let publicKey: SigningPublicKey

    private init(_ key: Curve25519.Signing.PrivateKey) {
        self.key = key
        publicKey = SigningPublicKey(bytes: Array(key.publicKey.rawRepresentation))
    }

    /// A new key.
    public static func make() -> SigningKey { SigningKey(Curve25519.Signing.PrivateKey()) }

    /// Reads a private key in PEM, PKCS#8 (RFC 8410); `\n` may stand for a line break.
    ///
    /// Errors never repeat what they were given.
    public init(pem text: String) throws(SigningKeyError) {
        guard let body = PrivateKeyPEM.body(of: text, labels: ["PRIVATE KEY"]) else { throw .notPEM }
        guard body.firstRange(of: SigningKey.algorithm) != nil else { throw .otherKey }
        guard body.starts(with: SigningKey.start), body.count == SigningKey.start.count + SigningKey.seedBytes,
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: body.suffix(SigningKey.seedBytes))
        else { throw .damaged }
        self.init(key)
    }

    /// The private key in PEM (PKCS#8): a secret for a file that nobody else can read.
    public var privateKeyPEM: String {
        let body = Data(SigningKey.start + Array(key.rawRepresentation)).base64EncodedString()
        return "-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----"
    }

    private static let seedBytes = 32
    /// The object identifier of Ed25519 as DER has it.
    private static let algorithm: [UInt8] = [0x06, 0x03, 0x2b, 0x65, 0x70]
    /// What stands before the seed: version 0, the algorithm, and an octet string within another.
    private static let start: [UInt8] =
        [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05] + algorithm + [0x04, 0x22, 0x04, 0x20]

    /// The signature of a text's UTF-8 bytes, 64 bytes.
    func sign(_ text: String) throws -> [UInt8] { Array(try key.signature(for: Array(text.utf8))) }

    /// Names the key by its public half.
    public var description: String { "signing key \(publicKey.keyID)" }
    /// The same as `description`.
    public var debugDescription: String { description }
}

extension SigningKey: Equatable {
    /// Two of the same public key are the same.
    public static func == (left: SigningKey, right: SigningKey) -> Bool { left.publicKey == right.publicKey }
}
