/// Totals that change in the same batch as the rows they count.
enum Counter: String, CaseIterable {
    case devices = "count_devices"
    case watchEntries = "count_watch_entries"
    case deliveries = "count_deliveries"
    case events = "count_events"
    case eventsLong = "count_events_long"
    case deadLetters = "count_dead_letters"
    case eventsCreated = "count_events_created"
    case eventsFannedOut = "count_events_fanned_out"
    case eventsWithdrawn = "count_events_withdrawn"
    case eventsUnresolved = "count_events_unresolved"
    case eventsSuppressed = "count_events_suppressed"
    case eventsExpired = "count_events_expired"
    case deliveriesCreated = "count_deliveries_created"
    case deliveriesDelivered = "count_deliveries_delivered"
    case deliveriesDead = "count_deliveries_dead"
    case deliveriesExpired = "count_deliveries_expired"
    case deliveriesSuppressed = "count_deliveries_suppressed"

    var key: [UInt8] { Array(rawValue.utf8) }

    /// Where the part of the total with this reason is counted.
    func reasonKey(_ reason: String) -> [UInt8] {
        reasonPrefix + Array(reason.utf8.prefix(DeliveryLogEntry.longestReason))
    }

    var reasonPrefix: [UInt8] { key + [UInt8(ascii: "/")] }

    /// Distinct reasons of one counter; what comes after them is counted as `other`.
    static let reasons = 64
}

extension StoreReading {
    func value(of counter: Counter) throws(StoreError) -> UInt64 {
        try number(at: counter.key)
    }

    /// The parts of a total, by reason.
    func reasons(of counter: Counter) throws(StoreError) -> [String: UInt64] {
        let prefix = counter.reasonPrefix
        var parts: [String: UInt64] = [:]
        try scan(.meta, prefix: prefix) { (row) throws(StoreError) in
            parts[String(decoding: row.key.dropFirst(prefix.count), as: UTF8.self)] = try Self.count(Array(row.value))
            return true
        }
        return parts
    }

    static func count(_ stored: [UInt8]) throws(StoreError) -> UInt64 {
        var reader = ByteReader(stored)
        let value = try reader.readUInt64()
        try reader.finish()
        return value
    }
}

extension WriteTransaction {
    func adjust(_ counter: Counter, by difference: Int) throws(StoreError) {
        guard difference != 0 else { return }
        let value = try value(of: counter)
        let (sum, overflow) =
            difference < 0
            ? value.subtractingReportingOverflow(UInt64(difference.magnitude))
            : value.addingReportingOverflow(UInt64(difference.magnitude))
        guard !overflow else { throw ByteReader.corrupt("counter \(counter.rawValue)") }
        put(sum, at: counter.key)
    }

    /// Changes the part of a total with this reason, beside the total itself.
    ///
    /// What a store counted before it knew reasons has no part, so a part never goes below 0.
    func adjust(_ counter: Counter, reason: String, by difference: Int) throws(StoreError) {
        guard difference != 0 else { return }
        var key = counter.reasonKey(reason)
        if try get(.meta, key) == nil {
            guard difference > 0 else { return }
            if try reasons(of: counter).count >= Counter.reasons { key = counter.reasonKey("other") }
        }
        let value = try get(.meta, key).map { (stored) throws(StoreError) in try Self.count(stored) } ?? 0
        let magnitude = UInt64(difference.magnitude)
        put(difference < 0 ? value - min(value, magnitude) : value &+ magnitude, at: key)
    }

    private func put(_ count: UInt64, at key: [UInt8]) {
        var writer = ByteWriter(capacity: 8)
        writer.write(count)
        put(.meta, key, writer.bytes)
    }
}

extension Store {
    /// How many devices are registered, how many index entries they have, and what waits to be sent.
    public struct Totals: Equatable, Sendable {
        /// Registered devices.
        public var devices: UInt64
        /// Rows in `watchers`: all that these devices watch.
        public var watchEntries: UInt64
        /// Deliveries not yet answered for good, those in flight among them.
        public var deliveries: UInt64
        /// Events not yet turned into deliveries for all their devices.
        public var events: UInt64
        /// Those of them whose walk is long (`StoreLimits.longWalk`).
        public var longEvents: UInt64 = 0
    }

    /// All from the same moment, so that sums over them hold.
    public func totals() async throws(StoreError) -> Totals {
        try await read { [database] () throws(StoreError) -> Totals in
            let snapshot = database.snapshot()
            return Totals(
                devices: try snapshot.value(of: .devices), watchEntries: try snapshot.value(of: .watchEntries),
                deliveries: try snapshot.value(of: .deliveries), events: try snapshot.value(of: .events),
                longEvents: try snapshot.value(of: .eventsLong))
        }
    }
}
