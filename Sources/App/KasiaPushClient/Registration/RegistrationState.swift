import KasiaPushCore

/// What `RegistrationManager` knows, for the app to store: it is saved before each step that the service may see.
///
/// It names tokens and addresses, so it belongs into the app's protected storage, and into no backup: restored on another
/// phone it would end the registration of this one. A later version of the library reads
/// what an earlier one wrote. Without it (nil) the manager begins anew, and sign-outs that were not done are forgotten.
/// All times are in milliseconds since 1970.
public struct RegistrationState: Hashable, Sendable, Codable {
    /// The tokens that are kept: the wanted one and those that still have to be unregistered.
    ///
    /// Of more than these the one that was tried last is forgotten. The service learns from Apple, Google or the push
    /// service that such a token is gone.
    public static let maximumTokens = 32

    /// What the app has wanted last; nil before it has said so.
    var wanted: WantedRegistration?
    var wantedAt: Int64 = 0
    /// Every token that the service may have registered for this installation, the next to be looked at first.
    var tokens: [KnownToken] = []
    /// The change that is on its way; in a state that was stored, one whose answer never came.
    var sending: SentChange?
    var pause = RetryPause()
    /// How often a registration has begun whose pushes are numbered from 1 again.
    var numbering: UInt64 = 0

    init() {}
}

/// What the service has of one token, or is to have.
enum TokenContent: Hashable, Sendable, Codable {
    case absent
    /// The fingerprint of a `DeviceRegistration`.
    case registered(String)
}

/// A change of one token that was sent.
struct SentChange: Hashable, Sendable, Codable {
    /// How long a request without an answer may still be acted upon, milliseconds: the 60 s of a nonce, and `slack`.
    static let lateTime: Int64 = 70_000
    /// How long a service may take to act upon a request after it has looked at its nonce, milliseconds.
    static let slack: Int64 = 10_000
    /// How often something is sent once more since the service's clock says that it was too early.
    static let maximumRepeats = 3

    var token: PushToken
    var content: TokenContent
    /// The wallet that it may bind the token to; nil for an unregister.
    var wallet: String?
    var sentAt: Int64
    /// Until when the service may still act upon it if no answer comes.
    var until: Int64
    /// The life of its nonce; nil if it is not signed.
    var nonce: NonceLife?
    /// How often that was sent once more which was acknowledged while this one could still arrive.
    var repeats = 0

    init(token: PushToken, content: TokenContent, wallet: String?, sentAt: Int64, nonce: NonceLife?) {
        self.token = token
        self.content = content
        self.wallet = wallet
        self.sentAt = sentAt
        self.nonce = nonce
        until = sentAt + SentChange.lateTime
    }

    /// This change, if it may still arrive after another one that was done; nil if it may not.
    ///
    /// The service's own clock says so, as far as both are signed: the device's may have been set meanwhile.
    func ifLate(after done: SentChange) -> SentChange? {
        guard let nonce, let other = done.nonce else { return until > done.sentAt ? self : nil }
        let left = nonce.expiresAt + SentChange.slack - other.issuedAt
        guard left > 0 else { return nil }
        guard until <= done.sentAt else { return self }
        guard repeats < SentChange.maximumRepeats else { return nil }
        var late = self
        late.until = done.sentAt + min(left, SentChange.lateTime)
        late.repeats += 1
        return late
    }
}

/// When a nonce begins and ends by the service's clock.
struct NonceLife: Hashable, Sendable, Codable {
    /// The longest that is believed, milliseconds.
    static let maximum: Int64 = 120_000

    let issuedAt: Int64
    let expiresAt: Int64

    init(issuedAt: Int64, expiresAt: Int64) {
        self.issuedAt = min(max(issuedAt, 0), 1 << 52)
        self.expiresAt = min(max(expiresAt, self.issuedAt), self.issuedAt + NonceLife.maximum)
    }
}

/// A token that the service may have registered, and what is known of that.
struct KnownToken: Hashable, Sendable, Codable {
    let token: PushToken
    /// Whether a change of it was ever sent.
    var wasTried = false
    /// What the service has acknowledged; nil while it is not known what it has, perhaps of a former installation.
    var acknowledged: TokenContent?
    /// The wallets that the service may have bound the token to, the likeliest last.
    var wallets: [String] = []
    /// Changes without an answer, which may still arrive.
    var unanswered: [SentChange] = []
    /// The last refusal; the token is left alone until its end.
    var refusal: Refusal?
    /// Whether the service has said that another wallet has the token.
    var mustRelease = false
    /// Whether the service would not free it.
    var releaseFailed = false
    /// How often the service has said so since the last registration.
    var releases = 0
    /// How often in a row a change was repeated at once.
    var immediateRetries = 0
    /// Whether the pushes of its next registration are numbered from 1.
    var startsAnew = true

    init(_ token: PushToken) {
        self.token = token
    }

    /// A refusal that waiting does not heal.
    struct Refusal: Hashable, Sendable, Codable {
        var problem: RegistrationProblem
        /// When the change is tried once more all the same.
        var until: Int64
    }
}
