import Carriers
import HTTP2Client

/// The table from Google's answers to what follows.
///
/// Google looks at the credentials first. So an answer about the token, its rate or the size proves that they are good;
/// an error of the carrier, or of Google itself, says nothing about the token.
extension SendOutcome {
    /// The least pause when the project's quota is used up.
    static let quotaPause = Duration.seconds(60)
    /// The least pause when Google is unwell.
    static let unwellPause = Duration.seconds(10)

    /// What follows from an answer to a message of this project; of one that was cut short, if that is known.
    init(_ answer: FCMAnswer, isComplete: Bool = true, project: String) {
        if answer.status == 200 {
            self = .delivered
        } else if !isComplete, answer.isJudgedByBody {
            self = .transport(.reset)
        } else if let reason = answer.reason {
            self.init(reason, of: answer, project: project)
        } else {
            self.init(unknown: answer, project: project)
        }
    }

    private init(_ reason: FCMReason, of answer: FCMAnswer, project: String) {
        switch reason {
        case .invalidArgument where answer.namesToken, .senderIDMismatch:
            self.init(.tokenInvalid, "token_invalid", answer, proves: true)
        case .invalidArgument, .failedPrecondition, .thirdPartyAuthError:
            self.init(.mistake, "request_mistake", answer)
        // A project that is not there, for all that is known: nothing may be lost for that.
        case .notFound: self.init(unwell: answer)
        case .unauthenticated:
            self.init(.refused(.unauthenticated(project, answer)), "access_token_refused", answer, isAnswer: false)
        case .permissionDenied:
            self.init(.refused(.permissionDenied(project)), "configuration_refused", answer, isAnswer: false)
        case .unregistered: self.init(.tokenGone(since: nil), "token_gone", answer, proves: true)
        case .quotaExceeded, .resourceExhausted: self.init(throttled: answer)
        case .internal: self.init(unwell: answer)
        case .unavailable:
            let pause = CarrierPause(.busy(atLeast: SendOutcome.unwellPause), "Google is not available (UNAVAILABLE)")
            self.init(.carrierWaits(pause, answer.retryAfter), "server_unavailable", answer, isAnswer: false)
        }
    }

    private init(unknown answer: FCMAnswer, project: String) {
        switch answer.status {
        case 401:
            self.init(.refused(.unauthenticated(project, answer)), "access_token_refused", answer, isAnswer: false)
        case 403:
            self.init(.refused(.refusal(project, answer)), "configuration_refused", answer, isAnswer: false)
        case 413: self.init(.tooLarge, "payload_too_large", answer, proves: true)
        case 429: self.init(throttled: answer)
        case 404, 408, 500...: self.init(unwell: answer)
        case 400..<500: self.init(.mistake, "request_mistake", answer)
        default: self.init(unwell: answer)
        }
    }

    /// One device has too much, or the project.
    private init(throttled answer: FCMAnswer) {
        if answer.namesDevice {
            self.init(.deviceWaits(answer.retryAfter), "device_throttled", answer, proves: true)
        } else {
            let pause = CarrierPause(
                .busy(atLeast: SendOutcome.quotaPause),
                "the quota of messages for the project is used up (\(answer.text))")
            self.init(.carrierWaits(pause, answer.retryAfter), "carrier_throttled", answer, isAnswer: false)
        }
    }

    /// This message is tried again, and no other waits: one message that Google stumbles over must not stop all.
    private init(unwell answer: FCMAnswer) {
        self.init(
            .retry(notBefore: answer.retryAfter, atLeast: SendOutcome.unwellPause), "server_unavailable", answer,
            isAnswer: false)
    }

    private init(_ effect: Effect, _ label: String, _ answer: FCMAnswer, isAnswer: Bool = true, proves: Bool = false) {
        self.init(
            effect, label: label, reason: answer.reasonLabel, answer: answer.text, isAnswer: isAnswer,
            provesCredentials: proves)
    }
}

extension SendOutcome.Effect {
    fileprivate static func refused(_ sentence: CarrierPause) -> Self { .carrierWaits(sentence) }
}

extension CarrierPause {
    fileprivate static func unauthenticated(_ project: String, _ answer: FCMAnswer) -> CarrierPause {
        CarrierPause(.refused, "Google refuses the access token for project \(project) (\(answer.text))")
    }

    fileprivate static func permissionDenied(_ project: String) -> CarrierPause {
        CarrierPause(
            .refused,
            "Google refuses to send for project \(project) (PERMISSION_DENIED): the Firebase Cloud Messaging API is off, "
                + "or the service account lacks the role")
    }

    fileprivate static func refusal(_ project: String, _ answer: FCMAnswer) -> CarrierPause {
        CarrierPause(.refused, "Google refuses to send for project \(project) (\(answer.text))")
    }
}

extension FCMAnswer {
    /// Whether the body says whose mistake it was: without it nobody knows.
    fileprivate var isJudgedByBody: Bool {
        guard reason == nil, (400..<500).contains(status) else { return false }
        return ![401, 408, 413, 429].contains(status)
    }

    /// Whether another access token may help.
    var refusesAccessToken: Bool { status == 401 && reason != .thirdPartyAuthError }
}

extension SendOutcome {
    /// What follows when there is no access token.
    init(_ error: AccessTokenError) {
        switch error.kind {
        case .refused:
            self.init(
                .carrierWaits(CarrierPause(.refused, error.description)), label: "not_sent", reason: "no_access_token",
                answer: error.description, isAnswer: false)
        case .unavailable(let retryAfter):
            let pause = CarrierPause(.busy(atLeast: SendOutcome.unwellPause), error.description)
            self.init(
                .carrierWaits(pause, retryAfter), label: "not_sent", reason: "no_access_token",
                answer: error.description, isAnswer: false)
        case .stopped: self = .handedBack("shutting_down")
        }
    }

    /// The sending rate is used up for so long.
    static func rateLimited(_ pause: Duration) -> SendOutcome {
        SendOutcome(.notYet(after: pause), label: "rate_limited", reason: "RateLimited", isAnswer: false)
    }
}
