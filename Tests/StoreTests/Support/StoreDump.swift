@testable import Store

/// Every row of a store, by family: two stores are equal when their dumps are.
struct StoreDump: Equatable {
    var rows: [ColumnFamily: [[UInt8]: [UInt8]]] = [:]
    /// Of families that only older versions have: what a fixture says of them.
    var dropped: [DroppedFamily: [[UInt8]: [UInt8]]] = [:]

    init() {}

    init(_ reading: some StoreReading) throws {
        for family in ColumnFamily.allCases {
            try reading.scan(family, prefix: []) { row in
                rows[family, default: [:]][Array(row.key)] = Array(row.value)
                return true
            }
        }
    }

    init(_ store: Store) throws { try self.init(store.database) }

    subscript(_ family: ColumnFamily) -> [[UInt8]: [UInt8]] { rows[family] ?? [:] }

    func keys(_ family: ColumnFamily) -> [[UInt8]] { self[family].keys.sorted { $0.lexicographicallyPrecedes($1) } }

    /// The dump without the counters, which `Totals` and `Books` show, and without the log of changes, which has tests
    /// of its own.
    var withoutCounters: StoreDump {
        var dump = self
        for counter in Counter.allCases {
            dump.rows[.meta]?[counter.key] = nil
            dump.rows[.meta] = dump.rows[.meta]?.filter { !$0.key.starts(with: counter.reasonPrefix) }
        }
        dump.rows[.meta]?[MetaKey.lastChange] = nil
        dump.rows[.changes] = nil
        return dump
    }

    /// The states of devices as they are read: without an only delivery that has ended.
    func withStatesAsRead() throws -> StoreDump {
        var dump = self
        for (key, row) in self[.deviceStates] {
            var state = try DeviceState(encoded: row)
            guard let seq = state.only, self[.deliveries][Delivery.key(DeviceID(bytes: key), seq)] == nil else {
                continue
            }
            state.end()
            dump.rows[.deviceStates]?[key] = state.encoded
        }
        return dump
    }

    /// The dump without what only a fixture knows.
    var withoutDropped: StoreDump {
        var dump = self
        dump.dropped = [:]
        return dump
    }

    /// The families in which the two differ, for a failure's message.
    func differingFamilies(_ other: StoreDump) -> [String] {
        ColumnFamily.allCases.filter { self[$0] != other[$0] }.map(\.rawValue)
    }

    /// Whether any key or value contains `bytes`, and in which family.
    func families(containing bytes: [UInt8]) -> [String] {
        func contains(_ text: [UInt8]) -> Bool {
            text.count >= bytes.count
                && (0...text.count - bytes.count).contains { text[$0..<$0 + bytes.count].elementsEqual(bytes) }
        }
        return ColumnFamily.allCases.filter { self[$0].contains { contains($0.key) || contains($0.value) } }
            .map(\.rawValue)
    }
}
