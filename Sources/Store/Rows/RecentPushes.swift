/// The latest pushes to one device that an hourly limit counts.
struct RecentPushes: Equatable {
    /// At most so many in any hour.
    static let limit = 30
    /// Milliseconds.
    static let hour: UInt64 = 3_600_000

    struct Push: Equatable {
        /// Milliseconds since 1970.
        var time: UInt64
        var event: UInt64
    }

    /// The oldest first, at most `limit`.
    private(set) var pushes: [Push] = []

    init() {}

    func contains(event: UInt64) -> Bool { pushes.contains { $0.event == event } }

    /// Notes a push at `now`; false when the last hour has its number.
    ///
    /// A clock that was set back by more than an hour begins anew: pushes of the future bar nothing.
    mutating func add(event: UInt64, now: UInt64) -> Bool {
        pushes.removeAll { max(now, $0.time) - min(now, $0.time) >= RecentPushes.hour }
        guard pushes.count < RecentPushes.limit else { return false }
        pushes.append(Push(time: now, event: event))
        return true
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 4 + pushes.count * 16)
        writer.write(list: pushes) {
            $0.write($1.time)
            $0.write($1.event)
        }
        return writer.bytes
    }

    init(encoded: [UInt8]) throws(StoreError) {
        var reader = ByteReader(encoded)
        pushes = try reader.readList { (reader) throws(StoreError) in
            Push(time: try reader.readUInt64(), event: try reader.readUInt64())
        }
        try reader.finish()
    }
}
