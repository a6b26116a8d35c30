import Kaspa

/// What a repair does with a row of each family.
struct IndexRepair {
    static let order: [ColumnFamily] = [
        .devices, .watchers, .walletDevices, .deviceStates, .deliveries, .deliveryLog, .deliveryLogByTime,
        .deadLetters, .recentFunds, .schedule, .enqueued, .enqueuedByTime, .reverted, .retractions, .operations,
        .transfers, .operationLists, .accepted, .unconfirmed, .unresolved, .unresolvedTimes, .releasedBindings,
    ]

    let network: Network
    /// Milliseconds since 1970: when a delivery is due that has lost its place.
    let now: UInt64

    func look(
        at key: [UInt8], _ value: [UInt8], in family: ColumnFamily, _ writer: inout RepairWriter
    ) throws(StoreError) {
        switch family {
        // These have no index, and are none.
        case .meta, .groupBindings, .changes, .usedNonces, .events: break
        // History
        case .operations: try restoreIndexes(ofOperation: key, value, &writer)
        case .operationLists: if try !belongs(toList: key, writer) { writer.delete(family, key) }
        case .accepted: if try !isKnown(Array(key.dropFirst(Hash.byteCount)), writer) { writer.delete(family, key) }
        case .transfers: try restoreIndexes(ofTransfer: key, value, &writer)
        case .unresolved: try restoreIndexes(ofQuestion: key, value, &writer)
        case .unresolvedTimes: try lookAtUnresolvedTime(key, &writer)
        case .unconfirmed: if try !isKnown(Array(key.dropFirst(8)), writer) { writer.delete(family, key) }
        // Registry
        case .devices: try restoreIndexes(of: DeviceRecord(encoded: value, network: network), &writer)
        case .watchers: try lookAtWatcher(key, &writer)
        case .walletDevices: try lookAtWalletDevice(key, &writer)
        case .releasedBindings: try lookAtReleasedBinding(key, value, &writer)
        // Outbox
        case .deviceStates, .deliveries, .deliveryLog, .recentFunds:
            try writer.delete(family, key, unlessIn: .devices, Array(key.prefix(DeviceID.byteCount)))
        case .deliveryLogByTime:
            // A delivery that waits needs no row.
            if try !writer.has(.deliveries, Array(key.dropFirst(8))) {
                try writer.delete(family, key, unlessIn: .deliveryLog, Array(key.dropFirst(8)))
            }
        case .deadLetters: if try !hasDeadLetterRow(key, writer) { writer.delete(family, key) }
        case .schedule: try lookAtSchedule(key, &writer)
        case .enqueued: try writer.add(.enqueuedByTime, Array(value.prefix(8)) + key)
        case .enqueuedByTime: try writer.delete(family, key, unlessIn: .enqueued, Array(key.dropFirst(8)))
        case .reverted: try writer.delete(family, key, unlessIn: .enqueued, key)
        case .retractions: try writer.delete(family, key, unlessIn: .reverted, Array(key.dropFirst(8)))
        }
    }
}

/// Writes for a repair, and counts what it changes.
struct RepairWriter {
    let transaction: WriteTransaction
    var repair = StoreRepair()

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    func has(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> Bool {
        try transaction.get(family, key) != nil
    }

    mutating func delete(_ family: ColumnFamily, _ key: [UInt8]) {
        transaction.delete(family, key)
        repair.removed[family, default: 0] += 1
    }

    /// Deletes a row unless the other one is there that it belongs to.
    mutating func delete(
        _ family: ColumnFamily, _ key: [UInt8], unlessIn other: ColumnFamily, _ otherKey: [UInt8]
    ) throws(StoreError) {
        if try !has(other, otherKey) { delete(family, key) }
    }

    mutating func add(_ family: ColumnFamily, _ key: [UInt8], _ value: [UInt8] = []) throws(StoreError) {
        guard try !has(family, key) else { return }
        transaction.put(family, key, value)
        repair.added[family, default: 0] += 1
    }

    mutating func set(_ counter: Counter, to count: UInt64) throws(StoreError) {
        let value = try transaction.value(of: counter)
        guard value != count else { return }
        var bytes = ByteWriter(capacity: 8)
        bytes.write(count)
        transaction.put(.meta, counter.key, bytes.bytes)
        repair.totals.append("\(counter.rawValue) said \(value), there are \(count)")
    }
}
