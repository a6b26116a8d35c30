/// The error codes of FCM's HTTP v1 (`FcmError`) and of Google's APIs (`google.rpc.Code`), spelled as Google does.
enum FCMReason: String, Sendable, CaseIterable {
    case invalidArgument = "INVALID_ARGUMENT"
    case failedPrecondition = "FAILED_PRECONDITION"
    case unauthenticated = "UNAUTHENTICATED"
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case permissionDenied = "PERMISSION_DENIED"
    case unregistered = "UNREGISTERED"
    case notFound = "NOT_FOUND"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case resourceExhausted = "RESOURCE_EXHAUSTED"
    case `internal` = "INTERNAL"
    case unavailable = "UNAVAILABLE"

    /// The status with which Google gives this code; another pair is judged by its status.
    var status: Int {
        switch self {
        case .invalidArgument, .failedPrecondition: 400
        case .unauthenticated, .thirdPartyAuthError: 401
        case .senderIDMismatch, .permissionDenied: 403
        case .unregistered, .notFound: 404
        case .quotaExceeded, .resourceExhausted: 429
        case .internal: 500
        case .unavailable: 503
        }
    }
}
