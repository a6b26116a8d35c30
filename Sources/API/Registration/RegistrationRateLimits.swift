import Crypto
import Hummingbird
import Kaspa

/// The limits of registration calls a minute (operator guide, "Limits").
///
/// A call with a valid signature counts against its wallet, and against its token within that wallet: many phones may
/// share one address, and no wallet can use up the allowance of another's token. Every other call counts against the
/// client's address. A new device counts against the client's address even with a signature, and against a total, since
/// wallets cost nothing to make. Changes of known devices do not count against these two.
struct RegistrationRateLimits: Sendable {
    /// Attempts that an address may make, in multiples of its allowance.
    ///
    /// Each signed call begins with a challenge, and its signature must be verified before it counts against the
    /// wallet.
    static let attemptsPerChange = 10
    static let perWallet = 60
    static let perToken = 20
    /// New devices that an address may register, in multiples of its allowance: many phones of a mobile network share
    /// an address.
    static let newDevicesPerChange = 2
    /// New devices a minute from all addresses together: 20 a second.
    static let newDevices = 1_200

    private let attempts: RateLimiter
    private let unproven: RateLimiter
    private let newcomers: RateLimiter
    private let allNewcomers: TokenBuckets?
    private let wallets: TokenBuckets?
    private let tokens: TokenBuckets?
    private let now: @Sendable () -> ContinuousClock.Instant

    /// If `configuration.rateLimitPerMinute` is 0, there are no limits.
    init(_ configuration: APIConfiguration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        let perMinute = configuration.rateLimitPerMinute
        attempts = RegistrationRateLimits.attempts(configuration, now: now)
        unproven = RateLimiter(perMinute: perMinute, trustedProxies: configuration.trustedProxies, now: now)
        newcomers = RateLimiter(
            perMinute: perMinute * RegistrationRateLimits.newDevicesPerChange,
            trustedProxies: configuration.trustedProxies, now: now)
        allNewcomers = perMinute > 0 ? TokenBuckets(perMinute: RegistrationRateLimits.newDevices) : nil
        wallets = perMinute > 0 ? TokenBuckets(perMinute: RegistrationRateLimits.perWallet) : nil
        tokens = perMinute > 0 ? TokenBuckets(perMinute: RegistrationRateLimits.perToken) : nil
        self.now = now
    }

    /// A limiter of an address's attempts.
    ///
    /// Challenges have one of their own.
    static func attempts(
        _ configuration: APIConfiguration, now: @escaping @Sendable () -> ContinuousClock.Instant
    ) -> RateLimiter {
        RateLimiter(
            perMinute: configuration.rateLimitPerMinute * attemptsPerChange,
            trustedProxies: configuration.trustedProxies, now: now)
    }

    /// Counts a call before anything of it is checked.
    ///
    /// Errors: 429.
    func admitAttempt(_ request: Request, _ context: APIRequestContext) throws {
        try attempts.admit(request, context)
    }

    /// Counts a call that is unsigned, malformed, or has no valid signature.
    ///
    /// Errors: 429.
    func admitUnproven(_ request: Request, _ context: APIRequestContext) throws {
        try unproven.admit(request, context)
    }

    /// Counts a new device.
    ///
    /// Errors: 429 for the client's address, 503 for all addresses together.
    func admitNewDevice(_ request: Request, _ context: APIRequestContext) throws {
        try newcomers.admit(request, context, what: "new devices from this address")
        guard let seconds = takeNewDevice() else { return }
        throw APIError(
            status: .serviceUnavailable, message: "too many new devices at the moment: try again in \(seconds) s",
            headers: [.retryAfter: "\(seconds)"])
    }

    /// Takes one from the total of all addresses.
    ///
    /// Returns nil if there was one, else the seconds until the next.
    func takeNewDevice() -> Int? { allNewcomers?.take([], now: now())?.wholeSecondsUp }

    /// Counts a call with valid signatures.
    ///
    /// `token` is nil for calls about all of a wallet's devices.
    ///
    /// Errors: 429.
    func admit(_ signer: [UInt8], token: [UInt8]?) throws {
        if let wait = wallets?.take(signer, now: now()) { throw APIError.tooMany("changes by this wallet", wait: wait) }
        // Hashed, since a token may have 4,096 bytes and many buckets are kept.
        guard let token, let wait = tokens?.take(signer + SHA256.hash(data: token), now: now()) else { return }
        throw APIError.tooMany("changes of this device", wait: wait)
    }
}
