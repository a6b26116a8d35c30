import Clocks
import FoundationEssentials

/// A moment in UTC, to the millisecond.
struct LogTimestamp: Sendable, Hashable, CustomStringConvertible {
    /// Since 1970-01-01T00:00:00Z.
    let milliseconds: Int64

    /// The system's clock.
    static func now() -> LogTimestamp {
        LogTimestamp(milliseconds: Int64(clamping: SystemTime.milliseconds()))
    }

    /// RFC 3339, for example `2026-01-02T03:04:05.678Z`.
    ///
    /// The milliseconds are written here: a `Date` is a fraction of seconds in binary, and its format cuts them off.
    var description: String {
        let part = (milliseconds % 1_000 + 1_000) % 1_000
        let seconds = Date(timeIntervalSince1970: Double((milliseconds - part) / 1_000)).formatted(.iso8601)
        let digits = String(part)
        return seconds.dropLast() + "." + String(repeating: "0", count: 3 - digits.utf8.count) + digits + "Z"
    }
}
