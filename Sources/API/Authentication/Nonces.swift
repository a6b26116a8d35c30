import Crypto
import Kaspa
import Store
import Synchronization

/// Where the key of nonces and the used ones are kept: the registry, or a stand-in.
protocol NonceStorage: Sendable {
    /// The key, 32 bytes; nil before the first challenge.
    func nonceKey() async throws(StoreError) -> [UInt8]?
    /// The same, made if there is none.
    func makeNonceKey() async throws(StoreError) -> [UInt8]
    /// Whether the nonce was used before.
    func wasUsed(_ nonce: NonceUse) async throws(StoreError) -> Bool
    /// Uses a nonce; false when it was used before: of two at once, one succeeds.
    func use(_ nonce: NonceUse) async throws(StoreError) -> Bool
}

/// Gives out nonces, and knows its own again without having kept them (registration-auth.md, "Challenge").
///
/// A nonce is 8 random bytes and the first 8 of a MAC over them and the expiry. Challenges cost no memory, so nobody's are
/// pushed out, and every process with the same key knows them. Only used ones are remembered.
struct Nonces: Sendable {
    /// A nonce lives so long, milliseconds.
    static let lifetime: UInt64 = 60_000
    /// Random bytes at the beginning of a nonce.
    static let randomBytes = 8

    struct Challenge: Equatable {
        /// 32 hex digits.
        let nonce: String
        /// Milliseconds since 1970.
        let issuedAt: UInt64
        let expiresAt: UInt64
    }

    /// Why a nonce is no good.
    enum Refusal: Error { case unknown, used, expired }

    /// The 8 bytes that only the holder of the key can make.
    typealias Seal = @Sendable (_ key: [UInt8], _ random: [UInt8], _ expiresAt: UInt64) -> [UInt8]

    private let storage: any NonceStorage
    /// Milliseconds since 1970.
    private let now: @Sendable () -> UInt64
    private let random: @Sendable () -> [UInt8]
    private let seal: Seal
    private let knownKey = KnownKey()

    /// `random` gives 8 bytes nobody can guess.
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

    /// A new challenge; the first ever makes the key.
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
        // Of a clock that was ahead and has been set right: used ones would have to be remembered for longer.
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

    /// The key, once it was read.
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
