/// An error answer of the Web Push service: a status of RFC 8030 or RFC 8292, and a reason of ours.
struct WebPushFault: Equatable {
    let status: Int
    let reason: String

    static let methodNotAllowed = WebPushFault(status: 405, reason: "MethodNotAllowed")
    static let unknownSubscription = WebPushFault(status: 404, reason: "UnknownSubscription")
    static let endedSubscription = WebPushFault(status: 410, reason: "EndedSubscription")
    static let missingTTL = WebPushFault(status: 400, reason: "MissingTTL")
    static let badTTL = WebPushFault(status: 400, reason: "BadTTL")
    static let missingAuthorization = WebPushFault(status: 401, reason: "MissingAuthorization")
    static let badAuthorization = WebPushFault(status: 401, reason: "BadAuthorization")
    static let badSignature = WebPushFault(status: 403, reason: "BadSignature")
    static let badAudience = WebPushFault(status: 403, reason: "BadAudience")
    static let badExpiration = WebPushFault(status: 403, reason: "BadExpiration")
    static let badSubject = WebPushFault(status: 403, reason: "BadSubject")
    static let wrongKey = WebPushFault(status: 403, reason: "WrongKey")
    static let badUrgency = WebPushFault(status: 400, reason: "BadUrgency")
    static let badTopic = WebPushFault(status: 400, reason: "BadTopic")
    static let duplicateHeaders = WebPushFault(status: 400, reason: "DuplicateHeaders")
    static let payloadTooLarge = WebPushFault(status: 413, reason: "PayloadTooLarge")
    static let badContentEncoding = WebPushFault(status: 400, reason: "BadContentEncoding")
    static let badPayload = WebPushFault(status: 400, reason: "BadPayload")

    var answer: SandboxAnswer { SandboxAnswer(status: status, reason: reason) }
}
