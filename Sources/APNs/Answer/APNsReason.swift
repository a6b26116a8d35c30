/// Every reason that Apple documents ("Handling notification responses from APNs"), spelled as Apple spells it.
public enum APNsReason: String, Sendable, CaseIterable {
    // 400
    case badDeviceToken = "BadDeviceToken"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case badCollapseID = "BadCollapseId"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPriority = "BadPriority"
    case duplicateHeaders = "DuplicateHeaders"
    case invalidPushType = "InvalidPushType"
    case missingDeviceToken = "MissingDeviceToken"
    case payloadEmpty = "PayloadEmpty"
    case badTopic = "BadTopic"
    case missingTopic = "MissingTopic"
    case topicDisallowed = "TopicDisallowed"
    case idleTimeout = "IdleTimeout"
    // 403
    case expiredProviderToken = "ExpiredProviderToken"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case forbidden = "Forbidden"
    case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    // 404, 405
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    // 410
    case unregistered = "Unregistered"
    case expiredToken = "ExpiredToken"
    // 413
    case payloadTooLarge = "PayloadTooLarge"
    // 429
    case tooManyRequests = "TooManyRequests"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    // 500, 503
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"

    /// The statuses with which Apple gives this reason; another pair is treated as unknown.
    public var statuses: Set<Int> {
        switch self {
        case .badDeviceToken, .deviceTokenNotForTopic, .badCollapseID, .badExpirationDate, .badMessageID,
            .badPriority, .duplicateHeaders, .invalidPushType, .missingDeviceToken, .payloadEmpty, .badTopic,
            .missingTopic, .topicDisallowed, .idleTimeout:
            [400]
        case .expiredProviderToken, .invalidProviderToken, .missingProviderToken, .badCertificate,
            .badCertificateEnvironment, .forbidden, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken,
            .unrelatedKeyIDInToken:
            [403]
        case .badPath, .methodNotAllowed: [404, 405]
        case .unregistered, .expiredToken: [410]
        case .payloadTooLarge: [413]
        case .tooManyRequests, .tooManyProviderTokenUpdates: [429]
        case .internalServerError, .serviceUnavailable, .shutdown: [500, 503, 504]
        }
    }
}
