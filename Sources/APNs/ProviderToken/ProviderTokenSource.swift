public import Clocks
import JWTKit
import Synchronization

/// The one provider token of a team and key, for all connections.
///
/// A token is used for 45 minutes, then replaced. None is minted within 20 minutes of the one before: Apple answers
/// `TooManyProviderTokenUpdates` then. A token is used only after it was stored, so that rule survives a restart. Where
/// several processes share the storage, the one that was faster has minted for all.
///
/// **Clocks.** A token's age is the age it had when it was loaded, by the wall clock, plus the time that passed since,
/// by the clock that cannot jump. So a wall clock that jumps while the process runs changes nothing, and a process that
/// was stopped for hours renews at once. A stored token that is older than the renewal age, or was issued more than a
/// minute in the future (one of the two clocks was wrong; Apple would refuse it), is replaced at the start.
///
/// A token that Apple refuses, and whose age by the wall clock is another than by the clock that cannot jump, was made
/// before the wall clock was set. It is replaced at once, whatever its age: it would be refused until it is renewed.
/// The new one bears the time of the new clock, so there is one for each jump.
public actor ProviderTokenSource {
    /// The answer to a request for a new token after Apple called one expired.
    public enum Renewal: Sendable, Equatable {
        /// A token other than the rejected one.
        case renewed(ProviderToken)
        /// The rejected token is current and too young to be replaced; ask again after this long.
        case tooEarly(retryAfter: Duration)
    }

    /// Apple's limit: a token is replaced at most once in this time.
    public static let minimumAge = Duration.seconds(20 * 60)
    /// The age at which a token is replaced unless another is chosen.
    public static let defaultRenewalAge = Duration.seconds(45 * 60)
    /// How far in the future a stored token's `iat` may lie and still count as issued now.
    static let toleratedSkewSeconds: UInt64 = 60
    /// How far the two clocks may part before the wall clock counts as set anew: more than it drifts, less than Apple
    /// minds.
    static let toleratedJump = Duration.seconds(60)

    private let teamID: String
    private let keyID: String
    private let key: ProviderKey
    private let storage: any ProviderTokenStorage
    private let renewalAge: Duration
    private let time: MachineClock

    /// Changed on the actor only.
    private let kept = Mutex<Held?>(nil)
    private var hasLoaded = false
    /// What the storage held when it was last asked.
    private var stored: StoredProviderToken?
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// A token and when it would have been issued by the clock that cannot jump.
    private struct Held: Sendable {
        var token: ProviderToken
        var bornAt: Duration
    }

    /// Creates a source; nothing is loaded or minted before the first ``current()``.
    ///
    /// - Parameters:
    ///   - teamID: The team it mints for, 1 to 64 letters and digits.
    ///   - keyID: The key it signs with, 1 to 64 letters and digits.
    ///   - privateKeyPEM: The text of the `.p8` file; `\n` may stand for a line break.
    ///   - storage: Where the token survives a restart.
    ///   - renewalAge: 40 to 50 minutes in the service; brought into the 20 to 55 minutes that Apple allows.
    ///   - time: The clocks.
    /// - Throws: The operator's mistake: a bad identifier or key.
    public init(
        teamID: String, keyID: String, privateKeyPEM: String, storage: any ProviderTokenStorage,
        renewalAge: Duration = ProviderTokenSource.defaultRenewalAge, time: MachineClock = .system
    ) throws(ProviderTokenError) {
        for (name, value) in [("team id", teamID), ("key id", keyID)]
        where !(1...64).contains(value.utf8.count) || !value.utf8.allSatisfy(\.isASCIILetterOrDigit) {
            throw ProviderTokenError(
                code: .invalidIdentifier, description: "the APNs \(name) must be letters and digits, as Apple shows it")
        }
        self.teamID = teamID
        self.keyID = keyID
        self.key = try ProviderKey(pem: privateKeyPEM)
        self.storage = storage
        self.renewalAge = min(max(renewalAge, Self.minimumAge), .seconds(55 * 60))
        self.time = time
    }

    /// The token to send with; loads or mints it first where needed, once for all who ask meanwhile.
    public func current() async throws(ProviderTokenError) -> ProviderToken {
        if let token = tokenAtHand { return token }
        await begin()
        defer { end() }
        if !hasLoaded { try await load() }
        if let token = tokenAtHand { return token }
        return try await mint()
    }

    /// The token to send with, if it needs neither be loaded nor minted.
    nonisolated var tokenAtHand: ProviderToken? {
        guard let held = kept.withLock({ $0 }), age(of: held) < renewalAge else { return nil }
        return held.token
    }

    private var held: Held? { kept.withLock { $0 } }

    /// A token other than `rejected`, which Apple called expired.
    ///
    /// It is minted only if `rejected` is current, and old enough or made before the wall clock was set.
    public func renew(after rejected: String) async throws(ProviderTokenError) -> Renewal {
        await begin()
        defer { end() }
        try await loadOther(than: rejected)
        if let held {
            guard held.token.jwt == rejected else { return .renewed(held.token) }
            let remaining = Self.minimumAge - age(of: held)
            guard remaining <= .zero || clockWasSet(after: held) else { return .tooEarly(retryAfter: remaining) }
        }
        return .renewed(try await mint())
    }

    /// A token other than `rejected`, which Apple called invalid; nil if there is none to be had.
    ///
    /// It is minted only if `rejected` is current and was made before the wall clock was set: Apple calls a token from
    /// the future invalid. Otherwise the key or its names are wrong, and another token of the same would be too.
    public func replaceIfClockWasSet(after rejected: String) async throws(ProviderTokenError) -> ProviderToken? {
        await begin()
        defer { end() }
        try await loadOther(than: rejected)
        if let held {
            guard held.token.jwt == rejected else { return held.token }
            guard clockWasSet(after: held) else { return nil }
        }
        return try await mint()
    }

    private var unixSeconds: UInt64 { time.wall() / 1_000 }

    private nonisolated var uptime: Duration { .milliseconds(Int64(clamping: time.uptime())) }

    private nonisolated func age(of held: Held) -> Duration { uptime - held.bornAt }

    /// Whether the wall clock has jumped since it was read for this token.
    private func clockWasSet(after held: Held) -> Bool {
        let seconds = Int64(clamping: unixSeconds) - Int64(clamping: held.token.issuedAt)
        let byWallClock = Duration.seconds(seconds)
        let byUptime = age(of: held)
        return max(byWallClock, byUptime) - min(byWallClock, byUptime) > Self.toleratedJump
    }

    private func load() async throws(ProviderTokenError) {
        do {
            stored = try await storage.load()
        } catch {
            throw ProviderTokenError(code: .storage, description: "the kept provider token cannot be read: \(error)")
        }
        hasLoaded = true
        if let stored { take(stored) }
    }

    /// Loads where nothing was loaded, or the one that is held was rejected: another process may have replaced it.
    private func loadOther(than rejected: String) async throws(ProviderTokenError) {
        guard !hasLoaded || held?.token.jwt == rejected else { return }
        let before = held
        try await load()
        // The same keeps its age, whatever the wall clock says by now.
        if let before, held?.token == before.token { kept.withLock { $0 = before } }
    }

    /// Holds a stored token, if it is of this team and key and not from the future.
    private func take(_ stored: StoredProviderToken) {
        guard stored.teamID == teamID, stored.keyID == keyID, stored.keyFingerprint == key.fingerprint else { return }
        let now = unixSeconds
        guard stored.issuedAt <= now || stored.issuedAt - now <= Self.toleratedSkewSeconds else { return }
        let age = Duration.seconds(Int64(clamping: now - min(stored.issuedAt, now)))
        let token = ProviderToken(jwt: stored.jwt, issuedAt: stored.issuedAt)
        kept.withLock { $0 = Held(token: token, bornAt: uptime - age) }
    }

    /// Mints a token, or takes the one that another process has minted meanwhile.
    private func mint() async throws(ProviderTokenError) -> ProviderToken {
        // Another one's may be of another key, or old, and is replaced then.
        for _ in 0..<Self.attempts {
            let before = held
            let (token, isOwn) = try await mintOnce()
            if isOwn { return token }
            if let held, held.token != before?.token, age(of: held) < renewalAge { return held.token }
        }
        throw ProviderTokenError(
            code: .storage, description: "other processes replace the kept provider token all the time")
    }

    private static let attempts = 3

    /// The token that was minted and kept; or false: what is kept is another one, which is held if it can be used.
    private func mintOnce() async throws(ProviderTokenError) -> (ProviderToken, isOwn: Bool) {
        let issuedAt = unixSeconds
        let bornAt = uptime
        let token: ProviderToken
        do {
            let jwt = try await JWTKeyCollection()
                .add(ecdsa: key.signingKey, kid: JWKIdentifier(string: keyID))
                .sign(Claims(iss: teamID, iat: issuedAt), kid: JWKIdentifier(string: keyID))
            token = ProviderToken(jwt: jwt, issuedAt: issuedAt)
        } catch {
            throw ProviderTokenError(code: .signing, description: "the provider token cannot be signed: \(error)")
        }
        let new = StoredProviderToken(
            jwt: token.jwt, issuedAt: issuedAt, teamID: teamID, keyID: keyID, keyFingerprint: key.fingerprint)
        let present: StoredProviderToken
        do {
            present = try await storage.save(new, replacing: stored)
        } catch {
            throw ProviderTokenError(code: .storage, description: "the provider token cannot be kept: \(error)")
        }
        stored = present
        guard present == new else {
            take(present)
            return (token, false)
        }
        kept.withLock { $0 = Held(token: token, bornAt: bornAt) }
        return (token, true)
    }

    /// Waits until no other task loads or mints; an actor alone does not exclude what happens across its awaits.
    private func begin() async {
        while isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
    }

    private func end() {
        isBusy = false
        let resumed = waiting
        waiting = []
        for continuation in resumed { continuation.resume() }
    }
}

/// The claims Apple asks for: the team, and the time as a number.
private struct Claims: JWTPayload {
    var iss: String
    var iat: UInt64

    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
