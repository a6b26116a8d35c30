import Foundation
import Synchronization

/// A program of this build, run beside us: its output comes as lines, and it is always ended by `stop()`.
final class ChildProcess: Sendable {
    /// How long a program may take to stop before it is killed.
    private static let stopLimit = Duration.seconds(15)

    let name: String
    /// Standard output and standard error, line by line; it ends with the program.
    let lines: AsyncStream<String>
    private let process = Process()
    private let ended: AsyncStream<Int32>

    /// Starts `name` out of the directory of the running program.
    ///
    /// Errors: `StartError` when the program is not there or cannot be run.
    init(_ name: String, arguments: [String], environment: [String: String] = [:]) throws {
        self.name = name
        let directory = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let executable = (Bundle.main.executableURL?.deletingLastPathComponent() ?? directory)
            .appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: executable.path) else {
            throw StartError(description: "\(executable.path) is missing: build it with `swift build -c release`")
        }
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        lines = ChildProcess.lines(of: pipe.fileHandleForReading)
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        process.terminationHandler = {
            end.yield($0.terminationStatus)
            end.finish()
        }
        try process.run()
    }

    /// Sends SIGTERM, waits, and kills what does not stop in time.
    func stop() async {
        if process.isRunning { process.terminate() }
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in self.ended { return true }
                return true
            }
            group.addTask {
                try? await Task.sleep(for: ChildProcess.stopLimit)
                return false
            }
            if await group.next() == false { kill(process.processIdentifier, SIGKILL) }
            group.cancelAll()
        }
    }

    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let rest = Mutex<[UInt8]>([])
        handle.readabilityHandler = { handle in
            let data = handle.availableData
            let complete: [String] = rest.withLock { rest in
                rest.append(contentsOf: data)
                var parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                rest = parts.popLast().map(Array.init) ?? []
                return parts.map { String(decoding: $0, as: UTF8.self) }
            }
            for line in complete { continuation.yield(line) }
            if data.isEmpty {
                handle.readabilityHandler = nil
                continuation.finish()
            }
        }
        return stream
    }
}
