import Synchronization

/// Rows that are read again and again for a short while: those of what waits to be sent, and the counters.
///
/// From its queueing to its end a delivery's rows are read half a dozen times, each time past all that RocksDB keeps of
/// newer and older writes. Here they are at hand from the commit that makes them until the one that ends them. Every
/// commit passes by, so what is found here is what was committed last; who finds nothing asks RocksDB. What does not
/// fit is not kept: of a backlog the oldest are, which are sent first.
final class HotRows: Sendable {
    /// Bytes of all rows together, with what keeping them costs: some 50,000 deliveries when each of their devices has
    /// five, some 20,000 when each has one and watches twenty addresses.
    static let capacity = 32 << 20
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
    private let state = Mutex(State())

    init(capacity: Int = HotRows.capacity) { self.capacity = capacity }

    /// The row as it was committed last; nil says nothing.
    func get(_ family: ColumnFamily, _ key: [UInt8]) -> [UInt8]? {
        guard HotRows.mayKeep(family) else { return nil }
        return state.withLock { $0.rows[family.index][key] }
    }

    /// What a device's delivery is sent by, all of one moment; nil unless all of it is here.
    func due(_ device: DeviceID, _ seq: UInt64) -> DueRows? {
        let (deviceKey, deliveryKey) = (device.bytes, Delivery.key(device, seq))
        return state.withLock { state in
            guard let row = state.rows[ColumnFamily.deviceStates.index][deviceKey],
                let delivery = state.rows[ColumnFamily.deliveries.index][deliveryKey],
                let device = state.rows[ColumnFamily.devices.index][deviceKey]
            else { return nil }
            return DueRows(state: row, delivery: delivery, device: device)
        }
    }

    /// Bytes of all rows together, as they are counted.
    var bytes: Int { state.withLock { $0.bytes } }

    /// All rows of one family.
    func rows(of family: ColumnFamily) -> [[UInt8]: [UInt8]] { state.withLock { $0.rows[family.index] } }

    /// Takes over what a transaction has committed: `writes` by family (nil: deleted), and the registrations it read.
    func commit(_ writes: (ColumnFamily) -> [[UInt8]: [UInt8]?], read registrations: [[UInt8]: [UInt8]]) {
        state.withLock { state in
            for (key, row) in writes(.meta) { state.set(.meta, key, row, capacity) }
            for (key, row) in writes(.deliveries) { state.set(.deliveries, key, row, capacity) }
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
        case .meta, .deliveries, .deliveryLog, .deviceStates, .devices: true
        default: false
        }
    }

    private struct State {
        /// In the order of `ColumnFamily.index`.
        var rows = [[[UInt8]: [UInt8]]](repeating: [:], count: ColumnFamily.allCases.count)
        var bytes = 0

        /// Puts a row in the place of what was there; takes that away if the new one is nil or does not fit.
        mutating func set(_ family: ColumnFamily, _ key: [UInt8], _ row: [UInt8]?, _ capacity: Int) {
            if let old = rows[family.index][key] { bytes -= Self.cost(key, old) }
            guard let row, bytes + Self.cost(key, row) <= capacity else {
                rows[family.index][key] = nil
                return
            }
            bytes += Self.cost(key, row)
            rows[family.index][key] = row
        }

        private static func cost(_ key: [UInt8], _ row: [UInt8]) -> Int {
            key.count + row.count + HotRows.overhead
        }
    }
}
