public import HTTP2Client

/// Why there is no access token.
public struct AccessTokenError: Error, Equatable, CustomStringConvertible {
    /// Whose fault it is.
    public enum Kind: Sendable, Equatable {
        /// Google refuses the service account: the operator has to do something.
        case refused
        /// Google cannot be reached, or has too much to do: it passes.
        case unavailable(RetryAfter?)
        /// The carrier is stopping.
        case stopped
    }

    /// Whose fault it is.
    public var kind: Kind
    /// One sentence without a full stop; it contains neither the key nor what was signed with it.
    public var description: String

    /// Google refuses the service account, for the reason that it calls `name`, or without one by this status.
    ///
    /// `details` are Google's own words.
    static func refused(_ name: String?, status: Int, details: String? = nil) -> AccessTokenError {
        var sentence = "Google refuses the service account (\(name ?? "HTTP \(status)"))"
        if name == "invalid_grant" { sentence += ": its key was revoked, or this machine's clock is wrong" }
        if let details { sentence += "; Google's words: \(details)" }
        return AccessTokenError(kind: .refused, description: sentence)
    }

    /// Google gives none for the moment.
    static func unavailable(_ cause: String, _ retryAfter: RetryAfter? = nil) -> AccessTokenError {
        AccessTokenError(
            kind: .unavailable(retryAfter), description: "Google gives no access token for the moment: \(cause)")
    }

    /// The carrier is stopping.
    static let stopped = AccessTokenError(kind: .stopped, description: "the carrier is stopping")
}
