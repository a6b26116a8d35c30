/// Why a push was not taken: the labels of metrics, beside those of transport failures and `None`.
enum WebPushReason: String, Sendable, CaseIterable {
    /// 400, and any other 4xx that the table does not name.
    case badRequest = "BadRequest"
    /// 401 and 403: our key or our token.
    case vapidRefused = "VAPIDRefused"
    /// 404.
    case notFound = "NotFound"
    /// 410.
    case gone = "Gone"
    /// 408.
    case requestTimeout = "RequestTimeout"
    /// 413.
    case tooLarge = "PayloadTooLarge"
    /// 429.
    case tooManyRequests = "TooManyRequests"
    /// 3xx: none is followed.
    case redirect = "Redirect"
    /// 5xx.
    case serverError = "ServerError"
    /// Anything else.
    case unknown = "Unknown"
    /// The operator does not allow the endpoint's origin any more.
    case originNotAllowed = "OriginNotAllowed"
    /// The endpoint's name leads to an address that is not public.
    case addressRefused = "AddressRefused"
    /// The endpoint is no URL that can be used.
    case unusableEndpoint = "UnusableEndpoint"
    /// The subscription's keys cannot be used.
    case unusableKeys = "UnusableKeys"
    /// No token could be signed, or the message not be sealed.
    case cryptography = "Cryptography"
    /// As many origins as there may be are busy.
    case manyOrigins = "ManyOrigins"
    /// The origin is held back, since it refused our key or our token.
    case originHeldBack = "OriginHeldBack"
}
