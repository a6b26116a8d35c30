import Foundation

/// The real executable, run to its end.
enum Executable {
    struct Result: Sendable {
        let status: Int32
        /// Standard output and standard error, as they came.
        let output: String
    }

    /// Runs a command, of the indexer or of the program of this name beside it, with these environment variables and no
    /// others.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], program: String? = nil
    ) async throws -> Result {
        let process = Process()
        let indexer = LaunchedIndexer.executable
        process.executableURL =
            program.map { indexer.deletingLastPathComponent().appendingPathComponent($0) } ?? indexer
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        process.currentDirectoryURL = FileManager.default.temporaryDirectory
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        // Read on a thread that may wait: the command may need this process's stand-ins to get on.
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                process.waitUntilExit()
                continuation.resume(returning: Result(status: process.terminationStatus, output: output))
            }
        }
    }
}
