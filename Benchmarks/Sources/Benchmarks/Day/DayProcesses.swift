import Foundation

/// The real executables of the day, each in a process of its own.
final class DayProcesses {
    static let topic = "com.kasia.benchmark"

    let service: ServiceProcess
    let control: SandboxControl
    let http: LocalHTTP
    let store: String
    private let sandbox: ChildProcess
    private let nodePort: UInt16
    private let recording: String
    private let folder: String
    private var node: ChildProcess?

    /// Starts the stand-in for Apple and the service; the network begins with `startNetwork`.
    init(recording: String, in directory: TemporaryDirectory, executables folder: String) async throws {
        self.recording = recording
        self.folder = folder
        let (key, authority) = (directory.file("key.p8"), directory.file("ca.pem"))
        sandbox = try ChildProcess(
            "apns-sandbox", in: folder,
            ["--port", "0", "--write-key", key, "--ca-file", authority, "--topic", Self.topic, "--quiet"])
        var facts: [String: String] = [:]
        // "apns-sandbox listens on https://…", "team id  …", "key ids  …"
        for line in try sandbox.firstLines(containing: "ca file").split(separator: "\n") {
            for name in ["apns-sandbox listens on", "team id", "key ids"] where line.hasPrefix(name) {
                facts[name] = line.dropFirst(name.count).trimmingCharacters(in: .whitespaces)
            }
        }
        guard let origin = facts["apns-sandbox listens on"], let team = facts["team id"], let id = facts["key ids"]
        else {
            throw BenchmarkError("apns-sandbox did not say how to send to it.")
        }
        control = SandboxControl(origin: origin, certificateAuthority: authority)
        nodePort = try HTTPProbe.freePort()
        store = directory.file("store")
        service = try ServiceProcess(
            in: folder, store: store, nodePort: nodePort,
            environment: [
                "APNS_ENDPOINT": origin, "APNS_CA_PATH": authority, "APNS_TEAM_ID": team, "APNS_KEY_ID": id,
                "APNS_KEY_PATH": key, "APNS_TOPIC": Self.topic,
                // All apps share one address here.
                "HTTP_RATE_LIMIT_PER_MINUTE": "100000",
            ])
        http = LocalHTTP(port: service.port)
        try await service.answers("/health", within: .seconds(60))
    }

    /// Starts the node; returns when it listens, which is when the day begins.
    func startNetwork(_ plan: DayPlan) throws {
        let node = try ChildProcess(
            "kaspad-replay", in: folder,
            [
                recording, "--port", "\(nodePort)", "--speed", "\(plan.speed)", "--move-times", "--disconnect-every",
                "\(plan.disconnectEvery)",
            ])
        self.node = node
        _ = try node.firstLine()
    }

    /// Counts the whole store again, after the service's end; whether it finds nothing wrong.
    func checkStore() throws -> Bool {
        try ChildProcess("kasia-push-indexer", in: folder, ["check"], environment: ["STORE_PATH": store]).finished()
    }

    /// Ends all of them.
    func end() {
        service.end()
        node?.end()
        sandbox.end()
    }
}
