public import HTTP2Client

/// What became of one notification: one case for each meaning that an answer can have.
public enum APNsOutcome: Sendable, Equatable {
    /// 200: Apple has it. The id is Apple's, or the request's own.
    case delivered(apnsID: String)
    /// The host that was asked first called the token bad, and this one took the notification: remember it.
    case deliveredByOtherHost(apnsID: String, host: APNsHost)
    /// The token is wrong for this topic or environment, or gone since an unknown time: a strike against the device.
    case tokenInvalid(APNsReason)
    /// The token has been gone since then (UNIX milliseconds): remove the device unless it registered again later.
    case tokenGone(APNsReason, timestampMilliseconds: UInt64)
    /// This request can never be accepted: our mistake, dead-letter it.
    case requestMistake(APNsReason)
    /// 413: our mistake; send once more without the payload.
    case payloadTooLarge
    /// Credentials or topic are wrong: keep everything, stop, probe.
    case configurationRefused(APNsReason)
    /// The host that is not the operator's own refuses our credentials, as it does with a key for one environment: retry
    /// with back-off, and go on sending to the own one. The reason is nil for one that the table does not name.
    case otherHostRefused(APNsReason?)
    /// Apple calls the provider token expired, and it could not be renewed, or its successor was called so too.
    case providerTokenExpired
    /// The connection belongs to another key. It has been replaced: retry.
    case connectionMismatch
    /// The connection had been idle for too long. It has been replaced: retry.
    case idleTimeout
    /// Too many notifications to this one device.
    case deviceThrottled(retryAfter: RetryAfter?)
    /// The provider token is renewed too often: keep it, pause.
    case providerTokenThrottled(retryAfter: RetryAfter?)
    /// Apple is unwell: retry with back-off, not before `retryAfter`.
    case serverUnavailable(APNsReason, retryAfter: RetryAfter?)
    /// No answer: retry with back-off.
    case transport(TransportFailure)
    /// An answer that the table does not name; `reason` is nil when the body was cut short or is not JSON.
    case unknown(status: Int, reason: String?, retryAfter: RetryAfter?)
    /// No answer, for a reason on our side; the reason says whether Apple may have the notification all the same.
    case notSent(NotSentReason)

    /// What to do about an answer that the table does not name, by its status.
    public enum UnknownMeaning: Sendable, Equatable {
        /// Another 4xx, but for 408 (Request Timeout): it would be refused again, dead-letter it.
        case requestMistake
        /// 403: Apple refuses us, not the notification; to treat it as wrong credentials loses nothing.
        case configurationRefused
        /// 408, 429, 5xx, and whatever is no answer to a POST: retry with back-off.
        case retryLater
    }

    /// The meaning of an unnamed answer's status.
    public static func meaning(ofUnknownStatus status: Int) -> UnknownMeaning {
        switch status {
        case 403: .configurationRefused
        case 408, 429: .retryLater
        case 400..<500: .requestMistake
        default: .retryLater
        }
    }

    /// Whether Apple has it, from whichever host.
    public var isDelivered: Bool {
        switch self {
        case .delivered, .deliveredByOtherHost: true
        default: false
        }
    }

    /// The metric label of the outcome: one of seventeen words.
    public var label: String {
        switch self {
        case .delivered: "delivered"
        case .deliveredByOtherHost: "delivered_by_other_host"
        case .tokenInvalid: "token_invalid"
        case .tokenGone: "token_gone"
        case .requestMistake: "request_mistake"
        case .payloadTooLarge: "payload_too_large"
        case .configurationRefused: "configuration_refused"
        case .otherHostRefused: "other_host_refused"
        case .providerTokenExpired: "provider_token_expired"
        case .connectionMismatch: "connection_mismatch"
        case .idleTimeout: "idle_timeout"
        case .deviceThrottled: "device_throttled"
        case .providerTokenThrottled: "provider_token_throttled"
        case .serverUnavailable: "server_unavailable"
        case .transport: "transport"
        case .unknown: "unknown"
        case .notSent: "not_sent"
        }
    }

    /// The metric label of the reason.
    ///
    /// Bounded: the names of ``APNsReason``, of the transport failures and of the reasons for not sending, `Unknown`
    /// for another name and `None` where there is none.
    public var reasonLabel: String {
        switch self {
        case .delivered, .deliveredByOtherHost: "None"
        case .tokenInvalid(let reason), .tokenGone(let reason, _), .requestMistake(let reason),
            .configurationRefused(let reason), .serverUnavailable(let reason, _):
            reason.rawValue
        case .otherHostRefused(let reason): reason?.rawValue ?? "Unknown"
        case .payloadTooLarge: APNsReason.payloadTooLarge.rawValue
        case .providerTokenExpired: APNsReason.expiredProviderToken.rawValue
        case .connectionMismatch: APNsReason.unrelatedKeyIDInToken.rawValue
        case .idleTimeout: APNsReason.idleTimeout.rawValue
        case .deviceThrottled: APNsReason.tooManyRequests.rawValue
        case .providerTokenThrottled: APNsReason.tooManyProviderTokenUpdates.rawValue
        case .transport(let failure): failure.label
        case .unknown(_, let reason, _):
            reason.map { APNsReason(rawValue: $0)?.rawValue ?? "Unknown" } ?? "None"
        case .notSent(let reason): reason.label
        }
    }
}

/// Why there is no answer of Apple's to a notification: only after `abandoned` may Apple have it.
public enum NotSentReason: Sendable, Equatable {
    /// The sending task was cancelled while it waited for its turn.
    case cancelled
    /// The client is stopping; the request never left it.
    case shuttingDown
    /// The client stopped while the request was in flight: whether Apple has it is unknown.
    case abandoned
    /// The provider token could not be made or stored; the text says why.
    case noProviderToken(String)
    /// The named field of the request holds what cannot go on the wire: the notification itself is wrong.
    case invalidRequest(field: String)

    /// The metric label: one of five words.
    public var label: String {
        switch self {
        case .cancelled: "cancelled"
        case .shuttingDown: "shutting_down"
        case .abandoned: "abandoned"
        case .noProviderToken: "no_provider_token"
        case .invalidRequest: "invalid_request"
        }
    }
}
