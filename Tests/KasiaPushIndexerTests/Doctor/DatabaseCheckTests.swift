import Foundation
import Kaspa
import PostgresServer
import PostgresStore
import Store
import Testing

@testable import KasiaPushIndexer

@Suite("doctor on a database server", .timeLimit(.minutes(10)))
struct DatabaseCheckTests {
    let directory: TemporaryDirectory
    let server: PostgresServer
    let database: String

    init() throws {
        directory = try TemporaryDirectory()
        server = try PostgresServer.shared()
        database = try server.makeDatabase()
    }

    private var configuration: IndexerConfiguration {
        var configuration = IndexerConfiguration()
        configuration.store.path = directory.path + "/small"
        configuration.store.url = server.url(database: database)
        return configuration
    }

    private func findings(_ configuration: IndexerConfiguration) async -> [String: Finding] {
        let findings = await StoreOpenCheck(configuration: configuration).findings()
        #expect(Set(findings.map(\.subject)).count == findings.count, "\(findings)")
        return Dictionary(findings.map { ($0.subject, $0) }) { first, _ in first }
    }

    @Test("an empty database is no fault; the server's settings are named")
    func empty() async throws {
        defer { server.dropDatabase(database) }
        let found = await findings(configuration)
        #expect(found["database"]?.level == .ok)
        #expect(found["database"]?.text.contains("PostgreSQL \(try #require(PostgresServer.version)).") == true)
        #expect(found["store"]?.level == .ok && found["store"]?.text.contains("the first start makes it") == true)
        #expect(found["store.path"]?.level == .ok)
        // So the tests' server is set up.
        #expect(found["database durability"]?.level == .warn)
        #expect(found["database vacuum"]?.text == "autovacuum_naptime is 60 s")
        #expect(found["database checkpoints"]?.text == "max_wal_size 256.0 MiB, checkpoint_timeout 300 s")
        #expect(found["database clock"]?.level == .ok)
        #expect(found["database standby"]?.level == .ok)
        #expect(found["database connection"] == nil)
        #expect(found["database lock"]?.text == "no process writes to the store")
        #expect(!FileManager.default.fileExists(atPath: configuration.store.path))
        let disk = try #require(MachineCheck(configuration: configuration).findings().first)
        #expect(disk.level == .ok && disk.text.hasSuffix("the rows are on the server's disk"))
    }

    @Test("a store that is written to opens all the same, and the writer is named")
    func written() async throws {
        defer { server.dropDatabase(database) }
        let configuration = configuration
        let location = try #require(configuration.store.server)
        try FileManager.default.createDirectory(atPath: configuration.store.path, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: configuration.store.path)
        let store = try PostgresStore.open(location, network: .mainnet)
        let found = await findings(configuration)
        #expect(found["database lock"]?.text.hasPrefix("kasia-push-indexer ") == true)
        #expect(found["database lock"]?.text.hasSuffix(" writes") == true)
        #expect(found["store"]?.text.contains("opens, 0 devices") == true)
        #expect(found["store permissions"]?.level == .warn)
        var other = configuration
        other.network.type = .devnet
        #expect(await findings(other)["store"]?.level == .fail)
        #expect(store.trouble == nil)
    }

    @Test("rows of an older version are a failure: the service would not start on them")
    func older() async throws {
        defer { server.dropDatabase(database) }
        let configuration = configuration
        _ = try PostgresStore.open(try #require(configuration.store.server), network: .mainnet)
        try server.run(
            "update meta set record = '\\x00000001' where key = convert_to('schema_version', 'utf8')",
            database: database)
        let found = await findings(configuration)
        #expect(found["store"]?.level == .fail && found["store"]?.text.contains("older version") == true)
        #expect(found["store"]?.todo?.contains("`store copy`") == true)
    }

    @Test("a server that is not there, a role and a database that are not, are one failure each with its advice")
    func missing() async throws {
        defer { server.dropDatabase(database) }
        var configuration = configuration
        func only() async throws -> Finding {
            let findings = await StoreOpenCheck(configuration: configuration).findings()
            #expect(findings.count == 1, "\(findings)")
            return try #require(findings.first)
        }
        configuration.store.url = "postgresql://kasia@127.0.0.1:1,127.0.0.1:2/kasia"
        let gone = try await only()
        #expect(gone.level == .fail && gone.text.contains("127.0.0.1:1") && gone.text.contains("127.0.0.1:2"))
        #expect(gone.todo?.contains("store.url names it") == true)
        configuration.store.url = server.url(database: "there_is_none")
        let none = try await only()
        #expect(none.level == .fail && none.todo?.hasPrefix("create the database") == true, "\(none)")
        configuration.store.url = server.url(database: database).replacing("postgres@", with: "nobody_here@")
        let nobody = try await only()
        #expect(nobody.level == .fail && nobody.todo?.hasPrefix("check the role") == true, "\(nobody)")
    }
}
