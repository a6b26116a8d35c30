import Foundation
import Kaspa
import PostgresServer
import PostgresStore
import Store

/// What keeps the rows.
enum EngineName: String, CaseIterable {
    case rocksDB = "RocksDB"
    case postgres = "PostgreSQL"
}

/// Both engines on this machine: folders for one, a server of its own for the other.
final class Engines {
    private let directory: TemporaryDirectory
    private let server: PostgresServer
    private let database: String

    /// As the operator guide asks, at the prototype's size.
    init() throws {
        directory = try TemporaryDirectory()
        server = try PostgresServer(
            settings: [
                "shared_buffers": "2GB", "max_wal_size": "6GB", "checkpoint_timeout": "15min",
                "autovacuum_naptime": "5s", "wal_compression": "lz4",
            ], fsync: true)
        database = try server.makeDatabase()
    }

    /// A store that nobody has used, under a name of its own.
    func open(_ engine: EngineName, _ name: String) throws -> Store {
        switch engine {
        case .rocksDB: try Store(path: path(name), network: .mainnet)
        case .postgres: try PostgresStore.open(.init(url: try url(name)), network: .mainnet)
        }
    }

    func path(_ name: String) -> String { directory.file(name) }

    /// Where the server keeps the store of such a name, as a setting of the service; its schema is made.
    func url(_ name: String) throws -> String {
        try server.run("create schema if not exists \(name)", database: database)
        return server.url(database: database) + "?options=-csearch_path%3D\(name)"
    }

    /// The server's processor time for an engine so far, in seconds; RocksDB has no server.
    func serverTime(_ engine: EngineName) -> Double {
        guard engine == .postgres else { return 0 }
        // Connections that have ended are counted by the postmaster, whose children they were.
        return server.processes.reduce(0) { $0 + CPUTime.withEndedChildren(of: $1) }
    }

    /// What one query of one value says.
    func number(_ sql: String, of name: String) throws -> Double {
        let text = try server.run("set search_path to \(name); \(sql)", database: database)
        guard let value = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchmarkError("\(sql) says \(text)")
        }
        return value
    }

    /// Tidies up a table of a store.
    func vacuum(_ table: String, of name: String) throws {
        try server.run("vacuum analyze \(name).\(table)", database: database)
    }
}

extension Engines {
    /// A snapshot of a store that somebody holds open, as a dump does.
    final class HeldSnapshot {
        private let process: Process
        private let input = Pipe()

        fileprivate init(_ url: String) throws {
            process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["psql", "-X", "-q", "-A", "-t", url]
            process.standardInput = input
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let begin = "begin isolation level repeatable read;\nselect count(*) from meta;\n"
            input.fileHandleForWriting.write(Data(begin.utf8))
            guard !output.fileHandleForReading.availableData.isEmpty else {
                throw BenchmarkError("psql takes no snapshot.")
            }
        }

        func end() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    /// Takes a snapshot of a store.
    func snapshot(of name: String) throws -> HeldSnapshot { try HeldSnapshot(url(name)) }
}
