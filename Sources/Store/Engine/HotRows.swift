import Synchronization

/// Rows that are read again and again for a short while: those of what waits to be sent, and the counters.
///
/// From its queueing to its end a delivery's rows are read half a dozen times, each time past all that RocksDB keeps of
/// newer and older writes. Here they are at hand from the commit that makes them until the one that ends them. Every
/// commit passes by, so what is found here is what was committed last; who finds nothing asks RocksDB. What does not
/// fit is not kept: of a backlog the oldest are, which are sent first.
///
/// So are the operations that became an event last, whose payloads notifications carry: until the first of an
/// operation's deliveries has ended, or others have taken their place.
final class HotRows: Sendable {
    /// Bytes of all rows but operations, with what keeping them costs: some 50,000 deliveries when each of their devices
    /// has five, some 20,000 when each has one and watches twenty addresses.
    static let capacity = 32 << 20
    /// Beside them, operations take at most half as much.
    private static let operationShare = 2
    /// What a row costs beside its bytes: two arrays' heads and a place in a table.
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

    init(capacity: Int = HotRows.capacity) {
        self.capacity = capacity
        state = Mutex(State(operations: RecentRows(capacity: capacity / HotRows.operationShare)))
    }

    /// The row as it was committed last; nil says nothing.
    func get(_ family: ColumnFamily, _ key: [UInt8]) -> [UInt8]? {
        guard HotRows.mayKeep(family) else { return nil }
        let key = RowKey(key)
        return state.withLock { family == .operations ? $0.operations[key] : $0.rows[family.index][key] }
    }

    /// What a device's delivery is sent by, all of one moment; nil unless all of it is here.
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

    /// Bytes of all rows together, as they are counted.
    var bytes: Int { state.withLock { $0.bytes + $0.operations.bytes } }

    /// All rows of one family.
    func rows(of family: ColumnFamily) -> [RowKey: [UInt8]] {
        state.withLock { family == .operations ? $0.operations.all : $0.rows[family.index] }
    }

    /// Takes over what a transaction has committed: `writes` by family (nil: deleted), and the registrations it read.
    func commit(_ writes: (ColumnFamily) -> [RowKey: [UInt8]?], read registrations: [RowKey: [UInt8]]) {
        state.withLock { state in
            let operations = writes(.operations)
            if !operations.isEmpty {
                let announced = Set(writes(.events).values.compactMap { $0.map(RowKey.init(operationOf:)) })
                for (key, row) in operations { state.operations.set(key, announced.contains(key) ? row : nil) }
            }
            for (key, row) in writes(.meta) { state.set(.meta, key, row, capacity) }
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
        case .meta, .operations, .deliveries, .deliveryLog, .deviceStates, .devices: true
        default: false
        }
    }

    /// What a row takes, as it is counted.
    static func cost(_ key: RowKey, _ row: [UInt8]) -> Int { key.bytes.count + row.count + overhead }

    private struct State {
        /// In the order of `ColumnFamily.index`; those of operations are apart.
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
                bytes += HotRows.cost(key, row)
            } else {
                old = rows[family.index].removeValue(forKey: key)
            }
            if let old { bytes -= HotRows.cost(key, old) }
            if let row, bytes > capacity {
                rows[family.index][key] = nil
                bytes -= HotRows.cost(key, row)
            }
            return old
        }
    }
}
