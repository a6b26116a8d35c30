import Postgres
import Store

/// The partitions of the log's tables: a day each, used again when their day has been forgotten.
///
/// Days that share one, as after a clock that was wrong, are right all the same: their rows go one by one. But a row keeps
/// its partition as long as it is there: a key that is written with another day stands twice.
enum LogSlots {
    /// More than the days that are kept (`StoreLimits.logAge`), today's and the one that is being forgotten.
    static let count = 10

    /// The partition of a row.
    static func slot(_ family: ColumnFamily, key: [UInt8], record: [UInt8]) -> Int16 {
        let day = family == .deliveryLog ? LogDay.ofRow(record) : LogDay.ofTimeKey(key)
        return Int16(day % UInt64(count))
    }

    /// The key of the youngest row of each partition that has one.
    static let youngest = Statement(
        "delivery_log_youngest",
        """
        select s.slot::smallint, y.key from generate_series(0, \(count - 1)) s(slot)
        cross join lateral (
          select key from delivery_log_by_time t where t.slot = s.slot order by key desc limit 1) y
        """)
    /// For a transaction that locks whole tables: who reads them at length is not waited for.
    static let impatient = Statement("delivery_log_impatient", "set local lock_timeout = '100ms'")
    /// Empties a partition, by its number.
    static let empty = (0..<count).map { slot in
        Statement("delivery_log_empty_\(slot)", "truncate delivery_log_\(slot), delivery_log_by_time_\(slot)")
    }
}
