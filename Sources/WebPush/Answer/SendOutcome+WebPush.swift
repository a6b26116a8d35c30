import Carriers
import HTTP2Client

/// The table from a push service's answers to what follows.
///
/// Nothing proves our credentials as a whole: each service knows them by itself.
extension SendOutcome {
    /// The least pause when a service is unwell.
    static let unwellPause = Duration.seconds(1)
    /// The least pause for what only the operator can change.
    static let operatorPause = Duration.seconds(900)

    /// What follows from an answer that does not refuse our credentials.
    ///
    /// A refusal is ``vapidRefused(_:isOnProbation:pause:)``.
    init(_ answer: WebPushAnswer) {
        switch answer.status {
        case 200..<300: self.init(.delivered, label: "delivered", reason: "None")
        case 300..<400: self.init(.mistake, "request_mistake", .redirect, answer)
        case 404: self.init(.tokenGone(since: nil), "token_gone", .notFound, answer)
        case 408: self.init(unwell: answer, .requestTimeout)
        case 410: self.init(.tokenGone(since: nil), "token_gone", .gone, answer)
        case 413: self.init(.tooLarge, "payload_too_large", .tooLarge, answer)
        case 429: self.init(.deviceWaits(answer.retryAfter), "device_throttled", .tooManyRequests, answer)
        case 400..<500: self.init(.mistake, "request_mistake", .badRequest, answer)
        case 500..<600: self.init(unwell: answer, .serverError)
        default: self.init(unwell: answer, .unknown)
        }
    }

    /// Our key or our token was refused; for a device that nothing was ever delivered to, its own may be at fault.
    ///
    /// Anybody can subscribe with a key that is not ours. If the service has taken other pushes meanwhile, so that
    /// `pause` is nil, this subscription is at fault as well, but it was good once.
    static func vapidRefused(_ answer: WebPushAnswer, isOnProbation: Bool, pause: Duration?) -> SendOutcome {
        if isOnProbation { return SendOutcome(.tokenInvalid, "token_invalid", .vapidRefused, answer) }
        let effect = pause.map(Effect.notYet) ?? .retry(atLeast: operatorPause)
        return SendOutcome(effect, "vapid_refused", .vapidRefused, answer, isAnswer: false)
    }

    /// The connection was not made, or gave no answer.
    static func failed(_ failure: TransportFailure, isOnProbation: Bool) -> SendOutcome {
        guard failure == .addressRefused else { return .transport(failure, atLeast: unwellPause) }
        // Who names such an address at once has no push service there; later it may be a mistake in the DNS.
        return isOnProbation
            ? SendOutcome(.tokenInvalid, label: "token_invalid", reason: WebPushReason.addressRefused.rawValue)
            : .notSent(.retry(atLeast: operatorPause), .addressRefused)
    }

    /// It was not sent.
    static func notSent(_ effect: Effect, _ reason: WebPushReason) -> SendOutcome {
        SendOutcome(effect, label: "not_sent", reason: reason.rawValue, isAnswer: false)
    }

    /// The subscription can never be sent to.
    static func unusable(_ reason: WebPushReason) -> SendOutcome {
        SendOutcome(.tokenInvalid, label: "token_invalid", reason: reason.rawValue)
    }

    private init(unwell answer: WebPushAnswer, _ reason: WebPushReason) {
        self.init(
            .retry(notBefore: answer.retryAfter, atLeast: SendOutcome.unwellPause), "server_unavailable", reason,
            answer,
            isAnswer: false)
    }

    private init(
        _ effect: Effect, _ label: String, _ reason: WebPushReason, _ answer: WebPushAnswer, isAnswer: Bool = true
    ) {
        self.init(
            effect, label: label, reason: reason.rawValue, answer: "HTTP \(answer.status) \(reason.rawValue)",
            isAnswer: isAnswer)
    }
}
