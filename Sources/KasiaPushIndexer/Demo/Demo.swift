import Foundation

/// The demo: a recorded network, a stand-in for Apple and the indexer itself as separate programs, and three phones.
struct Demo: Sendable {
    static let topic = "com.example.kasia"

    let recording: String
    let speed: Double
    /// The REST port; 0 takes a free one.
    let port: Int

    /// Runs until `stop` returns; everything it started is ended when it returns.
    func run(until stop: @Sendable () async -> Void) async throws {
        guard FileManager.default.fileExists(atPath: recording) else {
            throw StartError(description: "\(recording) is missing: run the demo from the project's folder, or name it")
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var started: [ChildProcess] = []
        do {
            try await play(in: folder, started: &started, until: stop)
        } catch {
            for child in started.reversed() { await child.stop() }
            throw error
        }
        say("\nStopping …")
        for child in started.reversed() { await child.stop() }
        say("Stopped.")
    }

    private func play(
        in folder: URL, started: inout [ChildProcess], until stop: @Sendable () async -> Void
    ) async throws {
        say("Apple's stand-in starts: TLS and HTTP/2, with a key and a certificate made just now.")
        let apple = try ChildProcess(
            "apns-sandbox",
            arguments: [
                "--port", "0", "--write-key", path("key.p8", in: folder), "--ca-file", path("ca.pem", in: folder),
                "--topic", Demo.topic,
            ])
        started.append(apple)
        var cards = apple.lines.makeAsyncIterator()
        let origin = try await value(after: "apns-sandbox listens on ", from: &cards, of: apple)
        let team = try await value(after: "team id ", from: &cards, of: apple)
        let key = try await value(after: "key ids ", from: &cards, of: apple)

        let nodePort = try FreePort.find()
        say("The indexer starts on a fresh store; its log goes to standard error.")
        let indexer = try ChildProcess(
            "kasia-push-indexer", arguments: ["serve"],
            environment: [
                "NETWORK_TYPE": "mainnet", "NODE_URLS": "http://127.0.0.1:\(nodePort)",
                "STORE_PATH": path("store", in: folder), "HTTP_HOST": "127.0.0.1", "HTTP_PORT": "\(port)",
                "APNS_TEAM_ID": team, "APNS_KEY_ID": key, "APNS_KEY_PATH": path("key.p8", in: folder), "APNS_KEY": "",
                "APNS_TOPIC": Demo.topic, "APNS_ENDPOINT": origin, "APNS_CA_PATH": path("ca.pem", in: folder),
                "LOG_FORMAT": "text", "LOG_LEVEL": "info",
            ])
        started.append(indexer)
        var log = indexer.lines.makeAsyncIterator()
        let restPort = try await listeningPort(from: &log, of: indexer)
        let client = DemoClient(port: restPort)
        try await client.waitUntilUp(limit: .seconds(30))
        try await register(DemoDevice.cast(), with: client)

        say("The recorded network starts: \(recording) at \(speed)× its speed, its times moved to now.\n")
        let node = try ChildProcess(
            "kaspad-replay",
            arguments: ["serve", recording, "--port", "\(nodePort)", "--speed", "\(speed)", "--move-times"])
        started.append(node)
        sayWhatToTry(restPort)

        let (lateCards, lateLog) = (Lines(cards), Lines(log))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await lateCards.forEach { self.say($0) } }
            group.addTask { await lateLog.forEach { FileHandle.standardError.write(Data("\($0)\n".utf8)) } }
            group.addTask {
                for await line in node.lines { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
            }
            await stop()
            group.cancelAll()
        }
    }

    private func register(_ devices: [DemoDevice], with client: DemoClient) async throws {
        say("\nThree phones register over REST:")
        for device in devices {
            say(
                """
                  # \(device.owner)'s phone
                  curl -X POST http://127.0.0.1:\(client.port)/v1/push/register -H 'content-type: application/json' \
                -d '\(device.registration)'
                """)
            let answer = try await client.send("POST", "/v1/push/register", body: device.registration)
            say("  → \(answer.status) \(answer.body)\n")
            guard answer.status == 200 else { throw StartError(description: "a registration was refused") }
        }
    }

    private func sayWhatToTry(_ port: Int) {
        say(
            """
            Pushes appear below as Apple's stand-in gets them. The REST API stays up; try in another terminal:
              curl http://127.0.0.1:\(port)/ready
              curl http://127.0.0.1:\(port)/metrics/prometheus
              curl 'http://127.0.0.1:\(port)/v1/push/status?device_token=TOKEN'
              curl -X DELETE http://127.0.0.1:\(port)/v1/push/unregister -H 'content-type: application/json' \
            -d '{"device_token":"TOKEN"}'
            Ctrl-C stops everything.

            """)
    }

    // MARK: Reading what the programs say

    private func value(
        after prefix: String, from lines: inout AsyncStream<String>.Iterator, of child: ChildProcess
    ) async throws -> String {
        while let line = await lines.next(isolation: nil) {
            if line.hasPrefix(prefix) {
                return line.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces)
            }
            say(line)
        }
        throw StartError(description: "\(child.name) ended before it was ready")
    }

    private func listeningPort(
        from lines: inout AsyncStream<String>.Iterator, of child: ChildProcess
    ) async throws -> Int {
        while let line = await lines.next(isolation: nil) {
            FileHandle.standardError.write(Data("\(line)\n".utf8))
            guard line.contains("api.listening"), let range = line.range(of: "port=") else { continue }
            if let port = Int(line[range.upperBound...].prefix(while: \.isNumber)) { return port }
        }
        throw StartError(description: "\(child.name) ended before it was ready; its log above says why")
    }

    private func path(_ name: String, in folder: URL) -> String { folder.appendingPathComponent(name).path }

    private func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
}

/// The rest of a program's lines, handed to one task.
// Unchecked because the iterator is not Sendable; it is moved here and used by one task only.
private struct Lines: @unchecked Sendable {
    private let iterator: AsyncStream<String>.Iterator

    init(_ iterator: AsyncStream<String>.Iterator) { self.iterator = iterator }

    func forEach(_ body: (String) -> Void) async {
        var iterator = iterator
        while let line = await iterator.next(isolation: nil) { body(line) }
    }
}
