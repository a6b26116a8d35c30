import CRocksDB

extension Database {
    /// Writes what a transaction put and deleted as one batch.
    func commit(_ transaction: WriteTransaction, synced: Bool) throws(StoreError) {
        guard !transaction.isEmpty else { return }
        let batch: OpaquePointer = rocksdb_writebatch_create()
        defer { rocksdb_writebatch_destroy(batch) }
        for family in ColumnFamily.allCases {
            let handle = familyHandle(family)
            // In order: the next place in RocksDB's list is then looked for from the last.
            for (key, value) in transaction.orderedWrites(to: family) {
                key.bytes.withCharacters { keyStart, keyLength in
                    guard let value else { return rocksdb_writebatch_delete_cf(batch, handle, keyStart, keyLength) }
                    value.withCharacters {
                        rocksdb_writebatch_put_cf(batch, handle, keyStart, keyLength, $0, $1)
                    }
                }
            }
        }
        if transaction.pending[ColumnFamily.watchers.index].isEmpty {
            try write(batch, synced: synced)
        } else {
            try watchIndexIterator.write { () throws(StoreError) in
                try write(batch, synced: synced)
            }
        }
        rowCache.take(over: transaction)
    }
}

extension RowCache {
    /// Takes over what was committed.
    package func take(over transaction: WriteTransaction) {
        commit(transaction.writes, read: transaction.registrations, untold: transaction.untold)
    }
}
