@testable import Store

extension WriteTransaction {
    /// Commits to the RocksDB database on which the transaction was begun.
    func commit(synced: Bool) throws(StoreError) {
        guard let database = base as? Database else { preconditionFailure("not begun on a RocksDB database") }
        try database.commit(self, synced: synced)
    }
}
