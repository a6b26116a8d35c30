import Clocks
import Kaspa

/// Whether all sending is paused because Apple refuses our credentials or our provider token, or there is none; single
/// probes go out.
///
/// A pure state machine: the caller asks how many more may be in flight, and tells what was answered.
struct SendingPause: Equatable {
    enum Reason: Equatable {
        /// Credentials or topic are wrong; the reason is Apple's.
        case refused(String)
        /// Nothing was asked of Apple: the token could not be made or kept, and the text says why.
        case noProviderToken(String)
        /// Apple called the provider token expired, and its successor too, or it is too young for one.
        case expired
        /// Apple saw our provider token change too often.
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
            // Not longer: to ask again with the same token costs nothing, and Apple forgets sooner or later.
            case .expired, .throttled: Backoff(first: 60_000, ceiling: 120_000)
            }
        }
    }

    /// How long nothing is taken after the sender handed a notification back, milliseconds.
    static let handBackPause: UInt64 = 1_000

    /// nil while everything flows.
    private(set) var reason: Reason?
    private var endsAt: UInt64 = 0
    /// How long the present pause is, milliseconds.
    private(set) var length: UInt64 = 0

    /// How many may be in flight now, and when to ask again if that is none.
    func allowance(capacity: Int, now: UInt64) -> (inFlight: Int, askAgainAt: UInt64?) {
        if isHolding(now) { return (0, endsAt) }
        return (reason == nil ? capacity : 1, nil)
    }

    /// What is the matter, and when Apple is asked again; nil while everything flows.
    func sentence(now: UInt64) -> String? {
        guard let reason else { return nil }
        let seconds = isHolding(now) ? (endsAt - now + 999) / 1_000 : 0
        return reason.sentence + (seconds > 0 ? "; next try in \(seconds) s" : "; trying now")
    }

    /// A clock that was set back must not hold longer than the pause itself.
    private func isHolding(_ now: UInt64) -> Bool { now < endsAt && endsAt - now <= length }

    /// Apple gave an answer that only good credentials get; returns whether that ended the pause.
    ///
    /// While it holds, an answer belongs to what was sent before it began, and proves nothing.
    mutating func credentialsAccepted(now: UInt64) -> Bool {
        guard reason != nil, !isHolding(now) else { return false }
        self = SendingPause()
        return true
    }

    /// Answers that were in flight together begin one pause: only a probe's answer lengthens it.
    mutating func begin(_ reason: Reason, now: UInt64) {
        let backoff = reason.backoff
        let isStraggler = self.reason != nil && isHolding(now)
        if isStraggler, length >= backoff.first { return }
        length = self.reason == nil || isStraggler ? backoff.first : backoff.next(after: length)
        self.reason = reason
        endsAt = now.later(by: length)
    }

    /// The credentials are others now: the next probe need not wait, nor the one after it as long as the old ones had
    /// to.
    mutating func probeNow() {
        endsAt = 0
        length = 0
    }

    /// The sender did not try: it is stopping, and asking again at once would only spin.
    mutating func handedBack(now: UInt64) {
        guard reason == nil, !isHolding(now) else { return }
        length = SendingPause.handBackPause
        endsAt = now.later(by: length)
    }
}
