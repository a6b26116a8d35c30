import Carriers
import Clocks
import Kaspa

/// Pauses what one carrier is sent while it refuses our credentials, there are none, or it has too much to do.
///
/// Single probes are still sent. A pure state machine: the caller asks how many notifications may be in flight, and
/// reports the answers.
struct SendingPause: Equatable {
    /// The pause after the sender returned a notification without an attempt, milliseconds.
    static let handBackPause: UInt64 = 1_000
    /// How much longer, at most, the pause of a busy carrier is than asked for.
    static let jitter = 0.25

    /// The reason of the pause; nil without one.
    private(set) var reason: CarrierPause?
    private var endsAt: UInt64 = 0
    /// The length of the current pause, milliseconds.
    private(set) var length: UInt64 = 0

    /// How many notifications may be in flight now, and when to ask again if none.
    func allowance(capacity: Int, now: UInt64) -> (inFlight: Int, askAgainAt: UInt64?) {
        if isHolding(now) { return (0, endsAt) }
        return (reason == nil ? capacity : 1, nil)
    }

    /// The reason, and when the next probe is sent; nil without a pause.
    func sentence(now: UInt64) -> String? {
        guard let reason else { return nil }
        let seconds = isHolding(now) ? (endsAt - now + 999) / 1_000 : 0
        return reason.sentence + (seconds > 0 ? "; next try in \(seconds) s" : "; trying now")
    }

    /// Whether the pause lasts.
    ///
    /// After a clock was set back, it must not last longer than its length.
    private func isHolding(_ now: UInt64) -> Bool { now < endsAt && endsAt - now <= length }

    /// Records an answer that proves our credentials.
    ///
    /// Returns whether it ended the pause.
    ///
    /// While the pause lasts, such an answer is to an earlier notification, and proves nothing.
    mutating func credentialsAccepted(now: UInt64) -> Bool {
        guard reason != nil, !isHolding(now) else { return false }
        self = SendingPause()
        return true
    }

    /// Begins a pause of at least `least` milliseconds, or lengthens it after a probe; `random` is in 0 ..< 1.
    ///
    /// Several answers of one moment begin one pause.
    mutating func begin(_ reason: CarrierPause, atLeast least: UInt64 = 0, now: UInt64, random: Double = 0) {
        let backoff = reason.kind.backoff
        let isStraggler = self.reason != nil && isHolding(now)
        if isStraggler, length >= max(backoff.first, least) { return }
        let next = self.reason == nil || isStraggler ? backoff.first : backoff.next(after: min(length, backoff.ceiling))
        length = max(next, least)
        // Many that were refused together must not come back together.
        if case .busy = reason.kind { length += UInt64(Double(length) * SendingPause.jitter * random) }
        self.reason = reason
        endsAt = now.later(by: length)
    }

    /// Allows a probe at once and resets the back-off, since the credentials have changed.
    mutating func probeNow() {
        endsAt = 0
        length = 0
    }

    /// Records that the sender returned a notification without an attempt.
    ///
    /// It is stopping, and trying at once would only spin.
    mutating func handedBack(now: UInt64) {
        guard reason == nil, !isHolding(now) else { return }
        length = SendingPause.handBackPause
        endsAt = now.later(by: length)
    }
}

extension CarrierPause.Kind {
    /// Milliseconds from one probe to the next.
    fileprivate var backoff: Backoff<UInt64> {
        switch self {
        case .refused: Backoff(first: 5_000, ceiling: 600_000)
        // Not longer: another probe costs nothing, and the refusal ends at some time.
        case .passing: Backoff(first: 60_000, ceiling: 120_000)
        case .busy(let least):
            Backoff(first: least.millisecondsRoundedUp, ceiling: max(least.millisecondsRoundedUp, 900_000))
        }
    }
}
