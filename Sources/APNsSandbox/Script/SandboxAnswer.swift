/// An answer that a script gives instead of the usual one.
public struct SandboxAnswer: Sendable, Equatable {
    /// How a `retry-after` header is written.
    public enum RetryAfter: Sendable, Equatable {
        /// As a number of seconds.
        case seconds(Int)
        /// As an HTTP date that many seconds after the answer.
        case date(secondsFromNow: Int)
    }

    /// The HTTP status, 200 to 599; another is sent as 500.
    public var status: Int
    /// The `reason` of the JSON body; nil leaves the body out.
    public var reason: String?
    /// The `timestamp` of the JSON body, UNIX milliseconds, as a 410 has it.
    public var timestampMilliseconds: UInt64?
    /// The `retry-after` header.
    public var retryAfter: RetryAfter?
    /// A body to send as it is, JSON or not, in place of the one made of `reason` and `timestampMilliseconds`.
    public var body: String?

    /// An answer with this status and these parts.
    public init(
        status: Int, reason: String? = nil, timestampMilliseconds: UInt64? = nil, retryAfter: RetryAfter? = nil,
        body: String? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestampMilliseconds = timestampMilliseconds
        self.retryAfter = retryAfter
        self.body = body
    }

    init(_ refusal: Refusal) {
        self.init(status: refusal.status, reason: refusal.reason)
    }

    /// The body's bytes; empty for none.
    var bodyText: String {
        if let body { return body }
        var fields: [String] = []
        if let reason { fields.append("\"reason\":\(JSONText.quoted(reason))") }
        if let timestampMilliseconds { fields.append("\"timestamp\":\(timestampMilliseconds)") }
        return fields.isEmpty ? "" : "{\(fields.joined(separator: ","))}"
    }
}
