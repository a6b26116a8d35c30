import KaspaNode
import KaspadReplay
import Logging
import RecordedLogs
import Recordings
import ReplaySupport
import Testing

@Suite("The log of a node's connection", .timeLimit(.minutes(5)))
struct NodeLogTests {
    private static var recording: Recording {
        var script = RecordingScript()
        script.extend(from: 1, count: 5)
        return script.recording
    }

    @Test("a node that hangs up after each greeting is one trouble, told once, and so is that it is followed again")
    func hangingUp() async throws {
        let logs = RecordedLogs()
        try await withReplay(Self.recording) { node, url in
            try await withClient(
                [url], configure: { $0.reconnect = .init(initial: .milliseconds(1), maximum: .seconds(60)) },
                logger: logs.logger
            ) { client in
                for _ in 0..<6 {
                    await client.wait(for: .connected)
                    node.disconnectAll()
                }
                await client.wait(for: .connected)
            }
        }
        let left = logs.events.filter { $0.message == "node left" }
        let reasons = left.map { "\($0.metadata["node.error"] ?? "")" }
        #expect((1...2).contains(left.count) && Set(reasons).count == left.count, "\(reasons)")
        #expect(reasons.allSatisfy { !$0.contains("cause:") }, "\(reasons)")
        let followed = logs.events.filter { $0.message == "node followed" }
        #expect(followed.count == 2)
        #expect(followed.first?.metadata["trouble.seconds"] == nil && followed.last?.metadata["trouble.seconds"] != nil)
    }

    @Test("a node that nobody reaches is told with its reason in words")
    func unreachable() async throws {
        let logs = RecordedLogs()
        try await withClient(["http://127.0.0.1:1"], logger: logs.logger) { client in
            while logs.texts(of: "node left").isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        }
        let line = try #require(logs.events.first { $0.message == "node left" })
        #expect(line.level == .warning && line.metadata["node.error"] == "connection refused")
    }
}
