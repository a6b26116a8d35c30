import Clocks

/// A moment in UTC, to the millisecond.
struct LogTimestamp: Sendable, Hashable, CustomStringConvertible {
    /// Since 1970-01-01T00:00:00Z.
    let milliseconds: Int64

    /// The system's clock.
    static func now() -> LogTimestamp {
        LogTimestamp(milliseconds: Int64(clamping: SystemTime.milliseconds()))
    }

    /// RFC 3339, for example `2026-01-02T03:04:05.678Z`.
    var description: String {
        let (day, time) = Self.divided(milliseconds, by: 86_400_000)
        let (year, month, dayOfMonth) = Self.date(daysSince1970: day)
        let clock = [(time / 3_600_000, 2), (time / 60_000 % 60, 2), (time / 1_000 % 60, 2)].map(Self.padded)
        return [(year, 4), (month, 2), (dayOfMonth, 2)].map(Self.padded).joined(separator: "-") + "T"
            + clock.joined(separator: ":") + "." + Self.padded(time % 1_000, 3) + "Z"
    }

    /// The proleptic Gregorian date, by counting from 1 March of year 0, so that a leap day ends its year
    /// (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days).
    private static func date(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = divided(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// Division that rounds down, so that times before 1970 come out right.
    private static func divided(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
