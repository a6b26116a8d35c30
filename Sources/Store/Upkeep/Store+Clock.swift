public import Clocks
import Kaspa

extension Store {
    /// What the clocks showed when a run last wrote it; nil in a store that has never had a chain block.
    ///
    /// A store of an older version does not have it, and its times are those of the wall clock: there the last block
    /// applied says what time it was.
    public func clockReading() async throws(StoreError) -> ClockReading? {
        try await read { [database] () throws(StoreError) -> ClockReading? in
            if let reading = try database.clockReading() { return reading }
            // A start block of which only the hash is known has no time.
            guard let time = try database.cursor()?.timestamp, time > 0 else { return nil }
            return ClockReading(service: time, wall: time, chain: time)
        }
    }

    /// Keeps what the clocks show, for the next run.
    public func keep(_ reading: ClockReading) async throws(StoreError) {
        try await write { (transaction) throws(StoreError) in transaction.put(reading) }
    }

    /// A batch of deliveries is noted (`note(due:)`) if it is later than the last reading by this or more, milliseconds.
    static let dueStep: UInt64 = 100

    /// What the service's time is while no service runs, milliseconds since 1970: no earlier than at its end.
    public func restingTime(wall: UInt64) async throws(StoreError) -> UInt64 {
        guard let reading = try await clockReading() else { return wall }
        return reading.service + (wall > reading.wall ? wall - reading.wall : 0)
    }
}

extension StoreReading {
    /// nil in a store of an older version, and before a chain block was applied.
    fileprivate func clockReading() throws(StoreError) -> ClockReading? {
        guard let stored = try get(.meta, MetaKey.clock) else { return nil }
        return try ClockReading(stored: stored)
    }
}

extension ClockReading {
    /// Reads the row of `meta`.
    package init(stored: [UInt8]) throws(StoreError) {
        var reader = ByteReader(stored)
        self.init(service: try reader.readUInt64(), wall: try reader.readUInt64(), chain: try reader.readUInt64())
        try reader.finish()
    }
}

extension WriteTransaction {
    fileprivate func put(_ reading: ClockReading) {
        var writer = ByteWriter(capacity: 24)
        writer.write(reading.service)
        writer.write(reading.wall)
        writer.write(reading.chain)
        put(.meta, MetaKey.clock, writer.bytes)
    }

    /// Notes that deliveries become due at `now`, the service's time, or are put off from then on.
    ///
    /// The last reading may be seconds old when a process is killed. If the wall clock was set back meanwhile, too, the
    /// next run's time would go on from that reading, and these deliveries would wait for those seconds.
    func note(due now: UInt64) throws(StoreError) {
        guard let reading = try clockReading(), now >= reading.service.later(by: Store.dueStep) else { return }
        put(reading.later(by: now - reading.service))
    }
}
