import APNs
import Store

/// What one answer decides at once: the fates of delivery and device, the gate, the metric's label (push.md's table).
struct Disposition: Equatable {
    enum Verdict: Equatable {
        /// Apple has it.
        case delivered
        /// This delivery is given up; `isOurMistake` is logged as an error.
        case dead(isOurMistake: Bool)
        /// Tried again after the back-off, and not before `notBefore` milliseconds from now.
        case retry(notBefore: UInt64)
        /// Tried again at once, without its payload.
        case retryWithoutPayload
    }

    var verdict: Verdict
    var effect: DeviceAnswer
    var gate: SendGate.Closure?
    /// Whether Apple answers so only after it has accepted the provider token.
    var provesCredentials: Bool
    /// Bounded: a name of push.md's table, or of a transport failure.
    var reason: String
    /// The same for the logs, where an answer that the table does not name keeps its status and its name.
    var answer: String

    /// Characters of the text that says why there is no provider token: a library's error in it may be of any length.
    private static let longestCause = 240

    enum DeviceAnswer: Equatable {
        case none, alive, aliveAt(APNsHost), invalidToken
        /// Apple looked at the token and took nothing, for now.
        case unaccepted
        case gone(at: UInt64)
    }

    /// How often the host that is not the operator's own may refuse our credentials for one delivery: an hour or so.
    ///
    /// Anybody can name that host for a device, and what it refuses would wait for a day.
    static let refusalsElsewhere: UInt32 = 16

    /// `attempts` are those before this one; A Retry-After that is a date is counted
    /// from `present`, milliseconds since 1970.
    init(_ outcome: SendOutcome, omitsPayload: Bool, attempts: UInt32 = 0, present: UInt64) {
        verdict = Disposition.verdict(outcome, omitsPayload: omitsPayload, present: present)
        if case .otherHostRefused = outcome, attempts + 1 >= Disposition.refusalsElsewhere {
            verdict = .dead(isOurMistake: false)
        }
        effect = Disposition.effect(outcome)
        gate = Disposition.gate(outcome)
        provesCredentials = Disposition.provesCredentials(outcome)
        reason = outcome.reasonLabel
        answer = outcome.answer
    }

    private static func verdict(_ outcome: SendOutcome, omitsPayload: Bool, present: UInt64) -> Verdict {
        switch outcome {
        case .delivered, .deliveredByOtherHost: .delivered
        case .tokenInvalid, .tokenGone: .dead(isOurMistake: false)
        case .requestMistake, .notSent(.invalidRequest): .dead(isOurMistake: true)
        case .payloadTooLarge: omitsPayload ? .dead(isOurMistake: true) : .retryWithoutPayload
        case .deviceThrottled(let retryAfter), .serverUnavailable(_, let retryAfter):
            .retry(notBefore: milliseconds(retryAfter, present))
        case .unknown(let status, _, let retryAfter):
            SendOutcome.meaning(ofUnknownStatus: status) == .requestMistake
                ? .dead(isOurMistake: true) : .retry(notBefore: milliseconds(retryAfter, present))
        case .configurationRefused, .otherHostRefused, .providerTokenExpired, .providerTokenThrottled,
            .connectionMismatch, .idleTimeout, .transport, .notSent:
            .retry(notBefore: 0)
        }
    }

    private static func effect(_ outcome: SendOutcome) -> DeviceAnswer {
        switch outcome {
        case .delivered: .alive
        case .deliveredByOtherHost(_, let host): .aliveAt(host)
        case .tokenInvalid: .invalidToken
        case .tokenGone(_, let timestamp): .gone(at: timestamp)
        // The other host is named by the device alone. Silence, and what ails Apple or our credentials, is no word about
        // the token.
        case .deviceThrottled, .otherHostRefused: .unaccepted
        default: .none
        }
    }

    private static func gate(_ outcome: SendOutcome) -> SendGate.Closure? {
        switch outcome {
        case .configurationRefused: .refused(outcome.reasonLabel)
        case .notSent(.noProviderToken(let cause)): .noProviderToken(String(cause.prefix(longestCause)))
        case .providerTokenExpired: .expired
        case .providerTokenThrottled: .throttled
        case .unknown(let status, _, _) where SendOutcome.meaning(ofUnknownStatus: status) == .configurationRefused:
            .refused(outcome.answer)
        default: nil
        }
    }

    /// Apple looks at device token, size and rate last; a request's other mistakes may be found before its credentials.
    private static func provesCredentials(_ outcome: SendOutcome) -> Bool {
        switch outcome {
        case .delivered, .deliveredByOtherHost, .tokenInvalid, .tokenGone, .deviceThrottled, .payloadTooLarge: true
        default: false
        }
    }

    private static func milliseconds(_ retryAfter: RetryAfter?, _ present: UInt64) -> UInt64 {
        retryAfter?.delay(now: present / 1000).wholeMilliseconds ?? 0
    }
}
