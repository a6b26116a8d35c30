/// `kasia-push-indexer serve` in a process of its own, on a free port of this machine.
final class ServiceProcess {
    let port: UInt16
    private let process: ChildProcess
    private let start = ContinuousClock.now

    /// Starts it from the folder `folder` with these variables, the port, and no others; `logLevel` is its `log.level`.
    init(in folder: String, logLevel: String = "critical", environment: [String: String]) throws {
        let port = try HTTPProbe.freePort()
        self.port = port
        process = try ChildProcess(
            "kasia-push-indexer", in: folder, ["serve"],
            environment: environment.merging(["HTTP_PORT": "\(port)", "LOG_LEVEL": logLevel]) { $1 })
    }

    var processID: Int32 { process.processID }
    var isRunning: Bool { process.isRunning }

    /// Waits until `GET path` answers 200; the seconds since the start.
    @discardableResult
    func answers(_ path: String, within patience: Duration) async throws -> Double {
        while HTTPProbe.status(of: path, port: port) != 200 {
            guard process.isRunning else { throw BenchmarkError("kasia-push-indexer has ended.") }
            guard ContinuousClock.now - start < patience else { throw BenchmarkError("\(path) is never 200.") }
            try await Task.sleep(for: .milliseconds(5))
        }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// Ends it and waits until it has.
    func end() { process.end() }
}
