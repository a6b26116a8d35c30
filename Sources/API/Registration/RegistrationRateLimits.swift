import Hummingbird
import Kaspa

/// How many calls about registrations are taken in a minute (apps-in-the-field.md, R14).
///
/// A call whose signature holds counts against its wallet, and against its token within that wallet: many phones may be
/// behind one address, and no wallet can use up the allowance of another's token. Everything else counts against the
/// client's address. A device that is not registered yet counts against its client's address whatever its signature, and
/// against a total: wallets cost nothing to make. Changes of known devices need no part of that.
struct RegistrationRateLimits: Sendable {
    /// So many times the allowance of an address may be tried from there: each signed call begins with a challenge, and
    /// whether its signature holds is known only when it was verified.
    static let attemptsPerChange = 10
    static let perWallet = 60
    static let perToken = 20
    /// So many times the allowance of an address may be new devices: many phones of a mobile network share an address.
    static let newDevicesPerChange = 2
    /// New devices a minute from everybody together: 20 a second.
    static let newDevices = 1_200

    private let attempts: RateLimiter
    private let unproven: RateLimiter
    private let newcomers: RateLimiter
    private let allNewcomers: TokenBuckets?
    private let wallets: TokenBuckets?
    private let tokens: TokenBuckets?
    private let now: @Sendable () -> ContinuousClock.Instant

    /// `configuration.rateLimitPerMinute` 0 is no limit, of any kind.
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

    /// What an address may try; challenges have one of their own.
    static func attempts(
        _ configuration: APIConfiguration, now: @escaping @Sendable () -> ContinuousClock.Instant
    ) -> RateLimiter {
        RateLimiter(
            perMinute: configuration.rateLimitPerMinute * attemptsPerChange,
            trustedProxies: configuration.trustedProxies, now: now)
    }

    /// Before anything of a call is looked at.
    ///
    /// Errors: 429.
    func admitAttempt(_ request: Request, _ context: APIRequestContext) throws {
        try attempts.admit(request, context)
    }

    /// For a call that is unsigned, malformed, or not signed by whom it says.
    ///
    /// Errors: 429.
    func admitUnproven(_ request: Request, _ context: APIRequestContext) throws {
        try unproven.admit(request, context)
    }

    /// For a device that is not registered yet.
    ///
    /// Errors: 429 for the client's address, 503 for all together.
    func admitNewDevice(_ request: Request, _ context: APIRequestContext) throws {
        try newcomers.admit(request, context, what: "new devices from this address")
        guard let seconds = takeNewDevice() else { return }
        throw APIError(
            status: .serviceUnavailable, message: "too many new devices at the moment: try again in \(seconds) s",
            headers: [.retryAfter: "\(seconds)"])
    }

    /// Takes one from what all together have; nil if there was one, else how many seconds until the next.
    func takeNewDevice() -> Int? { allNewcomers?.take([], now: now())?.wholeSecondsUp }

    /// For a call whose signatures hold; `token` is nil for calls about all of a wallet's devices.
    ///
    /// Errors: 429.
    func admit(_ signer: [UInt8], token: [UInt8]?) throws {
        if let wait = wallets?.take(signer, now: now()) { throw APIError.tooMany("changes by this wallet", wait: wait) }
        guard let token, let wait = tokens?.take(signer + token, now: now()) else { return }
        throw APIError.tooMany("changes of this device", wait: wait)
    }
}
