/// The days of the log, by when its events were queued: an engine may keep them apart, and forget one as a whole.
package enum LogDay {
    /// Milliseconds.
    package static let length: UInt64 = 86_400_000

    /// The day of a row in `delivery_log`, counted from 1970; 0 for a damaged one.
    package static func ofRow(_ record: [UInt8]) -> UInt64 { (DeliveryLogEntry.queuedAt(record) ?? 0) / length }

    /// The day of a row in `delivery_log_by_time`, by its key.
    package static func ofTimeKey(_ key: [UInt8]) -> UInt64 { time(ofKey: key) / length }

    /// When what a key in `delivery_log_by_time` is about was queued.
    package static func time(ofKey key: [UInt8]) -> UInt64 { key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
