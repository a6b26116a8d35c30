/// An error answer as Apple words it: a status and a reason.
struct Refusal: Equatable, Sendable {
    let status: Int
    let reason: String

    static let methodNotAllowed = Refusal(status: 405, reason: "MethodNotAllowed")
    static let badPath = Refusal(status: 404, reason: "BadPath")
    static let missingProviderToken = Refusal(status: 403, reason: "MissingProviderToken")
    static let invalidProviderToken = Refusal(status: 403, reason: "InvalidProviderToken")
    static let expiredProviderToken = Refusal(status: 403, reason: "ExpiredProviderToken")
    static let unrelatedKey = Refusal(status: 403, reason: "UnrelatedKeyIdInToken")
    static let tooManyTokenUpdates = Refusal(status: 429, reason: "TooManyProviderTokenUpdates")
    static let missingTopic = Refusal(status: 400, reason: "MissingTopic")
    static let badTopic = Refusal(status: 400, reason: "BadTopic")
    static let topicDisallowed = Refusal(status: 400, reason: "TopicDisallowed")
    static let invalidPushType = Refusal(status: 400, reason: "InvalidPushType")
    static let badPriority = Refusal(status: 400, reason: "BadPriority")
    static let badExpirationDate = Refusal(status: 400, reason: "BadExpirationDate")
    static let badMessageID = Refusal(status: 400, reason: "BadMessageId")
    static let badCollapseID = Refusal(status: 400, reason: "BadCollapseId")
    static let duplicateHeaders = Refusal(status: 400, reason: "DuplicateHeaders")
    static let missingDeviceToken = Refusal(status: 400, reason: "MissingDeviceToken")
    static let badDeviceToken = Refusal(status: 400, reason: "BadDeviceToken")
    static let payloadEmpty = Refusal(status: 400, reason: "PayloadEmpty")
    static let payloadTooLarge = Refusal(status: 413, reason: "PayloadTooLarge")
    /// Ours: Apple has no reason for a body that is not a notification.
    static let badPayload = Refusal(status: 400, reason: "BadPayload")
}
