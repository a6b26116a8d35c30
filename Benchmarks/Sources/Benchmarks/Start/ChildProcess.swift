import Foundation

/// One of the indexer's executables in a process of its own.
final class ChildProcess {
    private let process = Process()
    private let output = Pipe()

    /// Starts `name` from the folder `folder`, with these environment variables and no others.
    init(_ name: String, in folder: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        let path = folder + "/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchmarkError("There is no \(path): build the indexer, or name the folder with --executables.")
        }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        process.standardOutput = output
        // What they log is small, and of interest when something goes wrong.
        process.standardError = FileHandle.standardError
        try process.run()
    }

    var processID: Int32 { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    /// The first that it prints.
    func firstLine() throws -> String {
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let line = text.split(separator: "\n").first else {
            throw BenchmarkError("A child process said nothing.")
        }
        return String(line)
    }

    /// The first that it prints, up to the line that has `text` in it.
    func firstLines(containing text: String) throws -> String {
        var lines = Data()
        while !String(decoding: lines, as: UTF8.self).contains(text) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw BenchmarkError("A child process did not say: \(text)") }
            lines += more
        }
        return String(decoding: lines, as: UTF8.self)
    }

    /// Waits for its end by itself; whether it went well.
    func finished() -> Bool {
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Ends it and waits until it has.
    func end() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }
}
