import Foundation
import Testing

private enum Python {
    static let path = ["/usr/bin/python3", "/usr/local/bin/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// `deploy/docs/sign.py`, the app developers' example, against the real service.
@Suite("The signing example", .timeLimit(.minutes(10)), .enabled(if: Python.path != nil))
struct SigningExampleTests {
    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let script = Fixture.folder.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("deploy/docs/sign.py")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Python.path))
        process.arguments = [script.path] + arguments
        process.environment = ["KASIA_SECRET_KEY": String(repeating: "11", count: 32)]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    @Test("registers, lists and ends a registration that nobody else can end")
    func signs() async throws {
        let token = String(repeating: "ab", count: 32)
        try await World.with(Fixture.recording()) { world in
            let indexer = try await IndexerProcess(environment: world.environment)
            let url = "http://127.0.0.1:\(indexer.rest.port)"
            let watched = "kaspa:qrqpyzsqg3ek49w56qzymepve9zegccv0psp6eve26878l64a300jqy2wj8m3"
            let registered = try run(["register", "--url", url, "--token", token, "--watch", watched])
            #expect(registered.status == 0 && registered.output.contains("\"ok\""), "\(registered.output)")
            #expect(try await indexer.rest.isRegistered(token))
            let stranger = try await indexer.rest.send(
                "DELETE", "/v1/push/unregister", Data("{\"device_token\":\"\(token)\"}".utf8))
            #expect(stranger.status == 401)
            let devices = try run(["devices", "--url", url])
            #expect(devices.status == 0 && devices.output.contains("\"abababab\""), "\(devices.output)")
            let ended = try run(["unregister", "--url", url, "--token", token])
            #expect(ended.status == 0, "\(ended.output)")
            #expect(try await !indexer.rest.isRegistered(token))
            #expect(await indexer.end(SIGTERM) == 0)
        }
    }
}
