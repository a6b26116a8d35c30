import Carriers
import Clocks
import Kaspa
import Store

/// A delivery after an attempt: what follows is decided, but not settled in the store yet.
struct FinishedAttempt {
    /// The pause before the next attempt, milliseconds.
    static let backoff = Backoff<UInt64>(first: 1_000, ceiling: 900_000)

    /// What to write.
    let settlement: Settlement
    /// Why.
    let disposition: Disposition

    /// By default, the last attempt, with no effect on the device.
    init(
        _ key: ScheduleKey, _ delivery: Delivery, _ disposition: Disposition, next: Settlement.Next = .done,
        effect: Settlement.DeviceEffect = .none
    ) {
        settlement = Settlement(
            key: key, transactionID: delivery.transactionID, next: next, effect: effect, ending: disposition.state,
            reason: disposition.logReason, wasSent: disposition.wasSent)
        self.disposition = disposition
    }
}

extension Disposition {
    /// Whether and when the delivery is tried again after an attempt that ended at `now`.
    ///
    /// `random` is in 0 ..< 1.
    func next(for delivery: Delivery, now: UInt64, random: () -> Double) -> Settlement.Next {
        switch self.delivery {
        case .delivered, .dead, .expired, .suppressed: return .done
        case .unchanged, .retryWithoutPayload:
            return .retry(at: now, omitsPayload: self.delivery == .retryWithoutPayload)
        case .postponed(let pause):
            return .retry(at: min(now.later(by: pause), delivery.expiresAt), omitsPayload: false)
        case .retry(let notBefore):
            // The delivery is due at once: the pause decides when sending continues.
            if case .pause = sending { return .retry(at: min(now, delivery.expiresAt), omitsPayload: false) }
            let backoff = FinishedAttempt.backoff.jittered(after: Int(delivery.attempts), random: random())
            let pause = min(max(backoff, notBefore), ScheduleCursor.longestDelay)
            return .retry(at: min(now.later(by: pause), delivery.expiresAt), omitsPayload: false)
        }
    }
}

extension Disposition.DeviceFinding {
    /// The effect on the device's rows.
    ///
    /// It is removed at `strikes` invalid tokens in a row, if `mayRemove` is true.
    func effect(strikes: Int, mayRemove: @autoclosure () -> Bool) -> Settlement.DeviceEffect {
        switch self {
        case .nothing: .none
        case .alive: .alive
        case .aliveAt(let environment): .aliveAt(environment)
        case .invalidToken: .strike(limit: strikes, mayRemove: mayRemove())
        case .unaccepted: .unaccepted
        case .gone(let time): .gone(at: time)
        }
    }

    /// The answer as `InvalidTokenGuard` records it.
    var guardAnswer: InvalidTokenGuard.Answer {
        switch self {
        case .alive, .aliveAt: .success
        case .invalidToken: .invalidToken
        case .nothing, .unaccepted, .gone: .other
        }
    }
}
