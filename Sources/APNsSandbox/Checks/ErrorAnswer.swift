/// One of Apple's error answers: a status and a reason.
struct ErrorAnswer: Equatable, Sendable {
    let status: Int
    let reason: String

    static let methodNotAllowed = ErrorAnswer(status: 405, reason: "MethodNotAllowed")
    static let badPath = ErrorAnswer(status: 404, reason: "BadPath")
    static let missingProviderToken = ErrorAnswer(status: 403, reason: "MissingProviderToken")
    static let invalidProviderToken = ErrorAnswer(status: 403, reason: "InvalidProviderToken")
    static let expiredProviderToken = ErrorAnswer(status: 403, reason: "ExpiredProviderToken")
    static let unrelatedKey = ErrorAnswer(status: 403, reason: "UnrelatedKeyIdInToken")
    static let tooManyTokenUpdates = ErrorAnswer(status: 429, reason: "TooManyProviderTokenUpdates")
    static let missingTopic = ErrorAnswer(status: 400, reason: "MissingTopic")
    static let badTopic = ErrorAnswer(status: 400, reason: "BadTopic")
    static let topicDisallowed = ErrorAnswer(status: 400, reason: "TopicDisallowed")
    static let invalidPushType = ErrorAnswer(status: 400, reason: "InvalidPushType")
    static let badPriority = ErrorAnswer(status: 400, reason: "BadPriority")
    static let badExpirationDate = ErrorAnswer(status: 400, reason: "BadExpirationDate")
    static let badMessageID = ErrorAnswer(status: 400, reason: "BadMessageId")
    static let badCollapseID = ErrorAnswer(status: 400, reason: "BadCollapseId")
    static let duplicateHeaders = ErrorAnswer(status: 400, reason: "DuplicateHeaders")
    static let missingDeviceToken = ErrorAnswer(status: 400, reason: "MissingDeviceToken")
    static let badDeviceToken = ErrorAnswer(status: 400, reason: "BadDeviceToken")
    static let payloadEmpty = ErrorAnswer(status: 400, reason: "PayloadEmpty")
    static let payloadTooLarge = ErrorAnswer(status: 413, reason: "PayloadTooLarge")
    /// Our own: Apple documents no reason for a body that is not a notification.
    static let badPayload = ErrorAnswer(status: 400, reason: "BadPayload")
}
