import APNsSandbox
import BuildInfo
import Foundation
import KaspadReplay
import NIOCore
import NIOPosix
import StoreSupport
import Testing

/// The real executable between the replay node and Apple's stand-in.
@Suite("The executable")
struct ExecutableTests {
    @Test(
        "stopped or killed in the middle of the recording, leaves nothing out and doubles nothing",
        .timeLimit(.minutes(5)), arguments: [SIGTERM, SIGKILL])
    func endsInTheMiddle(signal: Int32) async throws {
        let golden = try Fixture.goldenNotifications()
        // The recording spans less than five minutes, and a block may be at most two minutes older than a registration.
        try await World.with(
            Fixture.recording(),
            replay: { configuration in
                configuration.blockTimes = .moved
                let now = ReplayConfiguration.wallClock() + 300_000
                configuration.now = { now }
            }
        ) { world in
            let first = try await IndexerProcess(environment: world.environment)
            for device in golden.devices { try await first.rest.register(device.registration) }
            await world.replay.advance(to: 400)
            try await world.sandbox.waitForNotifications(count: 20)
            let status = await first.end(signal)
            if signal == SIGTERM { #expect(status == 0) }

            let second = try await IndexerProcess(environment: world.environment)
            await world.replay.advanceToEnd()
            try await eventually("everything expected has been sent") {
                let sent = Set(world.sandbox.notifications.map(\.id))
                return golden.notifications.allSatisfy { sent.contains($0.apnsID) }
            }
            #expect(await second.end(SIGTERM) == 0)
            try check(world.sandbox.notifications, golden, mayRepeat: signal == SIGKILL)
        }
    }

    @Test("what it writes is closed to others, whatever the umask it is started with", .timeLimit(.minutes(5)))
    func closedFiles() async throws {
        try await World.with(Fixture.recording()) { world in
            let indexer = try await IndexerProcess(environment: world.environment)
            #expect(await indexer.end(SIGTERM) == 0)
            let manager = FileManager.default
            let store = try #require(world.environment["STORE_PATH"])
            let paths = [store] + (try manager.contentsOfDirectory(atPath: store)).map { "\(store)/\($0)" }
            // Of a store in a database there is the control socket, and that only while the service runs.
            #expect(paths.count > 3 || !TestEngine.isRocksDB)
            for path in paths {
                let mode = try #require(try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
                #expect(mode & 0o077 == 0, "\(path) \(String(mode, radix: 8))")
            }
        }
    }

    @Test("without a command it prints its help and starts nothing", .timeLimit(.minutes(5)))
    func noCommand() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let environment = ["STORE_PATH": folder.path, "NODE_URLS": "http://127.0.0.1:1", "HTTP_PORT": "0"]
        let help = try await Executable.run([], environment: environment)
        #expect(help.status == 0 && help.output.contains("SUBCOMMANDS"), "\(help.output)")
        let mistyped = try await Executable.run(["serv"], environment: environment)
        #expect(mistyped.status == 64 && mistyped.output.contains("did you mean serve?"), "\(mistyped.output)")
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test(
        "each program says its version", .timeLimit(.minutes(5)),
        arguments: ["kasia-push-indexer", "kaspad-replay", "apns-sandbox"])
    func version(program: String) async throws {
        let result = try await Executable.run(["--version"], program: program)
        #expect(result.status == 0 && result.output == Build.text + "\n", "\(result.output)")
    }

    @Test("the running service says its version in the log's first line, its status and its metrics")
    func versionOfTheService() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let indexer = try await IndexerProcess(
            environment: ["STORE_PATH": folder.path, "NODE_URLS": "http://127.0.0.1:1", "HTTP_PORT": "0"])
        let first = try #require(indexer.process.logged.split(separator: "\n").first)
        let words = "service.starting network=mainnet revision=\(Build.revision) store="
        #expect(first.contains(words) && first.hasSuffix(" swift=\(Build.swift) version=\(Build.version)"), "\(first)")
        let status = try await indexer.rest.send("GET", "/status.json")
        let object = try #require(try JSONSerialization.jsonObject(with: status.body) as? [String: Any])
        #expect(object["version"] as? String == Build.text)
        try await eventually("the metric is there") {
            let metrics = try await indexer.rest.send("GET", "/metrics/prometheus")
            let line = String(decoding: metrics.body, as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix("kasia_build_info{") }
            return line?.hasSuffix("} 1") == true
                && ["version=\"\(Build.version)\"", "swift=\"\(Build.swift)\"", "revision=\"\(Build.revision)\""]
                    .allSatisfy { line?.contains($0) == true }
        }
        #expect(await indexer.end(SIGTERM) == 0)
    }

    @Test("in a log for machines, why the start failed is an object, too", .timeLimit(.minutes(5)))
    func fatalObject() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("x".utf8).write(to: folder)
        let result = try await Executable.run(
            ["serve"], environment: ["HTTP_PORT": "0", "STORE_PATH": folder.path, "LOG_FORMAT": "json"])
        #expect(result.status == 1)
        let lines = result.output.split(separator: "\n")
        let objects = lines.map { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        #expect(objects.allSatisfy { $0 != nil }, "\(result.output)")
        let last = try #require(objects.last ?? nil)
        #expect(last["level"] as? String == "critical")
        let metadata = try #require(last["metadata"] as? [String: String])
        #expect(metadata["error.message"]?.hasPrefix("store.path \(folder.path): ") == true, "\(metadata)")
    }

    @Test("a configuration mistake ends the start with a line that names the key", .timeLimit(.minutes(5)))
    func configurationMistake() async throws {
        let error = await #expect(throws: NeverHappened.self) {
            _ = try await IndexerProcess(environment: ["HTTP_PORT": "70000", "STORE_PATH": "/nowhere"])
        }
        #expect(error?.description.contains("HTTP_PORT") == true)
    }

    @Test("a key that is no P-256 key is a wrong configuration: the exit code is 78", .timeLimit(.minutes(5)))
    func otherKey() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try await Executable.run(
            ["serve"],
            environment: [
                "HTTP_PORT": "0", "STORE_PATH": folder.path, "NODE_URLS": "http://127.0.0.1:1",
                "APNS_TEAM_ID": "TEAM123456", "APNS_KEY_ID": "KEY1234567", "APNS_TOPIC": World.topic,
                "APNS_KEY": "-----BEGIN PRIVATE KEY-----\\nc2VjcmV0\\n-----END PRIVATE KEY-----",
            ])
        #expect(result.status == 78, "\(result.output)")
        #expect(result.output.contains("apns.key or apns.key_path: "), "\(result.output)")
        #expect(!result.output.contains("c2VjcmV0"))
    }

    @Test("a port that somebody has ends the start with a line that names it and its key", .timeLimit(.minutes(5)))
    func portInUse() async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-test-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try await Executable.run(
            ["serve"],
            environment: [
                "HTTP_HOST": "127.0.0.1", "HTTP_PORT": "\(port)", "STORE_PATH": folder.path,
                "NODE_URLS": "http://127.0.0.1:1",
            ])
        try await listener.close()
        #expect(result.status == 1)
        #expect(
            result.output.contains(
                "\ncannot listen on 127.0.0.1, port \(port) (http.host, http.port): Address already in use\n"),
            "\(result.output)")
    }
}

/// Nothing but what is expected; what a kill repeats bears the same name, collapse id and number.
private func check(_ sent: [ReceivedNotification], _ golden: GoldenNotifications, mayRepeat: Bool) throws {
    let known = Set(golden.notifications.map(\.apnsID))
    let acceptedForAWhile = try AcceptedForAWhile.transactionIDs()
    for notification in sent where !known.contains(notification.id) {
        #expect(acceptedForAWhile.contains(notification.collapseID ?? ""), "unexpected: \(notification.id)")
    }
    for (id, repeats) in Dictionary(grouping: sent, by: \.id) where repeats.count > 1 {
        #expect(mayRepeat, "sent twice: \(id)")
        #expect(repeats.allSatisfy { $0.body == repeats[0].body && $0.collapseID == repeats[0].collapseID })
    }
    let pairs = Set(sent.map { "\($0.token) \($0.collapseID ?? "")" })
    #expect(pairs.count == Set(sent.map(\.id)).count)
}
