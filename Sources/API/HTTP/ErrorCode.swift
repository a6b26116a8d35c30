import HTTPTypes

/// The code of an error, which stays the same when its sentence changes.
///
/// The app developer guide says what an app does about each.
enum ErrorCode: String, CaseIterable, Sendable {
    /// 400: the request is not valid.
    case invalidRequest = "invalid_request"
    /// 400: the operator has not configured who carries pushes to this platform.
    case carrierNotConfigured = "carrier_not_configured"
    /// 401: this call, or this device, needs `auth`.
    case authRequired = "auth_required"
    /// 401: a signature is not valid, or a key does not match its id or address.
    case wrongSignature = "wrong_signature"
    /// 401: the nonce is unknown, used or expired, or the signed time has passed.
    case freshNonceNeeded = "fresh_nonce_needed"
    /// 401: the signed time is in the future.
    case wrongTime = "wrong_time"
    /// 401: the device token belongs to another wallet, or to none.
    case boundElsewhere = "bound_elsewhere"
    /// 401: the device key's counter has not grown.
    case staleCounter = "stale_counter"
    /// 403: a page of another origin may not make this call.
    case otherOrigin = "other_origin"
    /// 404
    case notFound = "not_found"
    /// 405
    case methodNotAllowed = "method_not_allowed"
    /// 408: the request did not come in time.
    case tooSlow = "too_slow"
    /// 413, 414 and 431.
    case tooLarge = "too_large"
    /// 415
    case wrongContentType = "wrong_content_type"
    /// 421: the request names a host that is not this service.
    case wrongHost = "wrong_host"
    /// 429
    case tooMany = "too_many_requests"
    /// 500, and any other fault of the service.
    case internalError = "internal_error"
    /// 503: the service takes no more devices.
    case full
    /// 502, 503 and 504: try again later.
    case unavailable

    /// The code of a status, or its most general one if it has several.
    init(_ status: HTTPResponse.Status) {
        self =
            switch status.code {
            case 401: .authRequired
            case 403: .otherOrigin
            case 404: .notFound
            case 405: .methodNotAllowed
            case 408: .tooSlow
            case 413, 414, 431: .tooLarge
            case 415: .wrongContentType
            case 421: .wrongHost
            case 429: .tooMany
            case 502, 503, 504: .unavailable
            case 400..<500: .invalidRequest
            default: .internalError
            }
    }
}
