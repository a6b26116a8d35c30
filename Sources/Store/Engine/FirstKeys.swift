/// Below which key a family has no row, for families that are queues: new rows come at the end, old ones go.
///
/// Who looks for the first row of such a family from its very beginning walks past the marks of all that was deleted
/// there since RocksDB last compacted it: a day's confirmations at each block, a hundred thousand dead letters at each
/// burial. For the writer alone: a transaction notes what it changes, and the writer takes that over once it is
/// committed. After a start nothing is known, and the first look goes the whole way.
final class FirstKeys {
    private var keys: [ColumnFamily: [UInt8]] = [:]

    static func areKept(of family: ColumnFamily) -> Bool {
        switch family {
        case .unconfirmed, .deadLetters, .usedNonces: true
        default: false
        }
    }

    /// No row of the family is below this key; empty when nothing is known.
    subscript(family: ColumnFamily) -> [UInt8] { keys[family] ?? [] }

    /// Takes over what a committed transaction noted.
    func commit(_ changes: [ColumnFamily: [UInt8]]) { keys.merge(changes) { $1 } }
}

extension WriteTransaction {
    /// No row of the family, nor one that this transaction has put, is below this key.
    func firstKey(of family: ColumnFamily) -> [UInt8] { firstKeyChanges[family] ?? firstKeys?[family] ?? [] }

    /// Notes that all rows below `key` are gone; only for a family that `FirstKeys` keeps.
    func note(nothingBelow key: [UInt8], in family: ColumnFamily) { firstKeyChanges[family] = key }

    /// The family's first row; nil when it has none.
    func first<Element>(
        _ family: ColumnFamily, _ read: (Row) throws(StoreError) -> Element
    ) throws(StoreError) -> Element? {
        try list(
            family, from: firstKey(of: family), below: KeyBytes.successor(ofPrefix: []), limit: 1, read
        ).first
    }
}
