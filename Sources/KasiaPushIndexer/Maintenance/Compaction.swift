import Store

/// Rewrites all tables, family by family.
enum Compaction {
    /// Compacts the store.
    ///
    /// Returns the sizes before and after in words. Stops between two families when cancelled.
    static func run(_ store: Store, _ progress: @Sendable (String) async -> Void) async throws -> String {
        let before = try await bytes(of: store)
        for (index, family) in ColumnFamily.allCases.enumerated() {
            try Task.checkCancellation()
            await progress("\(index + 1) of \(ColumnFamily.allCases.count): \(family.rawValue)")
            await store.compact(family)
        }
        return "\(ByteCount(before)) before, \(ByteCount(try await bytes(of: store))) now"
    }

    private static func bytes(of store: Store) async throws(StoreError) -> UInt64 {
        try await store.statistics().reduce(0) { $0 + $1.diskBytes }
    }
}
