import Crypto
import Kaspa
import Store
import Synchronization

/// Stores the key of nonces and the used nonces: the registry, or a stand-in in tests.
protocol NonceStorage: Sendable {
    /// The key, 32 bytes; nil before the first challenge.
    func nonceKey() async throws(StoreError) -> [UInt8]?
    /// The key, which is made if there is none.
    func makeNonceKey() async throws(StoreError) -> [UInt8]
    /// Whether the nonce was used before.
    func wasUsed(_ nonce: NonceUse) async throws(StoreError) -> Bool
    /// Uses a nonce. Returns false if it was used before. Of two calls at once, one succeeds.
    func use(_ nonce: NonceUse) async throws(StoreError) -> Bool
}

/// Issues nonces, and recognises them without having stored them.
///
/// A nonce is 8 random bytes and the first 8 of a MAC over them and the expiry. Challenges cost no memory, so none is
/// ever evicted, and every process with the same key recognises them. Only used nonces are stored.
struct Nonces: Sendable {
    /// The lifetime of a nonce, milliseconds.
    static let lifetime: UInt64 = 60_000
    /// The number of random bytes at the beginning of a nonce.
    static let randomBytes = 8

    struct Challenge: Equatable {
        /// 32 hex digits.
        let nonce: String
        /// Milliseconds since 1970.
        let issuedAt: UInt64
        let expiresAt: UInt64
    }

    /// Why a nonce is refused.
    enum Refusal: Error { case unknown, used, expired }

    /// Makes the 8 bytes that need the key.
    typealias Seal = @Sendable (_ key: [UInt8], _ random: [UInt8], _ expiresAt: UInt64) -> [UInt8]

    private let storage: any NonceStorage
    /// Milliseconds since 1970.
    private let now: @Sendable () -> UInt64
    private let random: @Sendable () -> [UInt8]
    private let seal: Seal
    private let knownKey = KnownKey()

    /// `random` returns 8 unpredictable bytes.
    init(
        storage: any NonceStorage, now: @escaping @Sendable () -> UInt64,
        random: @escaping @Sendable () -> [UInt8] = { Nonces.systemRandom() }, seal: @escaping Seal = Nonces.mac
    ) {
        self.storage = storage
        self.now = now
        self.random = random
        self.seal = seal
    }

    /// Eight bytes from the system's generator.
    static func systemRandom() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<randomBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The first 8 bytes of HMAC-SHA256 over the random bytes and the expiry, big-endian.
    static let mac: Seal = { key, random, expiresAt in
        let expiry = withUnsafeBytes(of: expiresAt.bigEndian) { Array($0) }
        let code = HMAC<SHA256>.authenticationCode(for: random + expiry, using: SymmetricKey(data: key))
        return Array(code.prefix(NonceUse.byteCount - randomBytes))
    }

    /// A new challenge.
    ///
    /// The first one makes the key.
    func issue() async throws(StoreError) -> Challenge {
        let key: [UInt8]
        if let known = try await readKey() {
            key = known
        } else {
            key = try await storage.makeNonceKey()
            knownKey.set(key)
        }
        let issuedAt = now()
        let expiresAt = issuedAt &+ Nonces.lifetime
        let bytes = random()
        return Challenge(
            nonce: Hex.encode(bytes + seal(key, bytes, expiresAt)), issuedAt: issuedAt, expiresAt: expiresAt)
    }

    /// The use of a nonce that is ours for this expiry, and, as far as is known by now, the first.
    ///
    /// Whoever writes the use finds out whether another was first. Errors: `Refusal`; `StoreError`.
    func check(_ nonce: String, expiresAt: UInt64) async throws -> NonceUse {
        let time = now()
        guard let bytes = Hex.decode(nonce), bytes.count == NonceUse.byteCount, let key = try await readKey(),
            ConstantTime.equal(
                Array(bytes.dropFirst(Nonces.randomBytes)),
                seal(key, Array(bytes.prefix(Nonces.randomBytes)), expiresAt))
        else { throw Refusal.unknown }
        guard time <= expiresAt else { throw Refusal.expired }
        // Issued by a clock that was ahead. To accept it, used nonces would have to be stored for longer.
        guard expiresAt - time <= Nonces.lifetime else { throw Refusal.unknown }
        let use = NonceUse(nonce: bytes, expiresAt: expiresAt, usedAt: time)
        guard try await !storage.wasUsed(use) else { throw Refusal.used }
        return use
    }

    /// Uses a nonce for a request that changes nothing.
    ///
    /// Errors: `Refusal.used`; `StoreError`.
    func use(_ nonce: NonceUse) async throws {
        guard try await storage.use(nonce) else { throw Refusal.used }
    }

    private func readKey() async throws(StoreError) -> [UInt8]? {
        if let key = knownKey.value { return key }
        guard let key = try await storage.nonceKey() else { return nil }
        knownKey.set(key)
        return key
    }

    /// Caches the key after the first read.
    private final class KnownKey: Sendable {
        private let state = Mutex<[UInt8]?>(nil)
        var value: [UInt8]? { state.withLock { $0 } }
        func set(_ key: [UInt8]) { state.withLock { $0 = key } }
    }
}

extension Nonces.Refusal {
    /// For the client.
    var sentence: String {
        switch self {
        case .unknown:
            "auth.nonce is unknown or was used, or auth.expires_at_ms is not its challenge's: ask for a new challenge"
        case .used: "auth.nonce is unknown or was used: ask for a new challenge"
        case .expired: "auth.nonce has expired: ask for a new challenge"
        }
    }
}
