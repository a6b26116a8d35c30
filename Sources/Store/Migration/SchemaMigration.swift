import Kaspa

/// One walk over a column family that brings its rows, and what follows from them, to a later schema version.
///
/// A row may be seen twice, when a crash came between: what is made of it must be the same then.
struct SchemaMigration: Sendable {
    /// The version that the store has after this walk, and after those of the same target beside it.
    let target: UInt32
    let family: ColumnFamily
    /// Writes what follows from a row.
    ///
    /// `.corrupt` says that it cannot be read: it is counted and left as it is.
    let change: @Sendable (_ key: [UInt8], _ value: [UInt8], WriteTransaction, Network) throws(StoreError) -> Void

    /// In the order of their targets.
    ///
    /// A store remembers its place by number: new ones go to the end.
    static let all = [
        SchemaMigration(target: 2, family: .operations) {
            (key, value, transaction, network) throws(StoreError) in
            try transaction.bringOperationToVersionTwo(key, value, network: network)
        },
        SchemaMigration(target: 3, family: .devices) {
            (key, value, transaction, network) throws(StoreError) in
            try transaction.bringDeviceToVersionThree(key, value, network: network)
        },
        SchemaMigration(target: 3, family: .meta) { (key, _, transaction, _) throws(StoreError) in
            if MetaKey.ofDeviceKeys.contains(key) { transaction.delete(.meta, key) }
        },
        SchemaMigration(target: 3, family: .operations) {
            (key, value, transaction, network) throws(StoreError) in
            try transaction.bringBroadcastToVersionThree(key, value, network: network)
        },
        SchemaMigration(target: 4, family: .deviceStates) { (key, value, transaction, _) throws(StoreError) in
            try transaction.bringDeviceStateToVersionFour(key, value)
        },
        SchemaMigration(target: 4, family: .meta) { (key, _, transaction, network) throws(StoreError) in
            guard key == Counter.events.key else { return }
            try transaction.countLongEvents(network: network)
        },
        SchemaMigration(target: 5, family: .operations) {
            (key, value, transaction, network) throws(StoreError) in
            try transaction.bringOperationToVersionFive(key, value, network: network)
        },
        SchemaMigration(target: 5, family: .events) { (key, value, transaction, network) throws(StoreError) in
            try transaction.bringEventToVersionFive(key, value, network: network)
        },
    ]

    /// The first walk that a store of this version needs; `all.count` when it needs none.
    static func first(after version: UInt32) -> Int {
        all.firstIndex { $0.target > version } ?? all.count
    }
}

extension WriteTransaction {
    /// Version 2 knows lists of group messages and of broadcasts by sender, and which operations were taken out.
    ///
    /// Version 1 kept that in a row of `reverted` while a transaction's marker lived. Later the lists tell: an operation
    /// keeps its place in those that only accepted ones are in.
    fileprivate func bringOperationToVersionTwo(
        _ key: [UInt8], _ value: [UInt8], network: Network
    ) throws(StoreError) {
        guard let id = Hash(bytes: key) else { throw ByteReader.corrupt("operations") }
        var operation = try OperationRecord(transactionID: id, ofAnyVersion: value, network: network)
        if operation.acceptance == nil {
            guard try wasAccepted(operation) else { return }
            operation.isReverted = true
            put(.operations, key, operation.encoded)
        }
        for list in operation.lists {
            switch list {
            case .groupMessagesBySender, .broadcastsBySender:
                put(.operationLists, list.prefix + operation.position.bytes, [])
            default: break
            }
        }
    }

    private func wasAccepted(_ operation: OperationRecord) throws(StoreError) -> Bool {
        if try get(.reverted, operation.transactionID.bytes) != nil { return true }
        let before = operation.listsBeforeAcceptance
        for list in operation.lists where !before.contains(list) {
            if try get(.operationLists, list.prefix + operation.position.bytes) != nil { return true }
        }
        return false
    }
}
