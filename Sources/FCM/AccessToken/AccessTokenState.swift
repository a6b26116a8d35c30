/// Which access token there is, and when the next one is asked for.
///
/// Times are milliseconds of the clock that cannot jump. Whoever is told to ask tells how that ended.
struct AccessTokenState: Sendable {
    /// How long before its end a token is renewed; of one that lives for less than twice as long, in the middle.
    static let early = Duration.seconds(300)
    /// The least between two requests of which the first failed, or gave a token that was refused at once.
    static let pause = Duration.seconds(10)
    /// The longest wait that Google can ask for.
    static let longestPause = Duration.seconds(600)

    /// What to do for one who needs a token.
    enum Step: Equatable {
        case use(AccessToken)
        /// None is to be had for the moment.
        case fail(AccessTokenError)
        /// Ask Google: nobody else does.
        case ask
        /// Somebody asks already.
        case wait
    }

    private struct Held {
        var token: AccessToken
        var askedAt: UInt64
        var renewAt: UInt64
        var expiresAt: UInt64
    }

    private var held: Held?
    private var isAsking = false
    /// Whether somebody was told to renew, and has not begun yet.
    private var isRenewalDue = false
    /// No request before this, after one that failed so.
    private var failure: (error: AccessTokenError, until: UInt64)?

    /// The token, unless it has ended.
    func token(now: UInt64) -> AccessToken? {
        guard let held, now < held.expiresAt else { return nil }
        return held.token
    }

    /// How long the token is still good for.
    func remaining(now: UInt64) -> Duration? {
        guard let held, now < held.expiresAt else { return nil }
        return .milliseconds(Int64(clamping: held.expiresAt - now))
    }

    /// What to do for one who needs a token at once.
    mutating func next(now: UInt64) -> Step {
        if let token = token(now: now) { return .use(token) }
        if isAsking { return .wait }
        if let failure, now < failure.until { return .fail(failure.error) }
        isAsking = true
        return .ask
    }

    /// Whether the caller is to renew a token that is used meanwhile, by ``renews()``.
    mutating func shouldRenew(now: UInt64) -> Bool {
        guard let held, now >= held.renewAt, now < held.expiresAt, !isAsking, !isRenewalDue else { return false }
        if let failure, now < failure.until { return false }
        isRenewalDue = true
        return true
    }

    /// Whether one who was told to renew asks; not if somebody does already.
    mutating func renews() -> Bool {
        guard isRenewalDue else { return false }
        isRenewalDue = false
        guard !isAsking else { return false }
        isAsking = true
        return true
    }

    /// Google refused a token; false: it is the current one, and so young that another would be refused too.
    mutating func refuse(_ token: AccessToken, now: UInt64) -> Bool {
        guard let held, held.token == token else { return true }
        guard now - min(held.askedAt, now) >= AccessTokenState.pause.wholeMilliseconds else { return false }
        self.held = nil
        return true
    }

    /// A request that was made at `askedAt` brought a token.
    mutating func obtained(_ answer: AccessTokenAnswer, askedAt: UInt64) {
        let lifetime = answer.lifetime
        held = Held(
            token: answer.token, askedAt: askedAt,
            renewAt: askedAt + (lifetime - min(AccessTokenState.early, lifetime / 2)).wholeMilliseconds,
            expiresAt: askedAt + lifetime.wholeMilliseconds)
        failure = nil
        isAsking = false
    }

    /// A request brought none; Google may have asked to wait for so long.
    mutating func failed(_ error: AccessTokenError, wait: Duration, now: UInt64) {
        let pause = min(max(wait, AccessTokenState.pause), AccessTokenState.longestPause)
        failure = (error, now + pause.wholeMilliseconds)
        isAsking = false
    }
}

extension Duration {
    /// Whole milliseconds of a duration that is not negative.
    fileprivate var wholeMilliseconds: UInt64 {
        UInt64(components.seconds) * 1_000 + UInt64(components.attoseconds / 1_000_000_000_000_000)
    }
}
