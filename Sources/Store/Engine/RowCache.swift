import Kaspa
import Synchronization

/// Rows kept in memory beside RocksDB: all of `meta`, and by device those of what waits to be sent.
///
/// From its queueing to its end a delivery's rows are read half a dozen times, each time past all that RocksDB keeps of
/// newer and older writes. Here they are kept from the commit that writes them to the one that ends the delivery. Every
/// commit is taken over, so a row that is found here is the one that was committed last; one that is not found is read
/// from RocksDB. A row that does not fit is not kept: of a backlog the oldest rows stay, which are sent first.
///
/// The operations that became an event last are kept, too, as notifications carry their payloads: each until the first
/// of its deliveries has ended, its event has told nobody, or newer ones need the room.
package final class RowCache: Sendable {
    /// Bytes of all rows of devices, overhead included; operations take at most as much again.
    ///
    /// Some 75,000 deliveries fit when each device has five, some 45,000 when each has one.
    package static let capacity = 32 << 20
    /// Bytes that an operation's row takes beside its own: two arrays' headers and an entry of the dictionary.
    static let operationOverhead = 128
    /// Bytes that a row of a device takes beside its own: an array's header, and what rounding loses.
    static let rowOverhead = 48
    /// Bytes that a delivery takes beside its rows: its place in the device's list, which may be half empty.
    static let deliveryOverhead = 48
    /// Bytes that a device takes beside its rows: an entry of the dictionary, its object, and the header of its list.
    static let deviceOverhead = 184

    /// What a notification is made of.
    struct DueRows {
        var state: [UInt8]
        var delivery: [UInt8]
        var target: DeviceTarget
        /// nil: it is not at hand.
        var operation: [UInt8]?
    }

    private let state: Mutex<State>

    package init(capacity: Int = RowCache.capacity) {
        state = Mutex(State(capacity: capacity, operations: RecentRows(capacity: capacity)))
    }

    /// Takes over all rows of `meta` from a database that was just opened, and forgets all others.
    package func begin(withMeta rows: [RowKey: [UInt8]]) {
        state.withLock {
            $0 = State(capacity: $0.capacity, operations: RecentRows(capacity: $0.capacity))
            $0.meta = rows
        }
    }

    /// The row of `meta` as it was committed last; nil if there is none.
    package func meta(_ key: [UInt8]) -> [UInt8]? {
        let key = RowKey(key)
        return state.withLock { $0.meta[key] }
    }

    /// The row as it was committed last, of any family but `meta`; nil if it is not kept.
    package func get(_ family: ColumnFamily, _ key: [UInt8]) -> [UInt8]? {
        switch family {
        case .operations:
            let key = RowKey(key)
            return state.withLock { $0.operations[key] }
        case .deviceStates:
            let device = DeviceID(bytes: key)
            return state.withLock { $0.devices[device]?.state }
        case .deliveries:
            guard let (device, seq) = Delivery.place(ofKey: key) else { return nil }
            return state.withLock { $0.devices[device]?[seq]?.row }
        case .deliveryLog:
            guard let (device, seq) = Delivery.place(ofKey: key) else { return nil }
            return state.withLock { $0.devices[device]?[seq]?.logRow }
        default: return nil
        }
    }

    /// What a delivery's notification is made of, all of one moment; nil unless all but the operation is kept here.
    func due(_ device: DeviceID, _ seq: UInt64) -> DueRows? {
        state.withLock { state in
            guard let rows = state.devices[device], let row = rows.state, let target = rows.target,
                let delivery = rows[seq]?.row
            else { return nil }
            return DueRows(
                state: row, delivery: delivery, target: target,
                operation: state.operations[RowKey(operationOf: delivery)])
        }
    }

    /// Bytes of all rows, overhead included; the few of `meta` are not counted.
    package var bytes: Int { state.withLock { $0.bytes + $0.operations.bytes } }

    /// All rows of one family that are kept.
    func rows(of family: ColumnFamily) -> [RowKey: [UInt8]] {
        state.withLock { state in
            var rows: [RowKey: [UInt8]] = [:]
            switch family {
            case .meta: rows = state.meta
            case .operations: rows = state.operations.all
            case .deviceStates:
                for (device, kept) in state.devices { rows[RowKey(device.bytes)] = kept.state }
            case .deliveries, .deliveryLog:
                for (device, kept) in state.devices {
                    for delivery in kept.waiting {
                        let key = RowKey(Delivery.key(device, delivery.seq))
                        rows[key] = family == .deliveries ? delivery.row : delivery.logRow
                    }
                }
            default: break
            }
            return rows
        }
    }

    /// The targets that are kept, by device.
    var targets: [DeviceID: DeviceTarget] { state.withLock { $0.devices.compactMapValues(\.target) } }

    /// Takes over what a transaction has committed: `writes` by family (nil: deleted), the registrations it read, and the
    /// operations that no notification will be made of.
    func commit(
        _ writes: (ColumnFamily) -> [RowWrite], read registrations: [RowKey: [UInt8]], untold: [TransactionID] = []
    ) {
        state.withLock { state in
            let operations = writes(.operations)
            if !operations.isEmpty {
                let announced = Set(writes(.events).compactMap { $0.value.map(RowKey.init(operationOf:)) })
                for (key, row) in operations { state.operations.set(key, announced.contains(key) ? row : nil) }
            }
            for id in untold { state.operations.set(RowKey(id.bytes), nil) }
            for (key, row) in writes(.meta) { state.meta[key] = row }
            for (key, row) in writes(.deliveries) {
                guard let (device, seq) = Delivery.place(ofKey: key.bytes) else { continue }
                let old = state.setDelivery(seq, of: device, row)
                if row == nil, let old { state.operations.set(RowKey(operationOf: old), nil) }
                if row == nil { state.forgetState(of: device, whoseOnlyDeliveryWas: seq) }
            }
            for (key, row) in writes(.deliveryLog) {
                guard let (device, seq) = Delivery.place(ofKey: key.bytes) else { continue }
                state.setLogRow(seq, of: device, row.flatMap { DeliveryLogEntry.isQueued($0) ? $0 : nil })
            }
            let registered = writes(.devices)
            for (key, row) in registered { state.setRegistration(of: DeviceID(bytes: key.bytes), row) }
            let changed = Dictionary(uniqueKeysWithValues: registered.map { ($0.key, $0.value) })
            for (key, row) in writes(.deviceStates) {
                let device = DeviceID(bytes: key.bytes)
                // A row may still count an only delivery that has ended: that one is not kept.
                let waits =
                    row.map { row in
                        DeviceState.only(row).map { state.devices[device]?[$0] != nil } ?? DeviceState.isWaiting(row)
                    } ?? false
                state.setState(of: device, waits ? row : nil) {
                    (changed[key] ?? registrations[key]).flatMap { try? DeviceTarget(encoded: $0) }
                }
            }
        }
    }

    /// Keeps no row of the log any more: some are gone that no transaction has deleted.
    package func forgetLogRows() {
        state.withLock { state in
            for (device, rows) in state.devices {
                for delivery in rows.waiting { state.setLogRow(delivery.seq, of: device, nil) }
            }
        }
    }

    /// Bytes that an operation's row takes, overhead included.
    static func cost(_ key: RowKey, _ row: [UInt8]) -> Int { key.bytes.count + row.count + operationOverhead }

    private struct State {
        /// All rows of `meta`: some tens, of a few bytes.
        var meta: [RowKey: [UInt8]] = [:]
        /// Those for which something waits, with what fits.
        var devices: [DeviceID: DeviceRows] = [:]
        /// Bytes of `devices`.
        var bytes = 0
        let capacity: Int
        var operations: RecentRows

        init(capacity: Int, operations: RecentRows) {
            self.capacity = capacity
            self.operations = operations
        }

        /// Puts a delivery's row in the place of what was there, which it returns; a nil takes its log row away, too.
        mutating func setDelivery(_ seq: UInt64, of device: DeviceID, _ row: [UInt8]?) -> [UInt8]? {
            var old: [UInt8]?
            change(device, begins: row != nil) {
                old = $0.setDelivery(seq, row)
            } orElse: {
                _ = $0.setDelivery(seq, nil)
            }
            return old
        }

        /// Keeps a log row if its delivery is kept.
        mutating func setLogRow(_ seq: UInt64, of device: DeviceID, _ row: [UInt8]?) {
            change(device) {
                $0.setLogRow(seq, row)
            } orElse: {
                $0.setLogRow(seq, nil)
            }
        }

        /// Puts a registration in the place of the one that is kept, if one is.
        mutating func setRegistration(of device: DeviceID, _ row: [UInt8]?) {
            change(device) { rows in
                if rows.target != nil { rows.setTarget(row.flatMap { try? DeviceTarget(encoded: $0) }) }
            } orElse: {
                $0.setTarget(nil)
            }
        }

        /// Keeps the state of a device, and its target if none is kept yet; a nil takes both away.
        mutating func setState(of device: DeviceID, _ row: [UInt8]?, target: () -> DeviceTarget?) {
            change(device, begins: row != nil) { rows in
                rows.setState(row)
                if row == nil { rows.setTarget(nil) } else if rows.target == nil { rows.setTarget(target()) }
            } orElse: { rows in
                rows.setState(nil)
                rows.setTarget(nil)
            }
        }

        /// Forgets the state of a device, which still counts its only delivery.
        mutating func forgetState(of device: DeviceID, whoseOnlyDeliveryWas seq: UInt64) {
            guard let row = devices[device]?.state, DeviceState.only(row) == seq else { return }
            setState(of: device, nil) { nil }
        }

        /// Changes what is kept of a device by `body`, and after that by `otherwise` if the result does not fit.
        ///
        /// Of a device of which nothing is kept, only what `begins` is.
        private mutating func change(
            _ device: DeviceID, begins: Bool = false, _ body: (DeviceRows) -> Void,
            orElse otherwise: (DeviceRows) -> Void
        ) {
            let kept = devices[device]
            guard let rows = kept ?? (begins ? DeviceRows() : nil) else { return }
            let (before, room) = (rows.bytes, capacity - bytes)
            body(rows)
            if rows.bytes - before > room { otherwise(rows) }
            bytes += rows.bytes - before
            if rows.isEmpty {
                devices[device] = nil
            } else if kept == nil {
                devices[device] = rows
            }
        }
    }
}

/// What is kept of one device; an object, so that a look copies none of its parts.
private final class DeviceRows {
    /// One that waits.
    struct Waiting {
        let seq: UInt64
        /// The row in `deliveries`.
        var row: [UInt8]
        /// The row in `delivery_log`.
        var logRow: [UInt8]?

        var bytes: Int { RowCache.deliveryOverhead + DeviceRows.bytes(row) + DeviceRows.bytes(logRow) }
    }

    /// The row in `device_states`.
    private(set) var state: [UInt8]?
    private(set) var target: DeviceTarget?
    /// In the order of their numbers.
    private(set) var waiting: [Waiting] = []
    private var rowBytes = 0

    var isEmpty: Bool { state == nil && target == nil && waiting.isEmpty }

    /// All that it takes, overhead included; 0 when there is nothing.
    var bytes: Int { isEmpty ? 0 : RowCache.deviceOverhead + rowBytes }

    subscript(_ seq: UInt64) -> Waiting? {
        let place = place(of: seq)
        return place < waiting.count && waiting[place].seq == seq ? waiting[place] : nil
    }

    func setState(_ row: [UInt8]?) {
        rowBytes += DeviceRows.bytes(row) - DeviceRows.bytes(state)
        state = row
    }

    func setTarget(_ new: DeviceTarget?) {
        rowBytes += DeviceRows.bytes(of: new) - DeviceRows.bytes(of: target)
        target = new
    }

    /// Returns the row that was there; a nil takes the log row away, too.
    func setDelivery(_ seq: UInt64, _ row: [UInt8]?) -> [UInt8]? {
        let place = place(of: seq)
        guard place < waiting.count, waiting[place].seq == seq else {
            guard let row else { return nil }
            waiting.insert(Waiting(seq: seq, row: row), at: place)
            rowBytes += waiting[place].bytes
            return nil
        }
        let old = waiting[place].row
        rowBytes -= waiting[place].bytes
        if let row {
            waiting[place].row = row
            rowBytes += waiting[place].bytes
        } else {
            waiting.remove(at: place)
        }
        return old
    }

    func setLogRow(_ seq: UInt64, _ row: [UInt8]?) {
        let place = place(of: seq)
        guard place < waiting.count, waiting[place].seq == seq else { return }
        rowBytes += DeviceRows.bytes(row) - DeviceRows.bytes(waiting[place].logRow)
        waiting[place].logRow = row
    }

    /// Where the first delivery stands that has this number or a greater one.
    private func place(of seq: UInt64) -> Int {
        var (low, high) = (0, waiting.count)
        while low < high {
            let middle = (low + high) / 2
            if waiting[middle].seq < seq { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func bytes(of target: DeviceTarget?) -> Int {
        bytes(target?.token) + bytes(target?.subscriptionKeys?.publicKey) + bytes(target?.subscriptionKeys?.secret)
    }

    private static func bytes(_ row: [UInt8]?) -> Int { row.map { $0.count + RowCache.rowOverhead } ?? 0 }
}
