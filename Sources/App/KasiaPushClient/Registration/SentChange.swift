import KasiaPushCore

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

    /// How long it may still arrive after another change was sent, milliseconds.
    ///
    /// The service's own clock says so, as far as both are signed: the device's may have been set meanwhile.
    func timeLeft(at other: SentChange) -> Int64 {
        guard let nonce, let now = other.nonce?.issuedAt else { return until - other.sentAt }
        return nonce.expiresAt + SentChange.slack - now
    }

    /// This change, if it may have arrived after another one that was done; nil if it has not.
    func ifLate(after done: SentChange) -> SentChange? {
        let left = timeLeft(at: done)
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
