import Store

/// An attempt whose fate is decided and not yet written.
struct FinishedAttempt {
    enum Result: Equatable {
        case delivered
        case dead(reason: String)
        case retried(reason: String)
        case expired
        case suppressed(SuppressionReason)

        /// The state it leaves the outbox in.
        var ending: DeliveryLogEntry.State {
            switch self {
            case .delivered: .delivered
            case .dead: .dead
            case .retried: .queued
            case .expired: .expired
            case .suppressed: .suppressed
            }
        }

        /// What the log says about it where there is no answer that says more.
        var reason: String {
            switch self {
            case .delivered: "Success"
            case .dead(let reason), .retried(let reason): reason
            // The last answer stays: it is why the time ran out.
            case .expired: ""
            case .suppressed(let reason): reason.rawValue
            }
        }

        /// Whether it was handed to the sender.
        var wasSent: Bool {
            switch self {
            case .delivered, .dead, .retried: true
            case .expired, .suppressed: false
            }
        }
    }

    let settlement: Settlement
    let result: Result
    /// Set when this answer can remove the device.
    let removal: PushInstruments.RemovalReason?

    /// `answer` is what the log says in place of the result's reason, which the metrics keep.
    init(
        _ key: ScheduleKey, _ delivery: Delivery, _ result: Result, answer: String? = nil,
        fate: Settlement.Fate = .done, effect: Settlement.DeviceEffect = .none,
        removal: PushInstruments.RemovalReason? = nil
    ) {
        settlement = Settlement(
            key: key, transactionID: delivery.transactionID, fate: fate, effect: effect, ending: result.ending,
            reason: answer ?? result.reason, wasSent: result.wasSent)
        self.result = result
        self.removal = removal
    }
}
