import HTTPTypes

/// Headers that swift-http-types does not name.
extension HTTPField.Name {
    /// `Last-Event-ID` of the HTML standard: where a stream of server-sent events continues.
    static let lastEventID = name("Last-Event-ID")
    /// `Referrer-Policy` of the W3C: which `Referer` a browser sends to others.
    static let referrerPolicy = name("Referrer-Policy")
    /// `X-Accel-Buffering` of nginx: whether a proxy may buffer an answer.
    static let accelBuffering = name("X-Accel-Buffering")
    /// `Sec-Fetch-Site`, `-Mode` and `-Dest` of the W3C's Fetch Metadata: a browser request's origin and purpose.
    static let secFetchSite = name("Sec-Fetch-Site")
    static let secFetchMode = name("Sec-Fetch-Mode")
    static let secFetchDest = name("Sec-Fetch-Dest")
    /// `X-Forwarded-For`, a de-facto standard: the addresses that a request passed through, oldest first.
    static let xForwardedFor = name("X-Forwarded-For")
    /// `X-Request-ID`, a de-facto standard: the id of a request in proxies and logs.
    static let xRequestID = name("X-Request-ID")

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is a valid header name") }
        return name
    }
}
