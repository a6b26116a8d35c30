/// Keys below which a family has no row, for the families that are queues: new rows come at the end, old ones go.
///
/// A look for the first row of such a family from its very beginning passes the tombstones of all that was deleted since
/// RocksDB last compacted it: a day's confirmations at each block, a hundred thousand dead letters at each new one. Only
/// the writer uses this: a transaction notes what it changes, and the writer takes that over after the commit. After a
/// start no bound is known, and the first look begins at the beginning.
final class KeyLowerBounds {
    private var keys: [ColumnFamily: [UInt8]] = [:]

    static func areKept(of family: ColumnFamily) -> Bool {
        switch family {
        case .unconfirmed, .deadLetters, .usedNonces: true
        default: false
        }
    }

    /// No row of the family is below this key; empty when no bound is known.
    subscript(family: ColumnFamily) -> [UInt8] { keys[family] ?? [] }

    /// Takes over what a committed transaction noted.
    func commit(_ changes: [ColumnFamily: [UInt8]]) { keys.merge(changes) { $1 } }
}

extension WriteTransaction {
    /// No row of the family, nor one that this transaction has put, is below this key.
    func lowerBound(of family: ColumnFamily) -> [UInt8] {
        lowerBoundChanges[family] ?? parent?.lowerBound(of: family) ?? memory?.lowerBounds[family] ?? []
    }

    /// Notes that all rows below `key` are gone; only for a family that `KeyLowerBounds` keeps.
    func note(nothingBelow key: [UInt8], in family: ColumnFamily) { lowerBoundChanges[family] = key }

    /// The family's first row; nil when it has none.
    func first<Element>(
        _ family: ColumnFamily, _ read: (Row) throws(StoreError) -> Element
    ) throws(StoreError) -> Element? {
        try list(
            family, from: lowerBound(of: family), below: KeyBytes.successor(ofPrefix: []), limit: 1, read
        ).first
    }
}
