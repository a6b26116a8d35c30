import Foundation
import Synchronization
import Testing

/// The real executable in a process of its own, which may be ended at any moment, its start included.
final class LaunchedIndexer: Sendable {
    private let process = Process()
    private let processEnd: ProcessEnd
    private let log = Mutex("")

    /// Starts `kasia-push-indexer serve` with these environment variables, and waits for nothing.
    init(environment: [String: String], arguments: [String] = []) throws {
        processEnd = ProcessEnd(of: process)
        process.executableURL = LaunchedIndexer.executable
        process.arguments = ["serve"] + arguments
        process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        process.currentDirectoryURL = FileManager.default.temporaryDirectory
        process.standardOutput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        let handle = pipe.fileHandleForReading
        // To its end, so that the pipe never fills.
        Thread.detachNewThread { [weak self] in
            while case let data = handle.availableData, !data.isEmpty {
                self?.log.withLock { $0 += String(decoding: data, as: UTF8.self) }
            }
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The executable beside the test bundle: SwiftPM builds it because the tests depend on it.
    static var executable: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder = (bundle ?? URL(fileURLWithPath: CommandLine.arguments[0])).deletingLastPathComponent()
        return folder.appendingPathComponent("kasia-push-indexer")
    }

    /// What it has written to its standard error so far.
    var logged: String { log.withLock { $0 } }

    /// Its REST side, as soon as the port is open; throws when it ends before.
    func listening() async throws -> RESTClient {
        var port: Int?
        try await eventually("the indexer listens") {
            let hasEnded = !process.isRunning
            port = logged.firstMatch(of: /api\.listening .*port=(\d+)\n/).flatMap { Int($0.1) }
            if port == nil, hasEnded { throw NeverHappened(description: "the indexer did not start: \(logged)") }
            return port != nil
        }
        return RESTClient(port: try #require(port))
    }

    var processID: Int32 { process.processIdentifier }

    /// How it ended; nil while it runs.
    var status: Int32? { process.isRunning ? nil : process.terminationStatus }

    /// Sends a signal; nothing when the process has ended.
    func signal(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    /// Sends a signal, waits for the end, and returns the exit status or the signal that ended it.
    @discardableResult
    func end(_ signal: Int32) async -> Int32 {
        self.signal(signal)
        return await ended()
    }

    /// Waits for the end.
    @discardableResult
    func ended() async -> Int32 {
        await processEnd.wait()
        return process.terminationStatus
    }
}
