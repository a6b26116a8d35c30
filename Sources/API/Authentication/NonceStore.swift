import Crypto
import Kaspa
import Synchronization

/// The challenges given out and not used yet; in memory only, so after a restart clients ask again.
final class NonceStore: Sendable {
    static let nonceBytes = 16
    /// A nonce lives so long, milliseconds.
    static let lifetime: UInt64 = 60_000
    /// So many may be outstanding; when there are more, the oldest go first.
    ///
    /// Some 50 MB. A client address gets 600 in a minute (`RegistrationAllowance`), so that it takes 800 of them to push
    /// out the nonce of anybody else.
    static let capacity = 500_000

    struct Challenge: Equatable {
        /// 32 hex digits.
        let nonce: String
        /// Milliseconds since 1970.
        let issuedAt: UInt64
        let expiresAt: UInt64
    }

    /// Why a nonce is no good.
    enum Refusal: Error { case unknown, expired, otherExpiry }

    /// Nonces are kept by their hash: how long a look-up takes tells nothing about them.
    fileprivate typealias Key = Hash

    fileprivate struct State {
        var expiries: [Key: UInt64] = [:]
        /// In the order of issue, used ones among them until they are swept out.
        var order: [Key] = []
        /// Where the oldest stands; what is before it is gone.
        var first = 0
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let now: @Sendable () -> UInt64
    private let random: @Sendable () -> [UInt8]

    /// `random` gives 16 bytes nobody can guess.
    init(
        capacity: Int = NonceStore.capacity, now: @escaping @Sendable () -> UInt64,
        random: @escaping @Sendable () -> [UInt8] = { NonceStore.systemRandom() }
    ) {
        self.capacity = capacity
        self.now = now
        self.random = random
    }

    /// Sixteen bytes from the system's generator.
    static func systemRandom() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<nonceBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    func issue() -> Challenge {
        let nonce = random()
        let issuedAt = now()
        let challenge = Challenge(
            nonce: Hex.encode(nonce), issuedAt: issuedAt, expiresAt: issuedAt &+ NonceStore.lifetime)
        let key = NonceStore.key(nonce)
        state.withLock { state in
            while let oldest = state.oldest, state.expiries.count >= capacity || state.isDone(oldest, at: issuedAt) {
                state.expiries[oldest] = nil
                state.first += 1
            }
            state.expiries[key] = challenge.expiresAt
            state.order.append(key)
            state.sweep()
        }
        return challenge
    }

    /// Uses a nonce up, if it is outstanding and expires when the client says: of two at once, one succeeds.
    func take(_ nonce: String, expiresAt: UInt64) throws(Refusal) {
        guard let bytes = Hex.decode(nonce) else { throw .unknown }
        let key = NonceStore.key(bytes)
        let time = now()
        let refusal: Refusal? = state.withLock { state in
            guard let expiry = state.expiries[key] else { return .unknown }
            guard time <= expiry else { return .expired }
            guard expiry == expiresAt else { return .otherExpiry }
            state.expiries[key] = nil
            return nil
        }
        if let refusal { throw refusal }
    }

    /// How many are outstanding, and how much is remembered for them: for tests of the bounds.
    var counts: (outstanding: Int, remembered: Int) { state.withLock { ($0.expiries.count, $0.order.count) } }

    private static func key(_ nonce: [UInt8]) -> Key {
        Hash(bytes: Array(SHA256.hash(data: nonce))) ?? .zero
    }
}

extension NonceStore.State {
    fileprivate var oldest: Hash? { first < order.count ? order[first] : nil }

    /// Whether a nonce was used or has expired.
    fileprivate func isDone(_ key: Hash, at time: UInt64) -> Bool {
        expiries[key].map { $0 < time } ?? true
    }

    /// Keeps the list within twice what is outstanding, at a constant cost for each nonce.
    fileprivate mutating func sweep() {
        guard order.count > 1024, order.count > expiries.count * 2 else { return }
        order = order[first...].filter { expiries[$0] != nil }
        first = 0
    }
}
