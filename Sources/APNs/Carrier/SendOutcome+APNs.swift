public import Carriers
import Store

/// The table from Apple's answers to what follows.
extension SendOutcome {
    /// The longest text about a missing provider token, in characters, since a library's error can have any length.
    private static let longestCause = 240

    /// What follows from Apple's answer.
    ///
    /// Apple checks device token, size and rate last, so answers about those prove that the credentials are good.
    /// Other mistakes of a request may be found earlier. Silence, Apple's own errors and refused credentials say
    /// nothing about the token. A refusal by the other host does, since only the device has named that host.
    public init(_ outcome: APNsOutcome) {
        self.init(
            SendOutcome.effect(of: outcome), label: outcome.label, reason: outcome.reasonLabel,
            answer: outcome.answerText, isAnswer: outcome.isAnswer, provesCredentials: outcome.provesCredentials)
    }

    private static func effect(of outcome: APNsOutcome) -> Effect {
        switch outcome {
        case .delivered: .delivered
        case .deliveredByOtherHost(_, let host): .deliveredAt(DeviceRecord.Environment(host))
        case .tokenInvalid: .tokenInvalid
        case .tokenGone(_, let time): .tokenGone(since: time)
        case .payloadTooLarge: .tooLarge
        case .deviceThrottled(let retryAfter): .deviceWaits(retryAfter)
        case .requestMistake, .notSent(.invalidRequest): .mistake
        case .otherHostRefused: .refusedElsewhere
        case .connectionMismatch, .idleTimeout, .transport: .retry()
        case .serverUnavailable(_, let retryAfter): .retry(notBefore: retryAfter)
        case .configurationRefused: refused(outcome.reasonLabel)
        case .providerTokenExpired:
            .carrierWaits(
                CarrierPause(
                    .passing, "Apple calls the provider token expired: this machine's clock may be wrong"))
        case .providerTokenThrottled:
            .carrierWaits(CarrierPause(.passing, "Apple throttles the provider token"))
        case .notSent(.noProviderToken(let cause)):
            .carrierWaits(
                CarrierPause(.refused, "no provider token can be made: \(cause.prefix(longestCause))"))
        case .notSent(.cancelled), .notSent(.shuttingDown), .notSent(.abandoned): .handedBack
        case .unknown(let status, _, let retryAfter):
            switch APNsOutcome.meaning(ofUnknownStatus: status) {
            case .requestMistake: .mistake
            case .configurationRefused: refused(outcome.answerText)
            case .retryLater: .retry(notBefore: retryAfter)
            }
        }
    }

    private static func refused(_ reason: String) -> Effect {
        .carrierWaits(CarrierPause(.refused, "Apple refuses the credentials or the topic: \(reason)"))
    }
}

extension APNsOutcome {
    /// Whether Apple said something about the token.
    ///
    /// Silence says nothing, nor does a refusal of our credentials by a host that anybody can name for a device.
    fileprivate var isAnswer: Bool {
        switch self {
        case .transport, .notSent, .otherHostRefused: false
        default: true
        }
    }

    fileprivate var provesCredentials: Bool {
        switch self {
        case .delivered, .deliveredByOtherHost, .tokenInvalid, .tokenGone, .payloadTooLarge, .deviceThrottled: true
        default: false
        }
    }

    /// The answer for logs and for `explain`.
    ///
    /// It is the reason's name, or for an unknown answer the status and the name that Apple gave. Do not use it as a
    /// label of a metric, since Apple's names are not a fixed set. The store's books count by it, up to 64 names.
    fileprivate var answerText: String {
        guard case .unknown(let status, let name, _) = self else { return reasonLabel }
        return "HTTP \(status)\(name.map { " \($0)" } ?? "")"
    }
}
