import Foundation
import Kaspa
import Store
import StoreSupport
import Testing

/// A store of schema version 1 under the real executable: what its commands say, and the service's first start.
@Suite(
    "Upgrade of an older store", .enabled(if: TestEngine.isRocksDB, "only RocksDB has had older versions"),
    .timeLimit(.minutes(10)))
struct UpgradeTests {
    private let folder: URL
    private var store: String { folder.appendingPathComponent("store").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-upgrade-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func run(_ arguments: String..., on path: String? = nil) async throws -> Executable.Result {
        try await Executable.run(arguments, environment: ["STORE_PATH": path ?? store])
    }

    private func isOlder(_ path: String) throws -> Bool {
        try Store(path: path, network: .mainnet, readOnly: true, older: .keep).isOlder
    }

    @Test("Commands that look at an older store or change it refuse it in one line, and leave it as it is")
    func refused() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try VersionOneStore.write(to: store)
        for command in [["check"], ["check", "--repair"], ["stats"], ["devices", "list"], ["outbox", "retry"]] {
            let result = try await Executable.run(command, environment: ["STORE_PATH": store])
            #expect(result.status == 1, "\(command): \(result.output)")
            #expect(result.output.contains("older version"), "\(command): \(result.output)")
            #expect(result.output.contains("start this version's service once"), "\(command): \(result.output)")
            #expect(result.output.split(separator: "\n").count == 1, "\(command): \(result.output)")
        }
        let doctor = try await run("doctor")
        #expect(doctor.output.contains("it migrates the store"), "\(doctor.output)")
        #expect(try isOlder(store))
    }

    @Test("An older store is backed up and restored as it is")
    func backup() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try VersionOneStore.write(to: store)
        let copy = folder.appendingPathComponent("copy").path
        let backup = try await run("backup", copy)
        #expect(backup.status == 0, "\(backup.output)")
        let other = folder.appendingPathComponent("other").path
        let restored = try await run("restore", copy, on: other)
        #expect(restored.status == 0, "\(restored.output)")
        #expect(restored.output.contains("3 devices."))
        #expect(restored.output.contains("older version: the service migrates it"))
        // In its own place, too, which holds an older store.
        let replaced = try await run("restore", copy, "--replace")
        #expect(replaced.status == 0, "\(replaced.output)")
        for path in [store, copy, other] { #expect(try isOlder(path), "\(path)") }
        let compacted = try await run("compact")
        #expect(compacted.status == 0, "\(compacted.output)")
        #expect(try isOlder(store))
    }

    @Test("The service migrates it before its port opens, and tells systemd and the log")
    func served() async throws {
        try await World.with(Fixture.recording()) { world in
            let path = world.folder.appendingPathComponent("store").path
            try VersionOneStore.write(to: path)
            let name = "@kasia-\(UUID().uuidString)"
            let socket = try DatagramSocket(name)
            let indexer = try await IndexerProcess(
                environment: world.environment.merging(["NOTIFY_SOCKET": name]) { $1 })
            try await eventually("it is ready") { socket.messages.contains("READY=1") }
            #expect(await indexer.end(SIGTERM) == 0)
            let messages = socket.messages
            let ready = try #require(messages.firstIndex(of: "READY=1"))
            #expect(
                messages[..<ready] == [
                    "STATUS=the store is migrated to schema version \(SchemaVersion.current): 0 %\nEXTEND_TIMEOUT_USEC=300000000",
                    "STATUS=the store is migrated to schema version \(SchemaVersion.current): 100 %\nEXTEND_TIMEOUT_USEC=300000000",
                ])
            let log = indexer.process.logged
            let migrated = try #require(log.range(of: "store.migrated"))
            let listening = try #require(log.range(of: "api.listening"))
            #expect(migrated.lowerBound < listening.lowerBound)
            let check = try await Executable.run(["check"], environment: world.environment)
            #expect(check.status == 0, "\(check.output)")
            #expect(try !isOlder(path))
        }
    }
}
