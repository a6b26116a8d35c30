import Clocks

/// Whether pushes go to one origin: not after it has refused our credentials, but for one probe at a time.
///
/// Pure: whoever asks says what time it is, in milliseconds of a clock that never goes back.
struct OriginGate: Sendable, Equatable {
    /// Whether a push may go.
    enum Passage: Equatable {
        case open
        /// It may, as the one that finds out whether the credentials are accepted now.
        case probe
        /// It is asked again after so many milliseconds.
        case wait(UInt64)
    }

    /// The pauses after each refusal in turn.
    static let backoff = Backoff<UInt64>(first: 5_000, ceiling: 600_000)
    /// How long the others wait while a probe is on its way.
    static let probeWait: UInt64 = 1_000

    /// Refusals since the last acceptance that closed the gate or kept it closed.
    private(set) var refusals = 0
    private var opensAt: UInt64 = 0
    private var isProbing = false
    private var acceptedAt: UInt64?

    /// Whether pushes are held back.
    var isClosed: Bool { refusals > 0 }

    /// Asks for a push that would be sent now.
    mutating func ask(at now: UInt64) -> Passage {
        guard isClosed else { return .open }
        guard now >= opensAt else { return .wait(opensAt - now) }
        guard !isProbing else { return .wait(OriginGate.probeWait) }
        isProbing = true
        return .probe
    }

    /// A push was taken: the credentials are good here.
    ///
    /// Returns whether the gate was closed.
    mutating func accepted(at now: UInt64) -> Bool {
        defer { (refusals, isProbing, acceptedAt) = (0, false, now) }
        return isClosed
    }

    /// A push that was sent at `sentAt` was refused; returns for how many milliseconds the origin is held back.
    ///
    /// nil: it has taken another push since, so the refusal is about this one subscription. One subscriber must not be
    /// able to stop the pushes of all others.
    mutating func refused(sentAt: UInt64, isProbe: Bool, at now: UInt64) -> UInt64? {
        if isProbe { isProbing = false }
        if let acceptedAt, acceptedAt >= sentAt { return nil }
        // Those that were on their way together are one refusal.
        if !isClosed || isProbe {
            opensAt = now + OriginGate.backoff.pause(after: refusals)
            refusals += 1
        }
        return opensAt - min(now, opensAt)
    }

    /// A push ended in a way that says nothing about the credentials.
    mutating func ended(isProbe: Bool) { if isProbe { isProbing = false } }
}
