import Carriers
import Clocks
import HTTP2Client
import Policy
import Store

/// What follows from one attempt at a delivery: for the delivery, for its device, and for sending as a whole.
///
/// It also has the reason for the row, the log and the metric.
struct Disposition: Equatable {
    /// What becomes of the delivery.
    enum DeliveryDecision: Equatable {
        /// The carrier has it.
        case delivered
        /// It is given up because of the answer. `isOurMistake` is logged as an error.
        case dead(isOurMistake: Bool)
        /// It is given up because it has expired.
        case expired
        /// There is nothing to send.
        case suppressed(SuppressionReason)
        /// It is tried again after the back-off, and not before `notBefore` milliseconds from now.
        case retry(notBefore: UInt64)
        /// It was not sent, and is taken again after so many milliseconds.
        case postponed(UInt64)
        /// It is tried again at once, without its payload.
        case retryWithoutPayload
        /// It was not attempted and stays due.
        case unchanged
    }

    /// What the answer says about the device.
    enum DeviceFinding: Equatable {
        case nothing, alive, aliveAt(DeviceRecord.Environment), invalidToken
        /// A host that proves nothing refused the notification for now: the token may be made up.
        case unaccepted
        case gone(at: UInt64)
    }

    /// What the answer says about sending as a whole.
    enum SendingDecision: Equatable {
        case nothing
        /// The carrier gives this answer only after it has accepted our credentials.
        case credentialsAccepted
        /// The carrier takes nothing for now, and at least for so many milliseconds.
        case pause(CarrierPause, atLeast: UInt64)
        /// The carrier returned it without an attempt.
        case handedBack
    }

    let delivery: DeliveryDecision
    let device: DeviceFinding
    let sending: SendingDecision
    /// Whether the carrier said something about the token.
    ///
    /// Silence says nothing, nor does a refusal of our credentials by a host that anybody can name for a device.
    let isAnswer: Bool
    /// The reason as a metric's label: one of the carrier's known reasons or a transport failure, so from a fixed set.
    let reason: String
    /// The same for the log, where an unknown answer keeps its status and its name.
    let answer: String

    /// How often a host other than the operator's may refuse our credentials for one delivery: for about an hour.
    ///
    /// Anybody can name that host for a device, and without this limit the delivery would wait for a day.
    static let refusalsElsewhere: UInt32 = 16

    /// For a delivery that was not sent.
    init(unsent delivery: DeliveryDecision) {
        (self.delivery, device, sending, isAnswer, reason, answer) = (delivery, .nothing, .nothing, false, "", "")
    }

    /// For a delivery with `attempts` earlier attempts, which went to the operator's own host or elsewhere.
    ///
    /// Times are milliseconds since 1970: a token that is gone since an unknown time was still good at `sentAt`, and a
    /// Retry-After with a date is relative to `present`.
    init(
        _ outcome: SendOutcome, omitsPayload: Bool, attempts: UInt32 = 0, isFromElsewhere: Bool = false,
        sentAt: UInt64, present: UInt64
    ) {
        // Anybody can name that host for a device, so its answers say nothing about the operator's own.
        let accepted: SendingDecision =
            outcome.provesCredentials && !isFromElsewhere ? .credentialsAccepted : .nothing
        func milliseconds(_ retryAfter: RetryAfter?) -> UInt64 {
            retryAfter?.delay(now: present / 1000).millisecondsRoundedDown ?? 0
        }
        (delivery, device, sending) =
            switch outcome.effect {
            case .delivered: (.delivered, .alive, accepted)
            case .deliveredAt(let environment): (.delivered, .aliveAt(environment), accepted)
            case .tokenInvalid: (.dead(isOurMistake: false), .invalidToken, accepted)
            case .tokenGone(let time): (.dead(isOurMistake: false), .gone(at: time ?? sentAt), accepted)
            case .tooLarge where omitsPayload: (.dead(isOurMistake: true), .nothing, accepted)
            case .tooLarge: (.retryWithoutPayload, .nothing, accepted)
            // Apple and Google say it of a good token; a browser's service, which anybody can name, may say it of any.
            case .deviceWaits(let retryAfter):
                (
                    .retry(notBefore: milliseconds(retryAfter)),
                    outcome.provesCredentials ? .nothing : .unaccepted, accepted
                )
            case .mistake: (.dead(isOurMistake: true), .nothing, accepted)
            case .refusedElsewhere where attempts >= Disposition.refusalsElsewhere - 1:
                (.dead(isOurMistake: false), .unaccepted, .nothing)
            case .refusedElsewhere: (.retry(notBefore: 0), .unaccepted, .nothing)
            case .retry(let retryAfter, let least):
                (
                    .retry(notBefore: max(milliseconds(retryAfter), least.millisecondsRoundedDown)), .nothing,
                    .nothing
                )
            case .carrierWaits(let pause, let retryAfter):
                (.retry(notBefore: 0), .nothing, .pause(pause, atLeast: milliseconds(retryAfter)))
            case .notYet(let pause): (.postponed(pause.millisecondsRoundedUp), .nothing, .nothing)
            case .handedBack: (.unchanged, .nothing, .handedBack)
            }
        isAnswer = outcome.isAnswer
        reason = outcome.reason
        answer = outcome.answer
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
        case .retry, .retryWithoutPayload, .postponed, .unchanged: .queued
        }
    }

    /// The reason in the log.
    var logReason: String {
        switch delivery {
        case .delivered: "Success"
        case .dead, .retry, .retryWithoutPayload, .postponed, .unchanged: answer
        // The last answer stays in the log: it is why the delivery expired.
        case .expired: ""
        case .suppressed(let reason): reason.rawValue
        }
    }

    /// Whether the notification was sent.
    var wasSent: Bool {
        switch delivery {
        case .delivered, .dead, .retry, .retryWithoutPayload: true
        case .expired, .suppressed, .postponed, .unchanged: false
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
        case .postponed, .unchanged: nil
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
