import Crypto

/// Copies all rows of one store into an empty other one, whichever engines keep them.
///
/// Each batch leaves in the target how far the copy is (`CopyProgress`). Until the last one such a store is refused at
/// every other opening, and the same copy run again continues it. Nobody may write to the source meanwhile.
package struct StoreCopy: Sendable {
    /// Rows of one batch, entries of the watch index among them; a registration has all of its entries in its batch.
    package static let rowsPerBatch = 2_000
    /// Bytes of keys and values of one batch; a greater row has a batch of its own.
    package static let bytesPerBatch = 4 << 20

    private let source: Store
    private let target: Store
    private let rowsPerBatch: Int
    private let bytesPerBatch: Int

    /// The source is only read.
    ///
    /// The target was opened with `acceptsPartialCopy`. Both are of one network.
    package init(
        from source: Store, to target: Store, rowsPerBatch: Int = StoreCopy.rowsPerBatch,
        bytesPerBatch: Int = StoreCopy.bytesPerBatch
    ) {
        precondition(source.network == target.network, "a copy stays on its network")
        self.source = source
        self.target = target
        self.rowsPerBatch = rowsPerBatch
        self.bytesPerBatch = bytesPerBatch
    }

    /// Copies what is missing, compares both stores, and opens the target to everybody; durable on return.
    ///
    /// Returns what the check of the target found. `progress` hears of each family, and of its rows so far after each
    /// batch. Errors: `StoreError`, `.unsupported` for a target that holds other rows or a part of another copy, and
    /// `.corrupt` for a source that is not sound and for a target that differs at the end, `.locked` for a source that
    /// somebody has written to. `CancellationError` between
    /// two batches: what is copied stays, for the next run.
    package func run(_ progress: (ColumnFamily, UInt64) -> Void = { _, _ in }) async throws -> StoreCheck {
        try source.requireWhole(to: "copy")
        let original = try await check(source)
        guard original.isSound else {
            throw StoreError(
                .corrupt,
                "the source is not sound (\(original.problems.first ?? "")): repair it first with `check --repair`")
        }
        var place = try await begin()
        for family in CopyProgress.order.drop(while: { [place] in $0 != place.family }) {
            place.begin(family)
            progress(family, place.rows)
            try await copy(&place, progress)
        }
        try Task.checkCancellation()
        guard try await identityOfSource() == place.source else {
            throw StoreError(
                .locked, "another process has written to the source meanwhile: stop it, remove the copy and copy again")
        }
        let copied = try await compare(with: original)
        _ = try await target.write(.growth) { $0.delete(.meta, MetaKey.copyProgress) }
        try await target.sync()
        return copied
    }

    /// The progress of an earlier run of the same copy, or that of a new one.
    private func begin() async throws(StoreError) -> CopyProgress {
        let identity = try await identityOfSource()
        let (stored, isEmpty) = try await target.read { () throws(StoreError) -> ([UInt8]?, Bool) in
            (try target.database.get(.meta, MetaKey.copyProgress), try self.isEmpty(target))
        }
        if let stored {
            let progress = try CopyProgress(encoded: stored)
            guard progress.source == identity else {
                throw StoreError(
                    .unsupported,
                    "the target holds a part of another store, or of this one before something was written to it: "
                        + "copy to an empty one")
            }
            return progress
        }
        guard isEmpty else { throw StoreError(.unsupported, "the target holds rows already: copy to an empty one") }
        let progress = CopyProgress(source: identity)
        try await target.write(.growth) { $0.put(.meta, MetaKey.copyProgress, progress.encoded) }
        return progress
    }

    /// Two sources that share this have the same rows: a store's cursor, counters and secret are in `meta`, and the
    /// number grows with every write.
    private func identityOfSource() async throws(StoreError) -> [UInt8] {
        try await source.read { () throws(StoreError) -> [UInt8] in
            var bytes = ByteWriter()
            bytes.write(source.lastWrite)
            try source.database.scan(.meta, prefix: []) { row in
                bytes.write(variable: Array(row.key))
                bytes.write(variable: Array(row.value))
                return true
            }
            return Array(SHA256.hash(data: bytes.bytes))
        }
    }

    /// Whether a store has nothing but its identity.
    private func isEmpty(_ store: Store) throws(StoreError) -> Bool {
        for family in ColumnFamily.allCases {
            let keys = try store.database.list(
                family, from: [], below: KeyBytes.successor(ofPrefix: []), limit: 3
            ) { Array($0.key) }
            guard keys.allSatisfy({ family == .meta && ($0 == MetaKey.schemaVersion || $0 == MetaKey.network) }) else {
                return false
            }
        }
        return true
    }

    private func check(_ store: Store) async throws(StoreError) -> StoreCheck {
        try await store.read { () throws(StoreError) -> StoreCheck in try store.checkBooks() }
    }

    /// Throws unless the target has what the source has.
    private func compare(with original: StoreCheck) async throws(StoreError) -> StoreCheck {
        var copied = try await check(target)
        // The progress is one of them.
        copied.rows[.meta, default: 1] -= 1
        var differences = ColumnFamily.allCases.filter { copied.rows[$0] != original.rows[$0] }.map { family in
            "\(family.rawValue): \(copied.rows[family, default: 0]) of \(original.rows[family, default: 0]) rows"
        }
        if copied.books != original.books { differences.append("books: \(copied.books) for \(original.books)") }
        differences += copied.problems
        guard differences.isEmpty else {
            throw StoreError(
                .corrupt,
                "the copy differs, and stays closed: \(differences.joined(separator: "; ")). Remove it and copy again")
        }
        return copied
    }
}

/// Rows on their way.
extension StoreCopy {
    private struct CopiedRow: Sendable {
        var key: [UInt8]
        var value: [UInt8]
        /// Keys of the target's watch index that follow from it.
        var watchKeys: [[UInt8]]

        var count: Int { 1 + watchKeys.count }
        var bytes: Int { key.count + value.count + watchKeys.reduce(0) { $0 + $1.count } }
    }

    /// Copies the rest of one family.
    private func copy(_ place: inout CopyProgress, _ progress: (ColumnFamily, UInt64) -> Void) async throws {
        var isWhole = false
        while !isWhole {
            let rows = try await rows(after: place)
            isWhole = rows.count < rowsPerBatch
            var rest = rows[...]
            while !rest.isEmpty {
                try Task.checkCancellation()
                let batch = Array(rest.prefix(batchLength(rest)))
                rest = rest.dropFirst(batch.count)
                place.lastKey = batch.last?.key
                place.rows += UInt64(batch.count)
                try await put(batch, reaching: place)
                progress(place.family, place.rows)
            }
        }
    }

    private func put(_ batch: [CopiedRow], reaching place: CopyProgress) async throws(StoreError) {
        try await target.write(.growth) { transaction in
            for row in batch {
                transaction.put(place.family, row.key, row.value)
                for key in row.watchKeys { transaction.put(.watchers, key, []) }
            }
            transaction.put(.meta, MetaKey.copyProgress, place.encoded)
        }
    }

    private func rows(after place: CopyProgress) async throws(StoreError) -> [CopiedRow] {
        try await source.read { () throws(StoreError) -> [CopiedRow] in
            try read(place.family, from: place.lastKey.map { $0 + [0] } ?? [])
        }
    }

    /// As many rows as one batch may have.
    private func read(_ family: ColumnFamily, from lower: [UInt8]) throws(StoreError) -> [CopiedRow] {
        try source.database.list(
            family, from: lower, below: KeyBytes.successor(ofPrefix: []), limit: rowsPerBatch
        ) { (row) throws(StoreError) in
            var copy = CopiedRow(key: Array(row.key), value: Array(row.value), watchKeys: [])
            if family == .devices {
                let device = try DeviceRecord(encoded: copy.value, network: source.network)
                copy.watchKeys = device.watchKeys.map { target.database.watchIndexKey($0) + device.id.bytes }
            }
            return copy
        }
    }

    /// How many of the first rows make one batch, at least one.
    private func batchLength(_ rows: ArraySlice<CopiedRow>) -> Int {
        var (length, count, bytes) = (0, 0, 0)
        for row in rows {
            (count, bytes) = (count + row.count, bytes + row.bytes)
            guard length == 0 || count <= rowsPerBatch && bytes <= bytesPerBatch else { break }
            length += 1
        }
        return length
    }
}
