/// The push services that the operator lets strangers name.
public struct AllowedOrigins: Sendable, Equatable {
    /// The most patterns.
    public static let maximumCount = 64

    /// The push services of the browsers in use.
    public static let browsers = AllowedOrigins(
        patterns: [
            "https://fcm.googleapis.com", "https://updates.push.services.mozilla.com",
            "https://*.push.services.mozilla.com", "https://*.notify.windows.com", "https://web.push.apple.com",
            "https://*.push.apple.com",
        ].compactMap { try? OriginPattern($0) })

    /// In the order given.
    public let patterns: [OriginPattern]

    private init(patterns: [OriginPattern]) { self.patterns = patterns }

    /// Reads patterns: `https://HOST`, `https://HOST:PORT`, `https://*.HOST` for all hosts below one, or `*` for all.
    public init(_ texts: [String]) throws(OriginPatternError) {
        guard texts.count <= AllowedOrigins.maximumCount else {
            throw OriginPatternError(description: "at most \(AllowedOrigins.maximumCount) origins can be allowed")
        }
        var patterns: [OriginPattern] = []
        for text in texts { patterns.append(try OriginPattern(text)) }
        self.patterns = patterns
    }

    /// The first pattern that an endpoint's origin matches; nil when it is not allowed.
    public func allows(_ endpoint: Endpoint) -> OriginPattern? { patterns.first { $0.matches(endpoint) } }
}
