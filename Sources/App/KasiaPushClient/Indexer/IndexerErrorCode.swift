/// The service's word for an error; a newer service may use others than those named here.
public struct IndexerErrorCode: RawRepresentable, Hashable, Sendable, Codable {
    /// The word as it is sent.
    public let rawValue: String

    /// Takes any word.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// 400: the request is not valid; the sentence names what to correct.
    public static let invalidRequest = IndexerErrorCode(rawValue: "invalid_request")
    /// 400: this service sends no pushes to the platform.
    public static let carrierNotConfigured = IndexerErrorCode(rawValue: "carrier_not_configured")
    /// 401: the call needs `auth`.
    public static let authRequired = IndexerErrorCode(rawValue: "auth_required")
    /// 401: a signature is not valid; compare `expectedText` with what was signed.
    public static let wrongSignature = IndexerErrorCode(rawValue: "wrong_signature")
    /// 401: the nonce is used, unknown or expired; ask for a challenge and send the call once more.
    public static let freshNonceNeeded = IndexerErrorCode(rawValue: "fresh_nonce_needed")
    /// 401: the signed time is in the future; take the challenge's time.
    public static let wrongTime = IndexerErrorCode(rawValue: "wrong_time")
    /// 401: the device token is bound to another wallet.
    public static let boundElsewhere = IndexerErrorCode(rawValue: "bound_elsewhere")
    /// 401: the device key's counter has not grown.
    public static let staleCounter = IndexerErrorCode(rawValue: "stale_counter")
    /// 403: a page of another origin may not make this call.
    public static let otherOrigin = IndexerErrorCode(rawValue: "other_origin")
    /// 404: nothing is there (yet).
    public static let notFound = IndexerErrorCode(rawValue: "not_found")
    /// 405: the path has no such method.
    public static let methodNotAllowed = IndexerErrorCode(rawValue: "method_not_allowed")
    /// 408: the request did not arrive in time.
    public static let tooSlow = IndexerErrorCode(rawValue: "too_slow")
    /// 413, 414 and 431: the request is too long.
    public static let tooLarge = IndexerErrorCode(rawValue: "too_large")
    /// 415: the body is not sent as JSON.
    public static let wrongContentType = IndexerErrorCode(rawValue: "wrong_content_type")
    /// 421: the service has another name than the one that was called.
    public static let wrongHost = IndexerErrorCode(rawValue: "wrong_host")
    /// 429: too many calls; wait `retryAfter`.
    public static let tooManyRequests = IndexerErrorCode(rawValue: "too_many_requests")
    /// 500: the service failed; its log names the request id.
    public static let internalError = IndexerErrorCode(rawValue: "internal_error")
    /// 503: the service takes no more devices now.
    public static let full = IndexerErrorCode(rawValue: "full")
    /// 502, 503 and 504: try again later.
    public static let unavailable = IndexerErrorCode(rawValue: "unavailable")
}
