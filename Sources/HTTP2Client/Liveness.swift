/// Whether the server at the other end still lives: after a while without a byte from it, it is asked by PING.
struct Liveness {
    /// What to do now.
    enum Check: Equatable {
        case nothing
        case ping
        /// The PING had no answer.
        case dead
    }

    private let settings: HTTP2Settings
    private var lastByteAt: ContinuousClock.Instant
    private var askedAt: ContinuousClock.Instant?

    /// `now` is the moment at which the connection was established.
    init(_ settings: HTTP2Settings, at now: ContinuousClock.Instant) {
        self.settings = settings
        lastByteAt = now
    }

    /// Bytes of the server came, whatever they say.
    mutating func received(at now: ContinuousClock.Instant) {
        lastByteAt = now
        askedAt = nil
    }

    /// What to do at `now`; `isWaiting`: requests wait for an answer.
    mutating func check(at now: ContinuousClock.Instant, isWaiting: Bool) -> Check {
        guard now >= nextCheck(isWaiting: isWaiting) else { return .nothing }
        if askedAt != nil { return .dead }
        askedAt = now
        return .ping
    }

    /// When there is something to do, if nothing comes until then.
    func nextCheck(isWaiting: Bool) -> ContinuousClock.Instant {
        if let askedAt { return askedAt + settings.pingTimeout }
        return lastByteAt + (isWaiting ? settings.pingWhenWaiting : settings.pingWhenIdle)
    }
}
