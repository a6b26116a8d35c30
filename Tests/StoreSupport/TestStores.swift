import Foundation
package import Kaspa
package import PostgresServer
package import PostgresStore
package import Store
import Synchronization

/// What keeps the rows of the tests' stores: RocksDB, or PostgreSQL where `KASIA_TEST_ENGINE` says `postgres`.
package enum TestEngine: String, Sendable {
    case rocksDB = "rocksdb"
    case postgres

    package static let current: TestEngine = {
        let name = ProcessInfo.processInfo.environment["KASIA_TEST_ENGINE"] ?? TestEngine.rocksDB.rawValue
        guard let engine = TestEngine(rawValue: name) else { fatalError("KASIA_TEST_ENGINE: there is no \(name)") }
        return engine
    }()

    package static var isRocksDB: Bool { current == .rocksDB }
}

/// Opens the stores of tests, by the same path on either engine.
package enum TestStores {
    private static let database = Mutex<String?>(nil)
    /// Of the last store of each path on the server.
    private static let closings = Mutex<[String: StoreClosing]>([:])

    /// Opens, or creates, the store of this path: a directory, or a schema of the tests' server.
    ///
    /// With conditions that a script makes it is always a directory: those are RocksDB's.
    package static func open(
        _ path: String, network: Network = .mainnet, limits: StoreLimits = StoreLimits(), readOnly: Bool = false,
        conditions: StoreConditions? = nil
    ) throws -> Store {
        guard conditions == nil, TestEngine.current == .postgres else {
            return try Store(
                path: path, network: network, limits: limits, readOnly: readOnly,
                conditions: conditions ?? StoreConditions())
        }
        var times = ServerTimes.service
        // While a lease is in doubt nothing is sent, and where time is given nobody looks again.
        times.lease = .seconds(3_600)
        // No test of these is about a slow server, and a machine of many tests is one.
        times.deadline = .seconds(30)
        // One that is killed comes back only when something is written, so that the next one finds the lock free.
        times.renewal = .seconds(3_600)
        let store = try PostgresStore.open(
            try location(path), network: network, limits: limits, readOnly: readOnly, times: times)
        if !readOnly { closings.withLock { $0[path] = store.closing } }
        return store
    }

    /// Returns when the store of this path that was opened before, and let go, is closed, as far as it was opened here.
    ///
    /// A server's takes a moment, in which an opening would wait on a thread that others need.
    package static func untilClosed(_ path: String) async throws {
        guard let closing = closings.withLock({ $0.removeValue(forKey: path) }) else { return }
        guard await closing.wait(atMost: .seconds(60)) else {
            throw StoreError(.locked, "the store of \(path) is still open")
        }
    }

    /// Where the store of a path is on the tests' server; its schema is made if there is none.
    package static func location(_ path: String) throws -> PostgresStore.Location {
        try location(schema: schema(path), database: databaseName(), on: .shared())
    }

    /// A schema of a server, which is made if there is none.
    package static func location(
        schema: String, database: String, on server: PostgresServer
    ) throws -> PostgresStore.Location {
        try server.run("create schema if not exists \(schema)", database: database)
        return PostgresStore.Location(url: server.url(database: database) + "?options=-csearch_path%3D\(schema)")
    }

    /// The same as a setting of the service.
    package static func url(_ path: String) throws -> String { try location(path).url }

    /// Leaves what a kill of the process would leave; returns the path at which the next process finds it.
    ///
    /// A directory is copied as it is at this moment, to `copy`; of a server the writer's connection is ended.
    package static func kill(_ store: Store, at path: String, copy: String) async throws -> String {
        guard TestEngine.current == .postgres else {
            try await store.checkpoint(to: copy)
            return copy
        }
        let lock = "hashtextextended('\(schema(path))', \(PostgresStore.lockKey))"
        try PostgresServer.shared().run(
            """
            select pg_terminate_backend(pid, 10000) from pg_locks
            where locktype = 'advisory' and ((classid::bigint << 32) | objid::bigint) = \(lock)
            """, database: databaseName())
        return path
    }

    private static func databaseName() throws -> String {
        try database.withLock { known in
            if let known { return known }
            let made = try PostgresServer.shared().makeDatabase()
            known = made
            return made
        }
    }

    /// A name of PostgreSQL's has 63 bytes at most: a hash stands for the path (FNV-1a).
    private static func schema(_ path: String) -> String {
        let hash = path.utf8.reduce(14_695_981_039_346_656_037 as UInt64) {
            ($0 ^ UInt64($1)) &* 1_099_511_628_211
        }
        return "s_" + String(hash, radix: 36)
    }
}
