public import Clocks

extension Store {
    /// What the clocks showed when a run last wrote it; nil in a store that has never had a chain block.
    ///
    /// A store of an older version does not have it, and its times are those of the wall clock: there the last block
    /// applied says what time it was.
    public func clockReading() async throws(StoreError) -> ClockReading? {
        try await read { [database] () throws(StoreError) -> ClockReading? in
            guard let stored = try database.get(.meta, MetaKey.clock) else {
                // A start block of which only the hash is known has no time.
                guard let time = try database.cursor()?.timestamp, time > 0 else { return nil }
                return ClockReading(service: time, wall: time, chain: time)
            }
            var reader = ByteReader(stored)
            let reading = ClockReading(
                service: try reader.readUInt64(), wall: try reader.readUInt64(), chain: try reader.readUInt64())
            try reader.finish()
            return reading
        }
    }

    /// Keeps what the clocks show, for the next run.
    public func keep(_ reading: ClockReading) async throws(StoreError) {
        var writer = ByteWriter(capacity: 24)
        writer.write(reading.service)
        writer.write(reading.wall)
        writer.write(reading.chain)
        let bytes = writer.bytes
        try await write { (transaction) throws(StoreError) in transaction.put(.meta, MetaKey.clock, bytes) }
    }

    /// What the service's time is while no service runs, milliseconds since 1970: no earlier than at its end.
    public func restingTime(wall: UInt64) async throws(StoreError) -> UInt64 {
        guard let reading = try await clockReading() else { return wall }
        return reading.service + (wall > reading.wall ? wall - reading.wall : 0)
    }
}
