import Foundation
import Kaspa
import Store
import StoreSupport
import Testing

@testable import KasiaPushIndexer

#if canImport(Glibc)
import Glibc
#endif

/// `backup`, `restore`, `compact`, `stats`, `devices` and `check --repair`: the real executable, beside the real service
/// and without it.
@Suite("Operator commands on the store", .timeLimit(.minutes(10)))
struct BackupTests {
    private func run(_ world: World, _ arguments: String...) async throws -> Executable.Result {
        try await Executable.run(arguments, environment: world.environment)
    }

    @Test(
        "A backup made while serving is restored, and the service goes on where it was made",
        .enabled(if: TestEngine.isRocksDB, "a database has means of its own"))
    func backupAndRestore() async throws {
        let golden = try Fixture.goldenNotifications()
        try await World.with(Fixture.recording()) { world in
            let indexer = try await IndexerProcess(environment: world.environment)
            for device in golden.devices { try await indexer.rest.register(device.registration) }
            let copy = world.folder.appendingPathComponent("copy").path
            let backup = try await run(world, "backup", copy)
            #expect(backup.status == 0 && backup.output.contains("\(copy): "), "\(backup.output)")
            let again = try await run(world, "backup", copy)
            #expect(again.status == 1 && again.output.contains("is there already"))
            let refused = try await run(world, "restore", copy)
            #expect(refused.status == 1 && refused.output.contains("stop it first"))
            // What comes after the backup is not in it.
            _ = try await indexer.rest.send(
                "POST", "/v1/push/unregister", Data("{\"device_token\":\"\(golden.devices[0].token)\"}".utf8))
            #expect(try await !indexer.rest.isRegistered(golden.devices[0].token))
            #expect(await indexer.end(SIGTERM) == 0)

            let occupied = try await run(world, "restore", copy)
            #expect(occupied.status == 1 && occupied.output.contains("--replace"))
            let restored = try await run(world, "restore", copy, "--replace")
            #expect(restored.status == 0, "\(restored.output)")
            #expect(restored.output.contains("\(golden.devices.count) devices."))
            #expect(restored.output.contains(" copied\n"))
            let store = world.folder.appendingPathComponent("store").path
            let kept = try #require(restored.output.firstMatch(of: /is kept in (\S+)\.\n/)).1
            #expect(
                try await Store(path: String(kept), network: .mainnet).totals().devices
                    == UInt64(golden.devices.count - 1))
            let check = try await run(world, "check")
            #expect(check.status == 0, "\(check.output)")
            #expect(
                try await Store(path: store, network: .mainnet, readOnly: true).totals().devices
                    == UInt64(golden.devices.count))
            // The backup is as it was, though the restored store is written to.
            let next = try await IndexerProcess(environment: world.environment)
            #expect(try await next.rest.isRegistered(golden.devices[0].token))
            #expect(await next.end(SIGTERM) == 0)
            #expect(try Store(path: copy, network: .mainnet, readOnly: true).checkBooks().isSound)
        }
    }

    @Test("A copy that the service wrote where the command cannot see it is no success")
    func unseenBackup() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let copy = folder.appendingPathComponent("copy").path
        // Answers as a service does whose /tmp is its own.
        let listener = try ControlSocket(storePath: folder.path).makeListener()
        defer { close(listener) }
        DispatchQueue.global().async {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            var request = [UInt8](repeating: 0, count: 4_096)
            _ = read(client, &request, request.count)
            let answer = Array("done \(copy)\n".utf8)
            _ = write(client, answer, answer.count)
            close(client)
        }
        let backup = try await Executable.run(["backup", copy], environment: ["STORE_PATH": folder.path])
        #expect(backup.status == 1, "\(backup.output)")
        #expect(backup.output.contains("wrote \(copy), but there is no copy") && backup.output.contains("PrivateTmp"))
        #expect(!backup.output.contains("\(copy): "))
    }

    @Test(
        "What is no backup, or of another network, is not restored",
        .enabled(if: TestEngine.isRocksDB, "a database has means of its own"))
    func wrongBackups() async throws {
        try await World.with(Fixture.recording()) { world in
            let none = try await run(world, "restore", world.folder.path)
            #expect(none.status == 1)
            let other = world.folder.appendingPathComponent("other").path
            _ = try Store(path: other, network: .devnet)
            let refused = try await run(world, "restore", other)
            #expect(refused.status == 1 && refused.output.contains("belongs to devnet"), "\(refused.output)")
            #expect(!FileManager.default.fileExists(atPath: world.folder.appendingPathComponent("store").path))
        }
    }

    @Test(
        "Where no store is, a command makes none",
        arguments: [
            ["backup", "/tmp/never-written"], ["compact"], ["stats"], ["devices", "list"], ["check", "--repair"],
            ["devices", "remove", "00000000"], ["outbox", "retry"],
        ])
    func nowhere(arguments: [String]) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-\(UUID().uuidString)").path
        let result = try await Executable.run(arguments, environment: ["STORE_PATH": path])
        #expect(result.status == 1 && result.output.contains("there is no store at \(path)"), "\(result.output)")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(!FileManager.default.fileExists(atPath: "/tmp/never-written"))
    }

    @Test(
        "A folder that is no store stays whose it is, and so does all in it",
        .enabled(if: geteuid() == 0, "only root may give files away"),
        arguments: [["compact"], ["check", "--repair"], ["devices", "remove", "00000000"]])
    func noStore(arguments: [String]) async throws {
        let manager = FileManager.default
        let path = manager.temporaryDirectory.appendingPathComponent("kasia-\(UUID().uuidString)").path
        try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? manager.removeItem(atPath: path) }
        #expect(manager.createFile(atPath: path + "/key.p8", contents: Data()))
        try manager.setAttributes([.ownerAccountID: 12_345], ofItemAtPath: path)
        let result = try await Executable.run(arguments, environment: ["STORE_PATH": path])
        #expect(result.status == 1 && result.output.contains("there is no store at \(path)"), "\(result.output)")
        for (item, owner) in [(path, 12_345), (path + "/key.p8", 0)] {
            #expect(try manager.attributesOfItem(atPath: item)[.ownerAccountID] as? Int == owner, "\(item)")
        }
    }

    @Test("Devices are listed, shown and removed, beside the service and without it", arguments: [true, false])
    func devices(isServed: Bool) async throws {
        let golden = try Fixture.goldenNotifications()
        let token = golden.devices[0].token
        try await World.with(Fixture.recording()) { world in
            let indexer = try await IndexerProcess(environment: world.environment)
            for device in golden.devices { try await indexer.rest.register(device.registration) }
            if !isServed { #expect(await indexer.end(SIGTERM) == 0) }
            let list = try await run(world, "devices", "list")
            #expect(list.status == 0 && list.output.contains("\(golden.devices.count) devices are registered."))
            #expect(!list.output.contains(token) && list.output.contains("token \(token.prefix(8))…"))
            let full = try await run(world, "devices", "list", "--full")
            #expect(golden.devices.allSatisfy { full.output.contains($0.token) })
            #expect(try await run(world, "devices", "list", "--limit", "1").output.split(separator: "\n").count == 2)
            let name = DeviceID(token: try #require(Hex.decode(token))).description
            let shown = try await run(world, "devices", "show", name)
            #expect(shown.status == 0 && shown.output.contains("device \(name)\n") && !shown.output.contains(token))
            let removed = try await run(world, "devices", "remove", name)
            #expect(removed.status == 0 && removed.output.contains("device \(name): removed"), "\(removed.output)")
            let gone = try await run(world, "devices", "show", token)
            #expect(gone.status == 1 && gone.output.contains("no such device"))
            #expect(try await run(world, "devices", "remove", "zz").status != 0)
            if isServed {
                #expect(try await !indexer.rest.isRegistered(token))
                #expect(await indexer.end(SIGTERM) == 0)
            }
            #expect(try await run(world, "check").status == 0)
        }
    }

    @Test(
        "A compaction and the numbers work beside the service and without it; metrics tell the sizes",
        .enabled(if: TestEngine.isRocksDB, "a database has means of its own"))
    func compactAndStats() async throws {
        try await World.with(Fixture.recording()) { world in
            let indexer = try await IndexerProcess(environment: world.environment)
            for isServed in [true, false] {
                if !isServed { #expect(await indexer.end(SIGTERM) == 0) }
                let compact = try await run(world, "compact")
                #expect(
                    compact.status == 0 && compact.output.contains("1 of \(ColumnFamily.allCases.count): meta\n"),
                    "\(compact.output)")
                #expect(compact.output.contains(" before, "))
                let stats = try await run(world, "stats")
                #expect(stats.status == 0 && stats.output.contains("mainnet, schema version \(SchemaVersion.current)"))
                for family in ColumnFamily.allCases { #expect(stats.output.contains("\n\(family.rawValue): ")) }
                guard isServed else { continue }
                try await eventually("sizes are measured") {
                    let text = String(
                        decoding: try await indexer.rest.send("GET", "/metrics/prometheus").body, as: UTF8.self)
                    return [
                        "kasia_store_bytes{column_family=\"devices\"} ", "\nkasia_store_free_bytes ",
                        "\nkasia_store_memory_bytes{part=\"block_cache\"} ", "\nkasia_heap_bytes{state=\"used\"} ",
                        "\nkasia_store_write_stalled 0\n", "\nprocess_open_fds ", "\nprocess_max_fds ",
                        "\nprocess_resident_memory_bytes ",
                    ].allSatisfy(text.contains)
                }
            }
        }
    }

    @Test("check --repair puts lost index rows back, and only with the service stopped")
    func repair() async throws {
        let golden = try Fixture.goldenNotifications()
        try await World.with(Fixture.recording()) { world in
            let indexer = try await IndexerProcess(environment: world.environment)
            for device in golden.devices { try await indexer.rest.register(device.registration) }
            let refused = try await run(world, "check", "--repair")
            #expect(refused.status == 1 && refused.output.contains("Stop the service first"))
            #expect(await indexer.end(SIGTERM) == 0)
            let untouched = try await run(world, "check", "--repair")
            #expect(untouched.status == 0 && untouched.output.contains("Nothing had to be repaired."))
            #expect(untouched.output.contains("watchers: 0 rows looked at"))
        }
    }
}
