import Foundation
public import Kaspa

/// Everything the indexer must not forget: in one RocksDB directory, or in a database (`StoreBackend`).
///
/// It has three parts, each with its rows and verbs: `history`, `registry` and `outbox`. A verb that changes something
/// is one atomic batch, run by the single writer; a verb that reads runs on a thread of its own. `Schema.swift` describes
/// every key and value. What is left here concerns the store as a whole: opening, copies, checks, and its trouble.
public final class Store: StorePart {
    let engine: StoreEngine
    /// Whether its rows are of an older schema version, or partly; only if `OlderStore.keep` let it open so.
    public let isOlder: Bool

    /// What the chain says.
    public var history: History { History(engine: engine) }
    /// Who is to be told.
    public var registry: Registry { Registry(engine: engine) }
    /// What is to be sent.
    public var outbox: Outbox { Outbox(engine: engine) }
    /// The network whose addresses the rows hold.
    public var network: Network { engine.network }
    /// nil: it is not shared out, or it is another shard than 0.
    package let otherShards: (any OtherShards)?
    /// RocksDB, where the store is a directory.
    let rocks: RocksBackend?

    deinit { engine.backend.storeGoes() }

    /// A store whose rows another backend keeps.
    package init(engine: StoreEngine, otherShards: (any OtherShards)? = nil) {
        self.engine = engine
        self.otherShards = otherShards
        rocks = nil
        isOlder = false
    }

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

    /// The same under conditions that a test makes; with `acceptsPartialCopy` also one that a copy has only partly
    /// filled, which else is `.unsupported`.
    package init(
        path: String, network: Network, limits: StoreLimits = StoreLimits(), readOnly: Bool = false,
        older: OlderStore = .migrate(), conditions: StoreConditions, acceptsPartialCopy: Bool = false
    ) throws(StoreError) {
        try Store.prepareFolder(path, readOnly: readOnly)
        let database = try Database(
            path: path, readOnly: readOnly, rowCacheBytes: conditions.rowCacheBytes, before: conditions.before)
        let admission = WriteAdmission(
            path: path, minimumFreeBytes: limits.minimumFreeBytes, freeBytes: conditions.freeBytes,
            backgroundErrors: { [database] in database.backgroundErrors })
        // Only now, as whoever opens to write has the lock.
        if !readOnly { Store.removeStaging(in: path) }
        let kept = readOnly ? nil : WatchFilterFile.take(from: path, .init(database, at: path))
        var rocks: RocksBackend?
        engine = StoreEngine(
            network: network, limits: limits,
            watchedScripts: WatchedScripts(
                smallestCapacity: conditions.smallestWatchFilter, hash: kept?.hash ?? SipHash())
        ) { followers in
            let backend = RocksBackend(
                path: path, limits: limits, database: database, admission: admission, followers: followers)
            rocks = backend
            return backend
        }
        self.rocks = rocks
        otherShards = nil
        let version = try Store.checkIdentity(of: database, network: network, readOnly: readOnly)
        if !acceptsPartialCopy, try database.get(.meta, MetaKey.copyProgress) != nil { throw .partlyCopied }
        let place = try MigrationPlace.read(database)
        let needsMigration = version < SchemaVersion.current || place != nil
        if needsMigration {
            isOlder = try !Store.migrate(
                StoreMigrator(
                    database: database, network: network, admission: admission, rowsPerBatch: conditions.migrationRows),
                from: version, older, readOnly: readOnly)
        } else {
            isOlder = false
        }
        if !isOlder, !readOnly { try database.dropOldFamilies() }
        // The registrations of an older store that is left as it is cannot be read: all may be watched there.
        let isWatched = isOlder || readOnly ? !readOnly : try database.watchesAnything(on: network)
        if !isWatched {
            engine.watchedScripts.beginEmpty()
        } else if let kept, !needsMigration {
            engine.watchedScripts.begin(with: kept.filter)
        } else {
            engine.watchedScripts.requestFilling()
        }
    }

    /// Makes the folder of a store that is opened to write, and looks whether there is room to open it.
    private static func prepareFolder(_ path: String, readOnly: Bool) throws(StoreError) {
        // RocksDB would make the directory even to read from it.
        if readOnly, !FileManager.default.fileExists(atPath: path) {
            throw StoreError(.inputOutput, "there is no store at \(path)")
        }
        guard !readOnly else { return }
        do {
            try StoreFiles.makeFolder(path)
        } catch {
            throw StoreError(.inputOutput, "cannot create the store's directory \(path): \(error.localizedDescription)")
        }
        try checkRoomToOpen(path)
    }

    /// Migrates an older store, or keeps it as it is, as `older` says; returns whether it was migrated.
    private static func migrate(
        _ migrator: StoreMigrator, from version: UInt32, _ older: OlderStore, readOnly: Bool
    ) throws(StoreError) -> Bool {
        switch older {
        case .keep: return false
        case .migrate(let report) where !readOnly:
            try migrator.run(from: version, report)
            return true
        case .migrate, .refuse:
            throw StoreError(
                .olderSchema,
                "the store was written by an older version (its schema is not yet \(SchemaVersion.current)): "
                    + "start this version's service once, which migrates it")
        }
    }

    /// Returns when everything written before the call is on disk.
    ///
    /// Calls that wait together share one fsync.
    public func sync() async throws(StoreError) {
        try await engine.sync()
    }

    /// Whether this process may begin what cannot be taken back, such as a push.
    ///
    /// It is false when another process may have taken over the store: the server of a store in PostgreSQL has not
    /// answered for half a lease.
    public var mayAct: Bool { backend.mayAct }

    /// The number of the last write: it grows with every one.
    public var lastWrite: UInt64 { backend.lastWrite }

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
        if !readOnly { try database.commit(transaction, synced: true) }
        return version
    }
}
