import Foundation

extension ReplayConfiguration {
    /// The machine's time in milliseconds since 1970.
    package static func wallClock() -> UInt64 {
        UInt64(max(0, Date().timeIntervalSince1970 * 1000))
    }
}
