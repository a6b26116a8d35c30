import Foundation
public import Kaspa

/// Everything the indexer must not forget, in one RocksDB directory.
///
/// Changes are verbs in extensions (`apply`, `upsertDevice`, `fanOut`, `settle`); each is one atomic batch, run by the
/// single writer. Reads go to the committed state from any thread. `Schema.swift` describes every key and value.
public final class Store: Sendable {
    let path: String
    /// The network whose addresses the rows hold.
    public let network: Network
    let limits: StoreLimits
    let database: Database
    /// Whether its rows are of an older schema version, or partly; only if `OlderStore.keep` let it open so.
    public let isOlder: Bool
    /// The scripts of all watched addresses, ahead of every registration's answer; empty if `readOnly`.
    public let watchedScripts: WatchedScripts
    let gate: StoreGate
    let changeNotice = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let writer: StoreWriter
    private let syncer: LogSyncer

    /// Opens, or creates, the store in the directory `path` for `network`.
    ///
    /// Errors, all for the operator: `.locked` (another process has it), `.inputOutput` (permissions), `.lowSpace`,
    /// `.newerSchema` (written by a newer version), `.olderSchema`, `.otherNetwork`, `.corrupt`.
    ///
    /// With `readOnly` it shows what was written before it was opened, also while another process has it, changes
    /// nothing, and is an error where there is no store yet.
    public convenience init(
        path: String, network: Network, limits: StoreLimits = StoreLimits(), readOnly: Bool = false,
        older: OlderStore = .migrate()
    ) throws(StoreError) {
        try self.init(
            path: path, network: network, limits: limits, readOnly: readOnly, older: older,
            conditions: StoreConditions())
    }

    /// The same under conditions that a test makes.
    package init(
        path: String, network: Network, limits: StoreLimits = StoreLimits(), readOnly: Bool = false,
        older: OlderStore = .migrate(), conditions: StoreConditions
    ) throws(StoreError) {
        // RocksDB would make the directory even to read from it.
        if readOnly, !FileManager.default.fileExists(atPath: path) {
            throw StoreError(.inputOutput, "there is no store at \(path)")
        }
        do {
            if !readOnly { try StoreFiles.makeFolder(path) }
        } catch {
            throw StoreError(.inputOutput, "cannot create the store's directory \(path): \(error.localizedDescription)")
        }
        if !readOnly { try Store.checkRoomToOpen(path) }
        self.path = path
        self.network = network
        self.limits = limits
        let database = try Database(
            path: path, readOnly: readOnly, hotRowBytes: conditions.hotRowBytes, before: conditions.before)
        let gate = StoreGate(
            path: path, minimumFreeBytes: limits.minimumFreeBytes, freeBytes: conditions.freeBytes,
            backgroundErrors: { [database] in database.backgroundErrors })
        self.database = database
        self.gate = gate
        // Only now, as whoever opens to write has the lock.
        if !readOnly { Store.removeStaging(in: path) }
        let kept = readOnly ? nil : WatchFilterFile.take(from: path, .init(database, at: path))
        watchedScripts = WatchedScripts(
            smallestCapacity: conditions.smallestWatchFilter, hash: kept?.hash ?? SipHash())
        // One thread for both: a sync that begins while a write fails would end the process (see StoreGate). Writes
        // wait for a sync, and those that waited share the next one.
        let executor = BlockingExecutor(label: "kasia.store.writer")
        writer = StoreWriter(
            database: database, watchedScripts: watchedScripts, gate: gate, executor: executor,
            limits: limits, onChanges: { [notice = changeNotice.continuation] in notice.yield() })
        syncer = LogSyncer(executor: executor) { () throws(StoreError) in
            try gate.perform { () throws(StoreError) in try database.syncWriteAheadLog() }
        }
        let version = try Store.checkIdentity(of: database, network: network, readOnly: readOnly)
        let place = try MigrationPlace.read(database)
        let needsMigration = version < SchemaVersion.current || place != nil
        switch older {
        case .keep: isOlder = needsMigration
        case .migrate(let report) where !readOnly:
            if needsMigration {
                try StoreMigrator(
                    database: database, network: network, gate: gate, rowsPerBatch: conditions.migrationRows
                ).run(from: version, report)
            }
            isOlder = false
        case .migrate, .refuse:
            guard !needsMigration else {
                throw StoreError(
                    .olderSchema,
                    "the store was written by an older version (its schema is not yet \(SchemaVersion.current)): "
                        + "start this version's service once, which migrates it")
            }
            isOlder = false
        }
        if !isOlder, !readOnly { try database.dropOldFamilies() }
        let isWatched = readOnly ? false : try Store.watchesAnything(database)
        if !isWatched {
            watchedScripts.beginEmpty()
        } else if let kept, !needsMigration {
            watchedScripts.begin(with: kept.filter)
        } else {
            watchedScripts.requestFilling()
        }
    }

    /// Returns when everything written before the call is on disk.
    ///
    /// Calls that wait together share one fsync.
    public func sync() async throws(StoreError) {
        try await syncer.sync()
    }

    /// The number of the last write: it grows with every one.
    public var lastWrite: UInt64 { database.lastSequence }

    /// Bytes on disk of one column family, as RocksDB estimates it.
    public func diskBytes(of family: ColumnFamily) -> UInt64 {
        database.property("rocksdb.total-sst-files-size", of: family) ?? 0
    }

    /// The APNs client's provider token, in the client's own encoding.
    public func providerToken() throws(StoreError) -> [UInt8]? {
        try database.get(.meta, MetaKey.providerToken)
    }

    /// Keeps the provider token across restarts: Apple refuses a new one within 20 minutes of the last.
    ///
    /// Durable on return.
    public func saveProviderToken(_ token: [UInt8]) async throws(StoreError) {
        try await write { (transaction) throws(StoreError) in
            transaction.put(.meta, MetaKey.providerToken, token)
        }
        try await sync()
    }

    func write<Result: Sendable>(
        _ change: StoreChange = .upkeep, _ body: @Sendable (WriteTransaction) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await writer.write(change, body)
    }

    /// Returns the schema version; a fresh store gets the present one, and its network.
    private static func checkIdentity(
        of database: Database, network: Network, readOnly: Bool
    ) throws(StoreError) -> UInt32 {
        let transaction = WriteTransaction(database)
        var version = SchemaVersion.current
        if let stored = try transaction.get(.meta, MetaKey.schemaVersion) {
            var reader = ByteReader(stored)
            version = try reader.readUInt32()
            try reader.finish()
            guard version > 0 else { throw ByteReader.corrupt("schema version") }
            guard version <= SchemaVersion.current else {
                throw StoreError(
                    .newerSchema,
                    "the store has schema version \(version), this program knows up to \(SchemaVersion.current): "
                        + "run the newer program")
            }
        } else {
            transaction.put(.meta, MetaKey.schemaVersion, SchemaVersion.encoded)
        }
        if let stored = try transaction.get(.meta, MetaKey.network) {
            let name = String(decoding: stored, as: UTF8.self)
            guard name == network.description else {
                throw StoreError(
                    .otherNetwork,
                    "the store belongs to \(name), the configuration says \(network): choose another store.path")
            }
        } else {
            transaction.put(.meta, MetaKey.network, Array(network.description.utf8))
        }
        if !readOnly { try transaction.commit(synced: true) }
        return version
    }
}
