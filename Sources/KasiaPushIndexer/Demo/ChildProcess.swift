import Foundation
import Synchronization

/// A program of this build as a child process.
///
/// Its output goes to the log, and `stop()` ends it.
final class ChildProcess: Sendable {
    /// How long a program may take to stop before it is killed.
    private static let stopLimit = Duration.seconds(15)

    let name: String
    /// Standard output and standard error, line by line, for one reader at a time.
    ///
    /// It ends with the program.
    let lines: AsyncStream<String>
    private let process = Process()
    private let input = Pipe()
    private let ended: AsyncStream<Int32>
    private let log: DemoLog

    /// Starts `name` from the directory of the running program.
    ///
    /// Errors: `StartError` when the program is not there or cannot be run.
    init(_ name: String, arguments: [String], environment: [String: String] = [:], log: DemoLog) throws {
        self.name = name
        self.log = log
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
        process.standardInput = input
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        lines = ChildProcess.lines(of: pipe.fileHandleForReading) { log.write($0, of: name) }
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        self.ended = ended
        process.terminationHandler = {
            end.yield($0.terminationStatus)
            end.finish()
        }
        try process.run()
    }

    /// The rest of the first line that begins with `prefix`.
    ///
    /// Lines before it are skipped.
    func value(after prefix: String) async throws -> String {
        for await line in lines where line.hasPrefix(prefix) {
            return line.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces)
        }
        throw hasEnded
    }

    /// Calls `body` with each line until the task is cancelled.
    ///
    /// Errors: `StartError` if the program ends before.
    func follow(_ body: (String) -> Void) async throws {
        for await line in lines { body(line) }
        if !Task.isCancelled { throw hasEnded }
    }

    /// Writes an empty line to its standard input.
    func enter() {
        try? input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    }

    /// Sends SIGTERM, waits, and kills the program if it does not stop in time.
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

    private var hasEnded: StartError {
        StartError(description: "\(name) ended by itself; its lines in \(log.path) say why")
    }

    /// Read by a thread: a handle that goes while Dispatch watches it may crash Dispatch's event loop.
    private static func lines(
        of handle: FileHandle, _ log: @escaping @Sendable (String) -> Void
    ) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var rest: [UInt8] = []
            while case let data = handle.availableData, !data.isEmpty {
                rest.append(contentsOf: data)
                var parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                rest = parts.popLast().map(Array.init) ?? []
                for line in parts.lazy.map({ String(decoding: $0, as: UTF8.self) }) {
                    log(line)
                    continuation.yield(line)
                }
            }
            continuation.finish()
        }
        return stream
    }
}
