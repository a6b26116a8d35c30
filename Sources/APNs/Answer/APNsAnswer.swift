public import HTTP2Client
import FoundationEssentials

/// What came back over the wire for one request.
public struct APNsAnswer: Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// The body's `reason`, at most 64 letters and digits; nil for 200, or when the body was cut short or not JSON.
    public var reason: String?
    /// The body's `timestamp` of a 410: since when the token has been gone, UNIX milliseconds.
    public var timestampMilliseconds: UInt64?
    /// The header `retry-after`, if it could be read.
    public var retryAfter: RetryAfter?
    /// The header `apns-id`.
    public var apnsID: String?

    /// The most bytes of a body that are read; Apple's have about 50.
    static let maximumBodyBytes = 16_384
    /// The longest reason that is kept; Apple's longest has 27 characters.
    static let maximumReasonBytes = 64

    /// Creates an answer out of its parts.
    public init(
        status: Int, reason: String? = nil, timestampMilliseconds: UInt64? = nil, retryAfter: RetryAfter? = nil,
        apnsID: String? = nil
    ) {
        self.status = status
        self.reason = reason
        self.timestampMilliseconds = timestampMilliseconds
        self.retryAfter = retryAfter
        self.apnsID = apnsID
    }

    /// Reads an answer's body; what is not the expected JSON leaves the fields nil.
    init(status: Int, body: [UInt8], retryAfter: String?, apnsID: String?) {
        self.init(status: status, retryAfter: retryAfter.flatMap(RetryAfter.init), apnsID: apnsID)
        guard status != 200, !body.isEmpty, let read = try? JSONDecoder().decode(Body.self, from: Data(body)) else {
            return
        }
        reason = read.reason.flatMap(Self.sanitized)
        timestampMilliseconds = read.timestamp
    }

    /// The reason as it may appear in a log: letters and digits only, bounded; nil when nothing is left.
    private static func sanitized(_ reason: String) -> String? {
        let kept = reason.utf8.lazy.filter(\.isASCIILetterOrDigit).prefix(maximumReasonBytes)
        return kept.isEmpty ? nil : String(decoding: Array(kept), as: UTF8.self)
    }

    private struct Body: Decodable {
        var reason: String?
        var timestamp: UInt64?

        private enum Key: CodingKey { case reason, timestamp }

        /// Each field by itself: a timestamp of the wrong type does not hide the reason.
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            reason = try? container.decode(String.self, forKey: .reason)
            timestamp = try? container.decode(UInt64.self, forKey: .timestamp)
        }
    }
}
