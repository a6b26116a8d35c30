@testable import Store

extension Store {
    /// RocksDB itself, for what no other engine has.
    var rocksDatabase: Database {
        guard let rocks else { preconditionFailure("this store is not a directory") }
        return rocks.database
    }

    /// Bytes on disk of one family, as `statistics()` has it.
    func diskBytes(of family: ColumnFamily) async throws -> UInt64 { try await statistics()[family.index].diskBytes }
}
