import APNs
import Clocks
import Policy
import Store

/// What follows from one attempt at a delivery: for the delivery, for its device, and for the sending as a whole
/// (push.md's table), in the words of the row, the log and the metric.
struct Disposition: Equatable {
    /// What becomes of the delivery.
    enum DeliveryDecision: Equatable {
        /// Apple has it.
        case delivered
        /// It is given up because of the answer; `isOurMistake` is logged as an error.
        case dead(isOurMistake: Bool)
        /// It is given up, as its time is over.
        case expired
        /// There is nothing to send any more.
        case suppressed(SuppressionReason)
        /// It is tried again after the back-off, and not before `notBefore` milliseconds from now.
        case retry(notBefore: UInt64)
        /// It is tried again at once, without its payload.
        case retryWithoutPayload
        /// Nothing happened to it: it is due as it was.
        case unchanged
    }

    /// What the answer says about the device.
    enum DeviceFinding: Equatable {
        case nothing, alive, aliveAt(APNsHost), invalidToken
        /// Apple looked at the token and took nothing, for now.
        case unaccepted
        case gone(at: UInt64)
    }

    /// What it says about the sending as a whole.
    enum SendingDecision: Equatable {
        case nothing
        /// Apple answers so only after it has accepted the provider token.
        case credentialsAccepted
        case pause(SendingPause.Reason)
        /// The sender did not try.
        case handedBack
    }

    let delivery: DeliveryDecision
    let device: DeviceFinding
    let sending: SendingDecision
    /// Whether Apple said something about the token: silence is neither for it nor against it, nor is a refusal of our
    /// credentials by a host that anybody can name for a device.
    let isAnswer: Bool
    /// Bounded: a name of push.md's table, or of a transport failure; for the metrics.
    let reason: String
    /// The same for the log, where an answer that the table does not name keeps its status and its name.
    let answer: String

    /// How often the host that is not the operator's own may refuse our credentials for one delivery: an hour or so.
    ///
    /// Anybody can name that host for a device, and what it refuses would wait for a day.
    static let refusalsElsewhere: UInt32 = 16
    /// Characters of the text that says why there is no provider token: a library's error in it may be of any length.
    private static let longestCause = 240

    /// Of a delivery that was not handed to the sender.
    init(unsent delivery: DeliveryDecision) {
        (self.delivery, device, sending, isAnswer, reason, answer) = (delivery, .nothing, .nothing, false, "", "")
    }

    /// Of a delivery that had been tried `attempts` times before, and went to the operator's own host or elsewhere.
    ///
    /// A Retry-After that is a date is counted from `present`, milliseconds since 1970.
    init(
        _ outcome: SendOutcome, omitsPayload: Bool, attempts: UInt32 = 0, isFromElsewhere: Bool = false,
        present: UInt64
    ) {
        // What a host says that anybody can name for a device proves nothing to the operator's own.
        (delivery, device, sending) = Disposition.row(
            outcome, omitsPayload: omitsPayload, attempts: attempts,
            accepted: isFromElsewhere ? .nothing : .credentialsAccepted
        ) { retryAfter in
            .retry(notBefore: retryAfter?.delay(now: present / 1000).millisecondsRoundedDown ?? 0)
        }
        isAnswer =
            switch outcome {
            case .transport, .notSent, .otherHostRefused: false
            default: true
            }
        reason = outcome.reasonLabel
        answer = outcome.answer
    }

    /// The table.
    ///
    /// Apple looks at device token, size and rate last, so answers about those prove the credentials (`accepted`); a
    /// request's other mistakes may be found before. Silence, and what ails Apple or our credentials, is no word about
    /// the token; that the other host refuses us is, as the device alone has named it.
    private static func row(
        _ outcome: SendOutcome, omitsPayload: Bool, attempts: UInt32, accepted: SendingDecision,
        retry: (RetryAfter?) -> DeliveryDecision
    ) -> (DeliveryDecision, DeviceFinding, SendingDecision) {
        switch outcome {
        case .delivered: (.delivered, .alive, accepted)
        case .deliveredByOtherHost(_, let host): (.delivered, .aliveAt(host), accepted)
        case .tokenInvalid: (.dead(isOurMistake: false), .invalidToken, accepted)
        case .tokenGone(_, let time): (.dead(isOurMistake: false), .gone(at: time), accepted)
        case .payloadTooLarge where omitsPayload: (.dead(isOurMistake: true), .nothing, accepted)
        case .payloadTooLarge: (.retryWithoutPayload, .nothing, accepted)
        case .deviceThrottled(let retryAfter): (retry(retryAfter), .unaccepted, accepted)
        case .requestMistake, .notSent(.invalidRequest): (.dead(isOurMistake: true), .nothing, .nothing)
        case .otherHostRefused where attempts >= refusalsElsewhere - 1:
            (.dead(isOurMistake: false), .unaccepted, .nothing)
        case .otherHostRefused: (retry(nil), .unaccepted, .nothing)
        case .connectionMismatch, .idleTimeout, .transport: (retry(nil), .nothing, .nothing)
        case .serverUnavailable(_, let retryAfter): (retry(retryAfter), .nothing, .nothing)
        case .configurationRefused: (retry(nil), .nothing, .pause(.refused(outcome.reasonLabel)))
        case .providerTokenExpired: (retry(nil), .nothing, .pause(.expired))
        case .providerTokenThrottled: (retry(nil), .nothing, .pause(.throttled))
        case .notSent(.noProviderToken(let cause)):
            (retry(nil), .nothing, .pause(.noProviderToken(String(cause.prefix(longestCause)))))
        case .notSent(.cancelled), .notSent(.shuttingDown), .notSent(.abandoned): (.unchanged, .nothing, .handedBack)
        case .unknown(let status, _, let retryAfter):
            switch SendOutcome.meaning(ofUnknownStatus: status) {
            case .requestMistake: (.dead(isOurMistake: true), .nothing, .nothing)
            case .configurationRefused: (retry(retryAfter), .nothing, .pause(.refused(outcome.answer)))
            case .retryLater: (retry(retryAfter), .nothing, .nothing)
            }
        }
    }
}

// MARK: - The words of the log and of the metric

extension Disposition {
    /// The state that the log has of the delivery; one that is tried again is queued.
    var state: DeliveryLogEntry.State {
        switch delivery {
        case .delivered: .delivered
        case .dead: .dead
        case .expired: .expired
        case .suppressed: .suppressed
        case .retry, .retryWithoutPayload, .unchanged: .queued
        }
    }

    /// What the log says about it.
    var logReason: String {
        switch delivery {
        case .delivered: "Success"
        case .dead, .retry, .retryWithoutPayload, .unchanged: answer
        // The last answer stays: it is why the time ran out.
        case .expired: ""
        case .suppressed(let reason): reason.rawValue
        }
    }

    /// Whether the sender tried.
    var wasSent: Bool {
        switch delivery {
        case .delivered, .dead, .retry, .retryWithoutPayload: true
        case .expired, .suppressed, .unchanged: false
        }
    }

    /// The labels of `kasia_push_deliveries_total`; nil where nothing happened.
    var metric: (outcome: PushCounters.Outcome, reason: String)? {
        switch delivery {
        case .delivered: (.delivered, "none")
        case .dead: (.dead, reason)
        case .expired: (.expired, "none")
        case .suppressed(let reason): (.suppressed, reason.rawValue)
        case .retry, .retryWithoutPayload: (.retried, reason)
        case .unchanged: nil
        }
    }
}

extension Disposition.DeviceFinding {
    /// Why a device goes that the answer removes.
    var removal: PushInstruments.RemovalReason? {
        switch self {
        case .invalidToken: .invalidToken
        case .unaccepted: .neverAccepted
        case .gone: .gone
        case .nothing, .alive, .aliveAt: nil
        }
    }
}
