import FoundationEssentials
import Synchronization

/// Signs pushes with the operator's key, which may be replaced meanwhile.
///
/// The signature comes last: a push that would be too long with it goes without it, and nothing is left out for it.
public final class PushSigner: Sendable {
    /// The length of a signature's text: 64 bytes in base64.
    package static let signatureLength = 88
    /// The bytes that the member `sig` adds to a push in JSON.
    package static let memberBytes = #","sig":"""#.utf8.count + signatureLength

    private let key: Mutex<SigningKey>

    /// Signs with this key from now on.
    public init(_ key: SigningKey) { self.key = Mutex(key) }

    /// The public half of the key in use.
    public var publicKey: SigningPublicKey { key.withLock { $0 }.publicKey }

    /// Signs with another key from now on.
    public func replaceKey(_ key: SigningKey) { self.key.withLock { $0 = key } }

    /// The signature in base64; nil if the library makes none.
    package func signature(of statement: PushStatement) -> String? {
        let key = key.withLock { $0 }
        return (try? key.sign(statement.text)).map { Data($0).base64EncodedString() }
    }

    /// Adds the member `sig` to a push in JSON, unless it would be longer than `limit` bytes.
    ///
    /// So many objects end with the push: the innermost gets the member, after those that it has.
    package func sign(_ push: inout [UInt8], endingObjects: Int, limit: Int, _ statement: PushStatement) {
        guard push.count + PushSigner.memberBytes <= limit, let signature = signature(of: statement) else { return }
        push.insert(contentsOf: #","sig":"\#(signature)""#.utf8, at: push.count - endingObjects)
    }
}
