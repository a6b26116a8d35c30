import Foundation
package import Kaspa
import PostgresServer
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

    /// Opens, or creates, the store of this path: a directory, or a schema of the tests' server.
    ///
    package static func open(
        _ path: String, network: Network = .mainnet, limits: StoreLimits = StoreLimits(), readOnly: Bool = false
    ) throws -> Store {
        guard TestEngine.current == .postgres else {
            return try Store(path: path, network: network, limits: limits, readOnly: readOnly)
        }
        return try PostgresStore.open(try location(path), network: network, limits: limits, readOnly: readOnly)
    }

    /// Where the store of a path is on the tests' server; its schema is made if there is none.
    package static func location(_ path: String) throws -> PostgresStore.Location {
        let server = try PostgresServer.shared()
        let name = try database.withLock { known in
            if let known { return known }
            let made = try server.makeDatabase()
            known = made
            return made
        }
        // A name of PostgreSQL's has 63 bytes at most.
        let schema =
            "s_"
            + String(
                path.utf8.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 },
                radix: 36)
        let url = server.url(database: name)
        try PostgresStore.makeSchema(schema, at: url)
        return PostgresStore.Location(url: url + "?options=-csearch_path%3D\(schema)")
    }
}
