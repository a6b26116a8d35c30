import Foundation

/// nghttp2's load generator: a program in C that does nothing but send.
struct H2Load {
    private static let path = "/usr/bin/h2load"
    private let server: SandboxProcess
    private let bearer: String
    private let body: TemporaryDirectory

    /// nil if the program is not installed.
    init?(server: SandboxProcess, bodyBytes: Int) async throws {
        guard FileManager.default.isExecutableFile(atPath: Self.path) else { return nil }
        self.server = server
        bearer = try await server.bearer()
        body = try TemporaryDirectory()
        try Data(Notifications.body(bodyBytes)).write(to: URL(fileURLWithPath: body.file("body")))
    }

    /// Sends `count` notifications; returns how many a second.
    func run(_ count: Int, connections: Int, streams: Int) throws -> Double {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = [
            "-n", "\(count)", "-c", "\(connections)", "-t", "\(connections)", "-m", "\(streams)",
            "-d", body.file("body"), "-H", "authorization: bearer \(bearer)", "-H", "apns-topic: \(server.topic)",
            "-H", "apns-push-type: alert", "-H", "apns-priority: 10", "-H", "apns-expiration: 4000000000",
            "\(server.endpoint)/3/device/\(String(repeating: "ab", count: 32))",
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard text.contains("status codes: \(count) 2xx") else {
            throw BenchmarkError("h2load's notifications were not all accepted:\n\(text)")
        }
        // "finished in 1.23s, 16260.16 req/s, 1.02MB/s"
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("finished in") }),
            let rate = line.split(separator: " ").dropLast().last(where: { Double($0) != nil }).flatMap({ Double($0) })
        else { throw BenchmarkError("h2load's output was not understood:\n\(text)") }
        return rate
    }
}
