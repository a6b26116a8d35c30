import Crypto
import Synchronization

/// The subscriptions that the sandbox has made, with the private keys to read what is sent to them.
final class Subscriptions: Sendable {
    /// One subscription as its browser knows it.
    struct Known: Sendable {
        let key: P256.KeyAgreement.PrivateKey
        let auth: [UInt8]
        /// The only application server that may send, by its public key; nil for any.
        let applicationServerKey: [UInt8]?
        var isEnded = false
    }

    /// The most subscriptions that the control endpoint makes.
    static let capacity = 100_000
    /// The characters of an id.
    private static let idLength = 1...256

    private let known = Mutex<[String: Known]>([:])

    var count: Int { known.withLock { $0.count } }

    subscript(id: String) -> Known? { known.withLock { $0[id] } }

    static func isID(_ id: String) -> Bool {
        idLength.contains(id.utf8.count) && Base64URL.isText(id)
    }

    /// Makes a subscription, in place of one with the same id.
    func make(id: String?, origin: String, applicationServerKey: [UInt8]?) -> SandboxSubscription {
        let id = id ?? Base64URL.encode(Self.randomBytes(16))
        let known = Known(
            key: P256.KeyAgreement.PrivateKey(), auth: Self.randomBytes(16),
            applicationServerKey: applicationServerKey)
        self.known.withLock { $0[id] = known }
        return SandboxSubscription(
            id: id, endpoint: origin + CarrierRoutes.pushPrefix + id,
            p256dh: Base64URL.encode(known.key.publicKey.x963Representation), auth: Base64URL.encode(known.auth))
    }

    /// Ends a subscription, as its browser does; false if there is none.
    func end(_ id: String) -> Bool {
        known.withLock { known in
            guard known[id] != nil else { return false }
            known[id]?.isEnded = true
            return true
        }
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0 ... .max) }
    }
}
