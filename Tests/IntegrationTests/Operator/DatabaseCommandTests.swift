import Foundation
import Kaspa
import PostgresServer
import PostgresStore
import Store
import StoreSupport
import Testing

/// The real executable on a store in PostgreSQL, beside one in a directory with the same registrations.
@Suite("Operator commands on a store in PostgreSQL", .timeLimit(.minutes(10)))
struct DatabaseCommandTests {
    private static let devices: ClosedRange<UInt8> = 1...12

    let folder: URL
    let database: String
    let server: PostgresServer

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-\(UUID().uuidString)")
        server = try PostgresServer.shared()
        database = try server.makeDatabase()
    }

    private var location: PostgresStore.Location { .init(url: server.url(database: database)) }
    private var directory: [String: String] { ["STORE_PATH": folder.appendingPathComponent("rocks").path] }
    private var served: [String: String] {
        ["STORE_PATH": folder.appendingPathComponent("small").path, "STORE_URL": location.url]
    }

    /// Makes both stores, the same, and closes them.
    private func fill() async throws {
        for closing in [
            try await fill(try PostgresStore.open(location, network: .mainnet)),
            try await fill(
                try Store(path: folder.appendingPathComponent("rocks").path, network: .mainnet)),
        ] {
            #expect(await closing.wait(atMost: .seconds(60)))
        }
    }

    private func fill(_ store: Store) async throws -> StoreClosing {
        for byte in Self.devices {
            let token = [UInt8](repeating: byte, count: 32)
            let watched = try (0...byte % 4).map { offset in
                try #require(
                    Address(
                        prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: byte ^ offset, count: 32)))
            }
            try await store.registry.upsertDevice(DeviceID(token: token)) { _ in
                DeviceRecord(
                    token: token, platform: .ios, createdAt: 1, lastSeen: 2, walletAddress: nil,
                    watchedAddresses: watched)
            }
        }
        return store.closing
    }

    private func clean() {
        server.dropDatabase(database)
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("they say the same of both, and change both alike")
    func same() async throws {
        defer { clean() }
        try await fill()
        let token = String(repeating: "07", count: 32)
        let commands = [
            ["check"], ["devices", "list", "--full"], ["devices", "show", token], ["outbox", "list"],
            ["outbox", "dead"], ["explain", "--tx", String(repeating: "0", count: 64)], ["check", "--repair"],
            ["devices", "remove", token], ["devices", "list"], ["outbox", "retry"], ["check"],
        ]
        for command in commands {
            let here = try await Executable.run(command, environment: directory)
            let there = try await Executable.run(command, environment: served)
            #expect(here.status == there.status && here.output == there.output, "\(command): \(there.output)")
            #expect(there.status == 0 && !there.output.isEmpty, "\(command): \(there.output)")
        }
        #expect(
            try await Executable.run(["devices", "list"], environment: served).output.hasPrefix("11 devices are "))
    }

    @Test("stats names the place, the same totals, and each table")
    func stats() async throws {
        defer { clean() }
        try await fill()
        let here = try await Executable.run(["stats"], environment: directory)
        let there = try await Executable.run(["stats"], environment: served)
        #expect(there.status == 0, "\(there.output)")
        for start in ["chain: ", "devices: ", "waiting: ", "so far: "] {
            func line(_ output: String) -> Substring? {
                output.split(separator: "\n").first { $0.hasPrefix(start) }
            }
            #expect(line(there.output) != nil && line(there.output) == line(here.output), "\(start)")
        }
        #expect(there.output.contains("devices: 12, watch entries: "))
        #expect(there.output.contains(", database \(database), user postgres, mainnet, schema version "))
        for family in ColumnFamily.allCases { #expect(there.output.contains("\n\(family.rawValue): ")) }
    }

    @Test(
        "what is about RocksDB's files is refused in one sentence, and nothing is made",
        arguments: [
            ["backup", "/tmp/never-written"], ["restore", "/tmp"], ["restore", "/tmp", "--replace"], ["compact"],
        ])
    func refused(command: [String]) async throws {
        defer { clean() }
        let result = try await Executable.run(command, environment: served)
        #expect(result.status == 1)
        #expect(result.output.contains("this command is for a store in a directory: "), "\(result.output)")
        #expect(result.output.split(separator: "\n").count == 1)
        #expect(!FileManager.default.fileExists(atPath: "/tmp/never-written"))
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        #expect(try server.run("select to_regclass('store_layout') is null", database: database).hasPrefix("t"))
    }

    @Test("where no store is, a command makes none")
    func nowhere() async throws {
        defer { clean() }
        for command in [["stats"], ["check", "--repair"], ["devices", "list"], ["outbox", "retry"]] {
            let result = try await Executable.run(command, environment: served)
            #expect(result.status == 1 && result.output.contains("there is no store in the database"), "\(result)")
        }
        #expect(try server.run("select to_regclass('store_layout') is null", database: database).hasPrefix("t"))
    }

    @Test("beside a process that writes, what reads goes on and what changes is refused")
    func beside() async throws {
        defer { clean() }
        try await fill()
        let store = try PostgresStore.open(location, network: .mainnet)
        for command in [
            ["check", "--repair"], ["outbox", "retry"], ["devices", "remove", String(repeating: "07", count: 32)],
        ] {
            let result = try await Executable.run(command, environment: served)
            #expect(result.status == 1, "\(command)")
            #expect(result.output.contains("another process writes to the store at "), "\(result.output)")
        }
        for command in [["check"], ["stats"], ["devices", "list"]] {
            let result = try await Executable.run(command, environment: served)
            #expect(result.status == 0, "\(command): \(result.output)")
        }
        #expect(try await store.totals().devices == 12)
    }

    @Test("a server that is not there is one line, and no password is in it")
    func unreachable() async throws {
        defer { clean() }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let password = folder.appendingPathComponent("password").path
        try Data("hunter2\n".utf8).write(to: URL(filePath: password))
        let environment = [
            "STORE_PATH": folder.appendingPathComponent("small").path, "STORE_PASSWORD_PATH": password,
            "STORE_URL": "postgresql://kasia@127.0.0.1:1/kasia",
        ]
        for command in [["stats"], ["check", "--repair"], ["serve"], ["config", "print"], ["doctor"]] {
            let result = try await Executable.run(command, environment: environment)
            #expect(!result.output.contains("hunter2"))
            guard command != ["config", "print"] else { continue }
            #expect(result.status == 1, "\(command): \(result.output)")
            #expect(result.output.contains("127.0.0.1:1"), "\(command): \(result.output)")
        }
    }
}
