import APNs
import Clocks
import Policy
import Store

/// What follows from one attempt at a delivery: for the delivery, for its device, and for sending as a whole.
///
/// It also has the reason for the row, the log and the metric.
struct Disposition: Equatable {
    /// What becomes of the delivery.
    enum DeliveryDecision: Equatable {
        /// Apple has it.
        case delivered
        /// It is given up because of the answer. `isOurMistake` is logged as an error.
        case dead(isOurMistake: Bool)
        /// It is given up because it has expired.
        case expired
        /// There is nothing to send.
        case suppressed(SuppressionReason)
        /// It is tried again after the back-off, and not before `notBefore` milliseconds from now.
        case retry(notBefore: UInt64)
        /// It is tried again at once, without its payload.
        case retryWithoutPayload
        /// It was not attempted and stays due.
        case unchanged
    }

    /// What the answer says about the device.
    enum DeviceFinding: Equatable {
        case nothing, alive, aliveAt(APNsHost), invalidToken
        /// Apple checked the token, and refused the notification for now.
        case unaccepted
        case gone(at: UInt64)
    }

    /// What the answer says about sending as a whole.
    enum SendingDecision: Equatable {
        case nothing
        /// Apple gives this answer only after it has accepted the provider token.
        case credentialsAccepted
        case pause(SendingPause.Reason)
        /// The client returned it without an attempt.
        case handedBack
    }

    let delivery: DeliveryDecision
    let device: DeviceFinding
    let sending: SendingDecision
    /// Whether Apple said something about the token.
    ///
    /// Silence says nothing, nor does a refusal of our credentials by a host that anybody can name for a device.
    let isAnswer: Bool
    /// The reason as a metric's label: one of Apple's known reasons or a transport failure, so from a fixed set.
    let reason: String
    /// The same for the log, where an unknown answer keeps its status and its name.
    let answer: String

    /// How often a host other than the operator's may refuse our credentials for one delivery: for about an hour.
    ///
    /// Anybody can name that host for a device, and without this limit the delivery would wait for a day.
    static let refusalsElsewhere: UInt32 = 16
    /// The longest text about a missing provider token, in characters, since a library's error can have any length.
    private static let longestCause = 240

    /// For a delivery that was not sent.
    init(unsent delivery: DeliveryDecision) {
        (self.delivery, device, sending, isAnswer, reason, answer) = (delivery, .nothing, .nothing, false, "", "")
    }

    /// For a delivery with `attempts` earlier attempts, which went to the operator's own host or elsewhere.
    ///
    /// A Retry-After with a date is relative to `present`, milliseconds since 1970.
    init(
        _ outcome: SendOutcome, omitsPayload: Bool, attempts: UInt32 = 0, isFromElsewhere: Bool = false,
        present: UInt64
    ) {
        // Anybody can name that host for a device, so its answers say nothing about the operator's own.
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
        answer = outcome.answerText
    }

    /// The table of answers.
    ///
    /// Apple checks device token, size and rate last, so answers about those prove that the credentials are good
    /// (`accepted`). Other mistakes of a request may be found earlier. Silence, Apple's own errors and refused
    /// credentials say nothing about the token. A refusal by the other host does, since only the device has named that
    /// host.
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
            case .configurationRefused: (retry(retryAfter), .nothing, .pause(.refused(outcome.answerText)))
            case .retryLater: (retry(retryAfter), .nothing, .nothing)
            }
        }
    }
}

// MARK: - The words of the log and of the metric

extension Disposition {
    /// The delivery's state in the log.
    ///
    /// One that is tried again is queued.
    var state: DeliveryLogEntry.State {
        switch delivery {
        case .delivered: .delivered
        case .dead: .dead
        case .expired: .expired
        case .suppressed: .suppressed
        case .retry, .retryWithoutPayload, .unchanged: .queued
        }
    }

    /// The reason in the log.
    var logReason: String {
        switch delivery {
        case .delivered: "Success"
        case .dead, .retry, .retryWithoutPayload, .unchanged: answer
        // The last answer stays in the log: it is why the delivery expired.
        case .expired: ""
        case .suppressed(let reason): reason.rawValue
        }
    }

    /// Whether the notification was sent.
    var wasSent: Bool {
        switch delivery {
        case .delivered, .dead, .retry, .retryWithoutPayload: true
        case .expired, .suppressed, .unchanged: false
        }
    }

    /// The labels of `kasia_push_deliveries_total`; nil if there was no attempt.
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
    /// The reason for removing the device, if the answer does.
    var removal: PushInstruments.RemovalReason? {
        switch self {
        case .invalidToken: .invalidToken
        case .unaccepted: .neverAccepted
        case .gone: .gone
        case .nothing, .alive, .aliveAt: nil
        }
    }
}
