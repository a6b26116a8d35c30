extension APNsOutcome {
    /// The meaning of an answer, by its status and reason; `requestID` names a delivery whose answer bears no `apns-id`.
    public init(_ answer: APNsAnswer, requestID: String) {
        if answer.status == 200 {
            self = .delivered(apnsID: answer.apnsID ?? requestID)
        } else if let reason = answer.reason.flatMap(APNsReason.init), reason.statuses.contains(answer.status) {
            self.init(reason, of: answer)
        } else if answer.status == 413 {
            self = .payloadTooLarge
        } else {
            self = .unknown(status: answer.status, reason: answer.reason, retryAfter: answer.retryAfter)
        }
    }

    private init(_ reason: APNsReason, of answer: APNsAnswer) {
        switch reason {
        case .badDeviceToken, .deviceTokenNotForTopic:
            self = .tokenInvalid(reason)
        case .unregistered, .expiredToken:
            // Without a moment nothing can be compared with the registration's: only a strike.
            if let timestamp = answer.timestampMilliseconds {
                self = .tokenGone(reason, timestampMilliseconds: timestamp)
            } else {
                self = .tokenInvalid(reason)
            }
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType,
            .missingDeviceToken, .payloadEmpty, .badPath, .methodNotAllowed:
            self = .requestMistake(reason)
        case .badTopic, .missingTopic, .topicDisallowed, .invalidProviderToken, .missingProviderToken,
            .badCertificate, .badCertificateEnvironment, .forbidden, .badEnvironmentKeyIDInToken,
            .badEnvironmentKeyInToken:
            self = .configurationRefused(reason)
        case .idleTimeout: self = .idleTimeout
        case .expiredProviderToken: self = .providerTokenExpired
        case .unrelatedKeyIDInToken: self = .connectionMismatch
        case .payloadTooLarge: self = .payloadTooLarge
        case .tooManyRequests: self = .deviceThrottled(retryAfter: answer.retryAfter)
        case .tooManyProviderTokenUpdates: self = .providerTokenThrottled(retryAfter: answer.retryAfter)
        case .internalServerError, .serviceUnavailable, .shutdown:
            self = .serverUnavailable(reason, retryAfter: answer.retryAfter)
        }
    }
}
