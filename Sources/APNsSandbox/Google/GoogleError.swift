/// An error in the shape of Google's interfaces: a code, a status, a sentence and details.
struct GoogleError: Error, Equatable {
    /// A fault of one field of the request.
    struct Violation: Equatable {
        let field: String
        let description: String
    }

    /// The codes that FCM's own detail may have.
    private static let messagingCodes: Set<String> = [
        "UNSPECIFIED_ERROR", "INVALID_ARGUMENT", "UNREGISTERED", "SENDER_ID_MISMATCH", "QUOTA_EXCEEDED",
        "UNAVAILABLE", "INTERNAL", "THIRD_PARTY_AUTH_ERROR",
    ]
    private static let types = "type.googleapis.com/"
    /// What Google says of a device token that it cannot read, word for word: clients look for it.
    static let invalidToken = "The registration token is not a valid FCM registration token"

    let code: Int
    let message: String
    /// `errorCode` of FCM's own detail.
    var errorCode: String?
    /// `reason` of the detail ErrorInfo.
    var info: String?
    var violations: [Violation] = []

    init(_ code: Int, _ message: String, errorCode: String? = nil, info: String? = nil) {
        (self.code, self.message, self.errorCode, self.info) = (code, message, errorCode, info)
    }

    /// A message that FCM has read and does not take, for one of its fields.
    static func invalid(_ field: String, _ sentence: String, message: String? = nil) -> GoogleError {
        var error = GoogleError(400, message ?? sentence, errorCode: "INVALID_ARGUMENT")
        error.violations = [Violation(field: field, description: sentence)]
        return error
    }

    /// A body that does not fit the interface: Google refuses it before FCM has seen it.
    static func unreadable(_ field: String, _ sentence: String) -> GoogleError {
        var error = GoogleError(400, sentence)
        error.violations = [Violation(field: field, description: sentence)]
        return error
    }

    /// The error that a script asks for.
    init(scripted answer: SandboxAnswer) {
        let reason = answer.reason
        // These two are the status's own words, for which FCM has no detail.
        let isPlain = reason == Self.status(answer.status) && !Self.messagingCodes.contains(reason ?? "")
        self.init(
            answer.status, answer.field == "message.token" ? Self.invalidToken : "A script says so.",
            errorCode: isPlain ? nil : reason)
        if let field = answer.field { violations = [Violation(field: field, description: message)] }
    }

    var status: String { Self.status(code) }

    /// The log's word for it.
    var reason: String { errorCode ?? status }

    var answer: SandboxAnswer { SandboxAnswer(status: code, reason: reason, body: json) }

    var json: String {
        var members = [
            "\"code\":\(code)", "\"message\":\(JSONText.quoted(message))", "\"status\":\(JSONText.quoted(status))",
        ]
        let details = [messagingDetail, violationDetail, infoDetail].compactMap { $0 }
        if !details.isEmpty { members.append("\"details\":[\(details.joined(separator: ","))]") }
        return "{\"error\":{\(members.joined(separator: ","))}}"
    }

    private var messagingDetail: String? {
        errorCode.map {
            "{\"@type\":\"\(Self.types)google.firebase.fcm.v1.FcmError\",\"errorCode\":\(JSONText.quoted($0))}"
        }
    }

    private var violationDetail: String? {
        guard !violations.isEmpty else { return nil }
        let list = violations.map {
            "{\"field\":\(JSONText.quoted($0.field)),\"description\":\(JSONText.quoted($0.description))}"
        }
        return "{\"@type\":\"\(Self.types)google.rpc.BadRequest\",\"fieldViolations\":[\(list.joined(separator: ","))]}"
    }

    private var infoDetail: String? {
        info.map {
            "{\"@type\":\"\(Self.types)google.rpc.ErrorInfo\",\"reason\":\(JSONText.quoted($0)),"
                + "\"domain\":\"googleapis.com\"}"
        }
    }

    /// Google's name for an HTTP status (google.rpc.Code).
    private static func status(_ code: Int) -> String {
        switch code {
        case 400: "INVALID_ARGUMENT"
        case 401: "UNAUTHENTICATED"
        case 403: "PERMISSION_DENIED"
        case 404: "NOT_FOUND"
        case 409: "ABORTED"
        case 429: "RESOURCE_EXHAUSTED"
        case 499: "CANCELLED"
        case 500: "INTERNAL"
        case 501: "UNIMPLEMENTED"
        case 503: "UNAVAILABLE"
        case 504: "DEADLINE_EXCEEDED"
        default: "UNKNOWN"
        }
    }
}
