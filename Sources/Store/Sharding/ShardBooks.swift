package import Kaspa

/// What a shard counts, when rows have been moved between shards.
///
/// Deliveries that wait, and those that were given up and are kept, count where they are; what else became of deliveries
/// counts in shard 0. So each shard's books balance, and the sums over all stay what they were.
package struct ShardBooks: Equatable, Sendable {
    private static let counters: [Counter] = [
        .deliveriesCreated, .deliveriesDelivered, .deliveriesDead, .deliveriesExpired, .deliveriesSuppressed,
    ]

    private var counts: [Counter: Int] = [:]
    private var reasons: [Counter: [String: Int]] = [:]

    /// Nothing.
    package init() {}

    /// What a shard has counted so far.
    package init(of shard: any StoreReading) throws(StoreError) {
        for counter in ShardBooks.counters {
            counts[counter] = Int(clamping: try shard.value(of: counter))
            reasons[counter] = try shard.reasons(of: counter).mapValues { Int(clamping: $0) }
        }
    }

    /// What a shard counts of the rows that it has now; `waiting` is how many deliveries wait there.
    package init(ofRowsIn shard: any StoreReading, waiting: UInt64, network: Network) throws(StoreError) {
        counts[.deliveriesCreated] = Int(clamping: waiting)
        try shard.scan(.deadLetters, prefix: []) { (row) throws(StoreError) in
            let (device, seq) = try DeliveryLogEntry.place(ofTimeKey: row.key)
            let entry = try shard.logEntry(of: device, seq, network: network)
            counts[.deliveriesCreated, default: 0] += 1
            if entry?.state == .expired {
                counts[.deliveriesExpired, default: 0] += 1
            } else {
                counts[.deliveriesDead, default: 0] += 1
                if let reason = entry?.reason { reasons[.deliveriesDead, default: [:]][reason, default: 0] += 1 }
            }
            return true
        }
    }

    /// Adds what another shard has counted, or takes it away.
    package mutating func add(_ other: ShardBooks, times factor: Int = 1) {
        for (counter, count) in other.counts { counts[counter, default: 0] += factor * count }
        for (counter, parts) in other.reasons {
            for (reason, count) in parts { reasons[counter, default: [:]][reason, default: 0] += factor * count }
        }
    }

    /// Writes them into a shard, with how many rows it has; `devices` is nil for shard 0, which counts all.
    package func write(
        _ transaction: WriteTransaction, waiting: UInt64, deadLetters: UInt64, devices: UInt64?
    ) throws(StoreError) {
        let before = try ShardBooks(of: transaction)
        for counter in ShardBooks.counters {
            let difference = counts[counter, default: 0] - before.counts[counter, default: 0]
            try transaction.adjust(counter, by: difference)
            let (old, new) = (before.reasons[counter, default: [:]], reasons[counter, default: [:]])
            for reason in Set(old.keys).union(new.keys) {
                try transaction.adjust(
                    counter, reason: reason, by: new[reason, default: 0] - old[reason, default: 0])
            }
        }
        try set(.deliveries, waiting, transaction)
        try set(.deadLetters, deadLetters, transaction)
        if let devices { try set(.devices, devices, transaction) }
    }

    private func set(_ counter: Counter, _ value: UInt64, _ transaction: WriteTransaction) throws(StoreError) {
        try transaction.adjust(
            counter, by: Int(clamping: value) - Int(clamping: try transaction.value(of: counter)))
    }

    /// Whether a stored event's walk has begun.
    package static func hasBegun(_ record: [UInt8], network: Network) throws(StoreError) -> Bool {
        try PushEvent(number: 0, encoded: record, network: network).progress != FanOutProgress()
    }
}
