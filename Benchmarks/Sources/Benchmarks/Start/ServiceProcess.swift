/// `kasia-push-indexer serve` in a process of its own, on a free port of this machine.
final class ServiceProcess {
    let port: UInt16
    private let process: ChildProcess
    private let start = ContinuousClock.now

    /// Starts it from the folder `folder` on a store's path and a node's URL, with these other variables and no more.
    ///
    /// `logLevel` is its `log.level`.
    init(
        in folder: String, store: String, node: String, logLevel: String = "critical",
        environment: [String: String] = [:]
    ) throws {
        let port = try HTTPProbe.freePort()
        self.port = port
        let own = ["STORE_PATH": store, "NODE_URLS": node, "HTTP_PORT": "\(port)", "LOG_LEVEL": logLevel]
        process = try ChildProcess(
            "kasia-push-indexer", in: folder, ["serve"], environment: environment.merging(own) { $1 })
    }

    /// The same with the node on a port of this machine, whether one listens there yet or not.
    convenience init(
        in folder: String, store: String, nodePort: UInt16, environment: [String: String] = [:]
    ) throws {
        try self.init(in: folder, store: store, node: "http://127.0.0.1:\(nodePort)", environment: environment)
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
