import FoundationEssentials

/// An answer in place of the usual one.
public struct SandboxAnswer: Sendable, Equatable {
    /// How a `retry-after` header is written.
    public enum RetryAfter: Sendable, Equatable {
        /// As a number of seconds.
        case seconds(Int)
        /// As an HTTP date that many seconds after the answer.
        case date(secondsFromNow: Int)
    }

    /// The HTTP status, 200 to 599.
    ///
    /// Any other is sent as 500.
    public var status: Int
    /// The `reason` of the JSON body; nil leaves the body out.
    ///
    /// FCM writes it as the `errorCode` of its error, whose other parts follow from the status; Google's token endpoint
    /// as `error`.
    public var reason: String?
    /// The `timestamp` of the JSON body, UNIX milliseconds, as in a 410.
    public var timestampMilliseconds: UInt64?
    /// The `retry-after` header.
    public var retryAfter: RetryAfter?
    /// The field that FCM's error blames, such as `message.token`; no other carrier has it.
    public var field: String?
    /// A body to send unchanged, in place of the one made of `reason` and `timestampMilliseconds`.
    public var body: String?

    /// An answer with this status and these parts.
    public init(
        status: Int, reason: String? = nil, timestampMilliseconds: UInt64? = nil, retryAfter: RetryAfter? = nil,
        field: String? = nil, body: String? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestampMilliseconds = timestampMilliseconds
        self.retryAfter = retryAfter
        self.field = field
        self.body = body
    }

    init(_ refusal: ErrorAnswer) {
        self.init(status: refusal.status, reason: refusal.reason)
    }

    /// The body in Apple's shape; empty for none.
    var bodyText: String {
        if let body { return body }
        var fields: [String] = []
        if let reason { fields.append("\"reason\":\(JSONText.quoted(reason))") }
        if let timestampMilliseconds { fields.append("\"timestamp\":\(timestampMilliseconds)") }
        return fields.isEmpty ? "" : "{\(fields.joined(separator: ","))}"
    }
}

/// The date format of HTTP headers (RFC 9110, 5.6.7), always in English and GMT.
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// For example `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func format(_ date: Date) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
        guard let weekday = parts.weekday, let day = parts.day, let month = parts.month, let year = parts.year,
            let hour = parts.hour, let minute = parts.minute, let second = parts.second
        else { return "" }
        return "\(days[weekday - 1]), \(two(day)) \(months[month - 1]) \(year) "
            + "\(two(hour)):\(two(minute)):\(two(second)) GMT"
    }

    private static func two(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
