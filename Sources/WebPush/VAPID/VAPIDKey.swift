import Carriers
import Crypto
import FoundationEssentials

/// The operator's key pair of RFC 8292, which names this server to push services.
///
/// A browser's subscription is good for one key only. Its description shows the public key.
public struct VAPIDKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    private let key: P256.Signing.PrivateKey
    /// The public key, as pages and push services take it: the uncompressed point's 65 bytes in base64url.
    public let publicKeyText: String

    private init(_ key: P256.Signing.PrivateKey) {
        self.key = key
        publicKeyText = Base64URL.encode(key.publicKey.x963Representation)
    }

    /// A new key.
    public static func make() -> VAPIDKey { VAPIDKey(P256.Signing.PrivateKey()) }

    /// Reads a private key of P-256 in PEM, PKCS#8 or SEC 1; `\n` may stand for a line break.
    ///
    /// Errors never repeat what they were given.
    public init(pem text: String) throws(VAPIDKeyError) {
        guard let body = PrivateKeyPEM.body(of: text, labels: ["PRIVATE KEY", "EC PRIVATE KEY"]) else { throw .notPEM }
        // Of a key of another curve the library would take the number alone.
        guard body.firstRange(of: VAPIDKey.curve) != nil else { throw .otherKey }
        do {
            self.init(try P256.Signing.PrivateKey(derRepresentation: body))
        } catch {
            // The library's own error is left out: it may quote what it could not read.
            throw .damaged
        }
    }

    /// The object identifier of P-256 as DER has it (RFC 5480).
    private static let curve: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]

    /// The private key in PEM (PKCS#8): a secret for a file that nobody else can read.
    public var privateKeyPEM: String { key.pemRepresentation }

    /// Signs by ES256 (RFC 7518, 3.4): the two numbers, 64 bytes.
    func sign(_ bytes: [UInt8]) throws -> [UInt8] { Array(try key.signature(for: bytes).rawRepresentation) }

    /// Names the key by its public half.
    public var description: String { "VAPID key \(publicKeyText)" }
    /// The same as `description`.
    public var debugDescription: String { description }
}

extension VAPIDKey: Equatable {
    /// Two of the same public key are the same.
    public static func == (left: VAPIDKey, right: VAPIDKey) -> Bool { left.publicKeyText == right.publicKeyText }
}
