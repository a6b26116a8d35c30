import Clocks
import HTTP2Client
import Synchronization

/// The one access token of a service account, for all requests; it is kept in memory alone.
///
/// A token is renewed five minutes before its end, once for all who ask meanwhile, and used until then. If the renewal
/// fails, it is tried again after at least ten seconds.
///
/// **Clocks.** A token's end is reckoned from the moment before it was asked for, by the clock that cannot jump. The
/// wall clock stands in the JWT alone.
actor AccessTokenSource {
    /// Sends a request to the account's token endpoint and returns how it ended.
    typealias Exchange = @Sendable (HTTPRequest) async -> OriginSender.Ending

    nonisolated let account: ServiceAccount
    private nonisolated let clock: MachineClock
    private let exchange: Exchange

    private nonisolated let state = Mutex(AccessTokenState())
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Nothing is asked for before the first ``current()``.
    init(_ account: ServiceAccount, clock: MachineClock, exchange: @escaping Exchange) {
        self.account = account
        self.clock = clock
        self.exchange = exchange
    }

    /// The token to send with, if there is one.
    nonisolated var tokenAtHand: AccessToken? { state.withLock { $0.token(now: clock.uptime()) } }

    /// How long the token at hand is still good for.
    nonisolated var remaining: Duration? { state.withLock { $0.remaining(now: clock.uptime()) } }

    /// Whether the caller has to call ``renew()``, since the token at hand ends soon and nobody renews it.
    nonisolated func shouldRenew() -> Bool { state.withLock { $0.shouldRenew(now: clock.uptime()) } }

    /// The token to send with; asks for one where needed, once for all who wait meanwhile.
    func current() async throws(AccessTokenError) -> AccessToken {
        while true {
            switch state.withLock({ $0.next(now: clock.uptime()) }) {
            case .use(let token): return token
            case .fail(let error): throw error
            case .ask: _ = await ask()
            case .wait: await withCheckedContinuation { waiting.append($0) }
            }
        }
    }

    /// Asks for the next token while the one at hand is used; does nothing unless ``shouldRenew()`` said so.
    ///
    /// Returns why there is none.
    func renew() async -> AccessTokenError? {
        state.withLock { $0.renews() } ? await ask() : nil
    }

    /// A token other than `rejected`, which Google refused; nil: it is so young that another would be refused too.
    func replacement(for rejected: AccessToken) async throws(AccessTokenError) -> AccessToken? {
        guard state.withLock({ $0.refuse(rejected, now: clock.uptime()) }) else { return nil }
        return try await current()
    }

    /// Asks Google once; returns why there is no token, and lets those who wait look again.
    private func ask() async -> AccessTokenError? {
        defer {
            let resumed = waiting
            waiting = []
            for continuation in resumed { continuation.resume() }
        }
        let askedAt = clock.uptime()
        do {
            let request = try await AccessTokenRequest(account, unixSeconds: clock.wall() / 1_000)
            let answer = try AccessTokenAnswer(await exchange(request.http))
            state.withLock { $0.obtained(answer, askedAt: askedAt) }
            return nil
        } catch {
            var wait = Duration.zero
            if case .unavailable(let retryAfter?) = error.kind { wait = retryAfter.delay(now: clock.wall() / 1_000) }
            state.withLock { $0.failed(error, wait: wait, now: clock.uptime()) }
            return error
        }
    }
}
