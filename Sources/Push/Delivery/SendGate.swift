import Kaspa

/// Stops all sending while Apple refuses our credentials or our provider token, or there is none; lets single probes out.
///
/// A pure state machine: the caller asks how many more may be in flight, and tells what was answered.
struct SendGate: Equatable {
    enum Closure: Equatable {
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
    }

    /// Milliseconds; both double up to their ceiling.
    static let refusedPause: UInt64 = 5_000
    static let refusedCeiling: UInt64 = 600_000
    static let throttledPause: UInt64 = 60_000
    /// Not longer: to ask again with the same token costs nothing, and Apple forgets sooner or later.
    static let throttledCeiling: UInt64 = 120_000
    /// How long nothing is taken after the sender handed a notification back, milliseconds.
    static let handBackPause: UInt64 = 1_000

    /// nil while everything flows.
    private(set) var closure: Closure?
    private var opensAt: UInt64 = 0
    private(set) var pause: UInt64 = 0

    /// How many may be in flight now, and when to ask again if that is none.
    func allowance(capacity: Int, now: UInt64) -> (inFlight: Int, askAgainAt: UInt64?) {
        if isHolding(now) { return (0, opensAt) }
        return (closure == nil ? capacity : 1, nil)
    }

    /// What is the matter, and when Apple is asked again; nil while everything flows.
    func sentence(now: UInt64) -> String? {
        guard let closure else { return nil }
        let seconds = isHolding(now) ? (opensAt - now + 999) / 1_000 : 0
        return closure.sentence + (seconds > 0 ? "; next try in \(seconds) s" : "; trying now")
    }

    /// A clock that was set back must not hold the gate longer than the pause itself.
    private func isHolding(_ now: UInt64) -> Bool { now < opensAt && opensAt - now <= pause }

    /// Apple gave an answer that only good credentials get; returns whether that opened the gate.
    ///
    /// While the gate holds, an answer belongs to what was sent before it closed, and proves nothing.
    mutating func credentialsAccepted(now: UInt64) -> Bool {
        guard closure != nil, !isHolding(now) else { return false }
        self = SendGate()
        return true
    }

    /// Answers that were in flight together close the gate once: only a probe's answer lengthens the pause.
    mutating func close(_ reason: Closure, now: UInt64) {
        let (first, ceiling) =
            switch reason {
            case .refused, .noProviderToken: (SendGate.refusedPause, SendGate.refusedCeiling)
            case .expired, .throttled: (SendGate.throttledPause, SendGate.throttledCeiling)
            }
        let isStraggler = closure != nil && isHolding(now)
        if isStraggler, pause >= first { return }
        pause = closure == nil || isStraggler ? first : min(ceiling, max(first, pause * 2))
        closure = reason
        opensAt = now.later(by: pause)
    }

    /// The credentials are others now: the next probe need not wait, nor the one after it as long as the old ones had to.
    mutating func probeNow() {
        opensAt = 0
        pause = 0
    }

    /// The sender did not try: it is stopping, and asking again at once would only spin.
    mutating func handedBack(now: UInt64) {
        guard closure == nil, !isHolding(now) else { return }
        pause = SendGate.handBackPause
        opensAt = now.later(by: pause)
    }
}
