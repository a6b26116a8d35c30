import Foundation

/// wrk: a load generator in C, with the paths to ask for in a file.
struct Wrk {
    private static let path = "/usr/bin/wrk"

    /// What one run gave.
    struct Result {
        let requestsPerSecond: Double
        /// Milliseconds.
        let p99: Double
    }

    private let directory: TemporaryDirectory

    /// nil if the program is not installed.
    init?() throws {
        guard FileManager.default.isExecutableFile(atPath: Self.path) else { return nil }
        directory = try TemporaryDirectory()
    }

    /// Asks for `paths` in turn for so many seconds, with one request under way on each of `connections`.
    func run(_ paths: [String], port: UInt16, seconds: Int, connections: Int) throws -> Result {
        let list = paths.map { "\"\($0)\"" }.joined(separator: ",\n")
        let script = """
            local paths = { \(list) }
            local next = 0
            request = function()
              next = next % #paths + 1
              return wrk.format("GET", paths[next])
            end
            """
        let file = directory.file("paths.lua")
        try Data(script.utf8).write(to: URL(fileURLWithPath: file))
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = [
            "-t", "1", "-c", "\(connections)", "-d", "\(seconds)s", "--latency", "-s", file,
            "http://127.0.0.1:\(port)",
        ]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard !text.contains("Non-2xx"),
            let rate = Self.value(after: "Requests/sec:", in: text).flatMap({ Double($0) }),
            let p99 = Self.value(after: "99%", in: text).flatMap(Self.milliseconds)
        else {
            throw BenchmarkError("wrk's requests were not all answered, or its output was not understood:\n\(text)")
        }
        return Result(requestsPerSecond: rate, p99: p99)
    }

    private static func value(after name: String, in text: String) -> String? {
        let line = text.split(separator: "\n").first { $0.trimmingCharacters(in: .whitespaces).hasPrefix(name) }
        return line?.split(separator: " ").last.map(String.init)
    }

    /// "812.00us", "1.23ms" or "1.02s".
    private static func milliseconds(_ text: String) -> Double? {
        for (unit, factor) in [("us", 0.001), ("ms", 1), ("s", 1000)] where text.hasSuffix(unit) {
            return Double(text.dropLast(unit.count)).map { $0 * factor }
        }
        return nil
    }
}
