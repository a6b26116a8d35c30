import HTTPTypes

/// Headers that swift-http-types does not name.
extension HTTPField.Name {
    /// `Last-Event-ID` of the HTML standard: where a stream of server-sent events is to go on.
    static let lastEventID = name("Last-Event-ID")
    /// `Referrer-Policy` of the W3C: what a browser tells others of where it comes from.
    static let referrerPolicy = name("Referrer-Policy")
    /// `X-Accel-Buffering` of nginx: whether a proxy may collect an answer before it passes it on.
    static let accelBuffering = name("X-Accel-Buffering")
    /// `Sec-Fetch-Site`, `-Mode` and `-Dest` of the W3C's Fetch Metadata: where a browser's request comes from, and what for.
    static let secFetchSite = name("Sec-Fetch-Site")
    static let secFetchMode = name("Sec-Fetch-Mode")
    static let secFetchDest = name("Sec-Fetch-Dest")
    /// `X-Forwarded-For`, de-facto standard: the addresses a request passed through, oldest first.
    static let xForwardedFor = name("X-Forwarded-For")
    /// `X-Request-ID`, de-facto standard: names one request along its way through proxies and logs.
    static let xRequestID = name("X-Request-ID")

    private static func name(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is a valid header name") }
        return name
    }
}
