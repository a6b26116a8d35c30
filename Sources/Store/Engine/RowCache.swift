import Synchronization

/// Rows kept in memory beside RocksDB: all of `meta`, and those of what waits to be sent.
///
/// From its queueing to its end a delivery's rows are read half a dozen times, each time past all that RocksDB keeps of
/// newer and older writes. Here they are kept from the commit that writes them to the one that ends the delivery. Every
/// commit is taken over, so a row that is found here is the one that was committed last; one that is not found is read
/// from RocksDB. A row that does not fit is not kept: of a backlog the oldest rows stay, which are sent first.
///
/// The operations that became an event last are kept, too, as notifications carry their payloads: each until the first
/// of its deliveries has ended, or newer ones need the room.
final class RowCache: Sendable {
    /// Bytes of all rows but those of `meta` and of operations, overhead included: some 50,000 deliveries when each of
    /// their devices has five, some 20,000 when each has one and watches twenty addresses.
    static let capacity = 32 << 20
    /// Beside them, operations take at most half as much.
    private static let operationShare = 2
    /// Bytes that a row takes beside its own: two arrays' headers and an entry of the dictionary.
    static let overhead = 128

    /// The rows that a notification is made of.
    struct DueRows {
        var state: [UInt8]
        var delivery: [UInt8]
        /// nil: the device is not registered.
        var device: [UInt8]?
    }

    private let capacity: Int
    private let state: Mutex<State>

    init(capacity: Int = RowCache.capacity) {
        self.capacity = capacity
        state = Mutex(State(operations: RecentRows(capacity: capacity / RowCache.operationShare)))
    }

    /// Takes over all rows of `meta` from a database that was just opened.
    func begin(withMeta rows: [RowKey: [UInt8]]) {
        state.withLock { $0.meta = rows }
    }

    /// The row of `meta` as it was committed last; nil if there is none.
    func meta(_ key: [UInt8]) -> [UInt8]? {
        let key = RowKey(key)
        return state.withLock { $0.meta[key] }
    }

    /// The row as it was committed last, of any family but `meta`; nil if it is not kept.
    func get(_ family: ColumnFamily, _ key: [UInt8]) -> [UInt8]? {
        guard RowCache.mayKeep(family) else { return nil }
        let key = RowKey(key)
        return state.withLock { family == .operations ? $0.operations[key] : $0.rows[family.index][key] }
    }

    /// The rows that a delivery's notification is made of, all of one moment; nil unless all of them are kept here.
    func due(_ device: DeviceID, _ seq: UInt64) -> DueRows? {
        let (deviceKey, deliveryKey) = (RowKey(device.bytes), RowKey(Delivery.key(device, seq)))
        return state.withLock { state in
            guard let row = state.rows[ColumnFamily.deviceStates.index][deviceKey],
                let delivery = state.rows[ColumnFamily.deliveries.index][deliveryKey],
                let device = state.rows[ColumnFamily.devices.index][deviceKey]
            else { return nil }
            return DueRows(state: row, delivery: delivery, device: device)
        }
    }

    /// Bytes of all rows, overhead included; the few of `meta` are not counted.
    var bytes: Int { state.withLock { $0.bytes + $0.operations.bytes } }

    /// All rows of one family that are kept.
    func rows(of family: ColumnFamily) -> [RowKey: [UInt8]] {
        state.withLock { state in
            switch family {
            case .meta: state.meta
            case .operations: state.operations.all
            default: state.rows[family.index]
            }
        }
    }

    /// Takes over what a transaction has committed: `writes` by family (nil: deleted), and the registrations it read.
    func commit(_ writes: (ColumnFamily) -> [RowKey: [UInt8]?], read registrations: [RowKey: [UInt8]]) {
        state.withLock { state in
            let operations = writes(.operations)
            if !operations.isEmpty {
                let announced = Set(writes(.events).values.compactMap { $0.map(RowKey.init(operationOf:)) })
                for (key, row) in operations { state.operations.set(key, announced.contains(key) ? row : nil) }
            }
            for (key, row) in writes(.meta) { state.meta[key] = row }
            for (key, row) in writes(.deliveries) {
                let old = state.set(.deliveries, key, row, capacity)
                if row == nil, let old { state.operations.set(RowKey(operationOf: old), nil) }
            }
            for (key, row) in writes(.deliveryLog) {
                state.set(.deliveryLog, key, row.flatMap { DeliveryLogEntry.isQueued($0) ? $0 : nil }, capacity)
            }
            let changed = writes(.devices)
            for (key, row) in changed where state.rows[ColumnFamily.devices.index][key] != nil {
                state.set(.devices, key, row, capacity)
            }
            for (key, row) in writes(.deviceStates) {
                let waits = row.map(DeviceState.isWaiting) ?? false
                state.set(.deviceStates, key, waits ? row : nil, capacity)
                if !waits {
                    state.set(.devices, key, nil, capacity)
                } else if changed[key] == nil, let registration = registrations[key] {
                    state.set(.devices, key, registration, capacity)
                }
            }
        }
    }

    private static func mayKeep(_ family: ColumnFamily) -> Bool {
        switch family {
        case .operations, .deliveries, .deliveryLog, .deviceStates, .devices: true
        default: false
        }
    }

    /// Bytes that a row takes, overhead included.
    static func cost(_ key: RowKey, _ row: [UInt8]) -> Int { key.bytes.count + row.count + overhead }

    private struct State {
        /// All rows of `meta`: some tens, of a few bytes.
        var meta: [RowKey: [UInt8]] = [:]
        /// In the order of `ColumnFamily.index`, without `meta` and operations.
        var rows = [[RowKey: [UInt8]]](repeating: [:], count: ColumnFamily.allCases.count)
        var bytes = 0
        var operations: RecentRows

        init(operations: RecentRows) { self.operations = operations }

        /// Puts a row in the place of what was there, which it returns; takes that away if the new one is nil or does
        /// not fit.
        @discardableResult
        mutating func set(_ family: ColumnFamily, _ key: RowKey, _ row: [UInt8]?, _ capacity: Int) -> [UInt8]? {
            let old: [UInt8]?
            if let row {
                old = rows[family.index].updateValue(row, forKey: key)
                bytes += RowCache.cost(key, row)
            } else {
                old = rows[family.index].removeValue(forKey: key)
            }
            if let old { bytes -= RowCache.cost(key, old) }
            if let row, bytes > capacity {
                rows[family.index][key] = nil
                bytes -= RowCache.cost(key, row)
            }
            return old
        }
    }
}
