internal import CCurl

/// When the server asks to be tried again (RFC 9110, 10.2.3): after some seconds, or at a moment.
public enum RetryAfter: Sendable, Equatable {
    case seconds(UInt64)
    case date(unixSeconds: UInt64)

    /// The longest wait that is believed: one day, so that a nonsensical answer cannot park a delivery for ever.
    public static let longest = Duration.seconds(86_400)

    /// Reads a header's value: digits, or any of the three forms of an HTTP date; nil for anything else.
    public init?(_ text: String) {
        let value = text.utf8.drop { $0 == 0x20 || $0 == 0x09 }
        guard let first = value.first, value.count <= 64 else { return nil }
        if RetryAfter.isDigit(first) {
            let digits = value.prefix(while: RetryAfter.isDigit)
            guard value.dropFirst(digits.count).allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else { return nil }
            // More digits than fit are a number all the same: a very long wait.
            self = .seconds(UInt64(String(decoding: digits, as: UTF8.self)) ?? .max)
        } else {
            let moment = curl_getdate(text, nil)
            guard moment >= 0 else { return nil }
            self = .date(unixSeconds: UInt64(moment))
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// How long to wait from `now` (UNIX seconds): never negative, never more than ``longest``.
    public func delay(now: UInt64) -> Duration {
        switch self {
        case .seconds(let seconds): min(Self.longest, .seconds(Int64(clamping: min(seconds, 86_400))))
        case .date(let moment): moment <= now ? .zero : .seconds(Int64(min(moment - now, 86_400)))
        }
    }
}
