import Clocks
import Kaspa

/// Pauses all sending while Apple refuses our credentials or provider token, or there is no token.
///
/// Single probes are still sent. A pure state machine: the caller asks how many notifications may be in flight, and
/// reports the answers.
struct SendingPause: Equatable {
    enum Reason: Equatable {
        /// Apple refuses credentials or topic, with this reason.
        case refused(String)
        /// No provider token could be made or stored, for the reason in the text. Nothing was sent.
        case noProviderToken(String)
        /// Apple calls the provider token expired, and a new one too, or it is too early for a new one.
        case expired
        /// Apple says that the provider token changes too often.
        case throttled

        /// What is the matter, for the operator.
        var sentence: String {
            switch self {
            case .refused(let reason): "Apple refuses the credentials or the topic: \(reason)"
            case .noProviderToken(let text): "no provider token can be made: \(text)"
            case .expired: "Apple calls the provider token expired: this machine's clock may be wrong"
            case .throttled: "Apple throttles the provider token"
            }
        }

        /// Milliseconds from one probe to the next.
        fileprivate var backoff: Backoff<UInt64> {
            switch self {
            case .refused, .noProviderToken: Backoff(first: 5_000, ceiling: 600_000)
            // Not longer: another probe with the same token costs nothing, and Apple ends the refusal at some time.
            case .expired, .throttled: Backoff(first: 60_000, ceiling: 120_000)
            }
        }
    }

    /// The pause after the sender returned a notification without an attempt, milliseconds.
    static let handBackPause: UInt64 = 1_000

    /// The reason of the pause; nil without one.
    private(set) var reason: Reason?
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

    /// Begins a pause, or lengthens it after a probe.
    ///
    /// Several answers of one moment begin one pause.
    mutating func begin(_ reason: Reason, now: UInt64) {
        let backoff = reason.backoff
        let isStraggler = self.reason != nil && isHolding(now)
        if isStraggler, length >= backoff.first { return }
        length = self.reason == nil || isStraggler ? backoff.first : backoff.next(after: length)
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

extension Dispatcher {
    /// Why deliveries wait, in a sentence; nil while all is well.
    ///
    /// It names the reason of a pause and the time of the next probe, or the store's error.
    public var sendingTrouble: String? {
        if let sentence = pause.sentence(now: clock.now()) { return "Sending is paused: \(sentence)." }
        return trouble.map { "The store holds deliveries up: \($0)." }
    }
}
