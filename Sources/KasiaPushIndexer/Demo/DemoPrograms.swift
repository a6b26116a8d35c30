import Foundation
import Synchronization
import WebPush

/// The three programs of the demo, connected with each other.
final class DemoPrograms: Sendable {
    private static let topic = "com.example.kasia"

    private let folder: URL
    private let log: DemoLog
    private let started = Mutex<[ChildProcess]>([])

    /// `folder` is for the programs' files.
    init(folder: URL, log: DemoLog) {
        self.folder = folder
        self.log = log
    }

    /// Starts the stand-in, which makes its keys, its certificate and a service account.
    func startSandbox() async throws -> DemoSandbox {
        let (key, account, authority) = (path("key.p8"), path("service-account.json"), path("ca.pem"))
        let program = try start(
            "push-sandbox",
            [
                "--port", "0", "--write-key", key, "--topic", DemoPrograms.topic, "--google-service-account", account,
                "--web-push", "--ca-file", authority, "--json",
            ])
        let vapidKey = VAPIDKey.make()
        try PrivateFile.create(path("vapid.pem"), text: vapidKey.privateKeyPEM + "\n")
        let origin = try await program.value(after: "push-sandbox listens on ")
        let team = try await program.value(after: "team id ")
        let keyID = try await program.value(after: "key ids ")
        // The last line: all files are written.
        _ = try await program.value(after: "ca file ")
        let settings = [
            "APNS_TEAM_ID": team, "APNS_KEY_ID": keyID, "APNS_KEY_PATH": key, "APNS_KEY": "",
            "APNS_TOPIC": DemoPrograms.topic, "APNS_ENDPOINT": origin, "APNS_CA_PATH": authority,
            "FCM_SERVICE_ACCOUNT_PATH": account, "FCM_SERVICE_ACCOUNT": "", "FCM_ENDPOINT": origin,
            "FCM_CA_PATH": authority,
            "WEB_PUSH_VAPID_KEY_PATH": path("vapid.pem"), "WEB_PUSH_VAPID_KEY": "",
            "WEB_PUSH_SUBJECT": "mailto:demo@example.com", "WEB_PUSH_ALLOWED_ORIGINS": origin,
            "WEB_PUSH_PRIVATE_ADDRESSES": "true", "WEB_PUSH_CA_PATH": authority,
        ]
        return DemoSandbox(
            program: program, origin: origin, authorityPath: authority,
            applicationServerKey: vapidKey.publicKeyText, settings: settings)
    }

    /// Starts the recorded network, which answers but does not play yet.
    ///
    /// Returns its URL, too.
    func startNode(_ recording: String, speed: Double) async throws -> (program: ChildProcess, url: String) {
        let arguments = ["serve", recording, "--port", "0", "--speed", "\(speed)", "--move-times", "--wait-for-line"]
        let node = try start("kaspad-replay", arguments)
        return (node, try await node.value(after: "listening on "))
    }

    /// Starts the indexer on an empty store.
    ///
    /// Returns its REST port, too.
    func startIndexer(
        node: String, port: Int, settings: [String: String]
    ) async throws -> (program: ChildProcess, port: Int) {
        let environment = [
            "NETWORK_TYPE": "mainnet", "NODE_URLS": node, "STORE_PATH": path("store"), "STORE_URL": "",
            "STORE_PASSWORD_PATH": "", "STORE_STANDBY": "false", "STORE_SHARDS": "1",
            "HTTP_HOST": "127.0.0.1", "HTTP_PORT": "\(port)",
            "LOG_FORMAT": "text", "LOG_LEVEL": "info",
            // A recording that has ended is not a stalled node.
            "NODE_STALL_TIMEOUT": "1h",
        ]
        let indexer = try start("kasia-push-indexer", ["serve"], environment.merging(settings) { $1 })
        for await line in indexer.lines where line.contains("api.listening") {
            let digits = line.split(separator: "port=").last?.prefix(while: \.isNumber)
            if let port = digits.flatMap({ Int($0) }) { return (indexer, port) }
        }
        throw StartError(description: "the indexer did not start; its lines in \(log.path) say why")
    }

    /// Ends the programs, the indexer first.
    func stop() async {
        for program in started.withLock({ $0.reversed() }) { await program.stop() }
    }

    private func start(
        _ name: String, _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try started.withLock { started in
            let program = try ChildProcess(name, arguments: arguments, environment: environment, log: log)
            started.append(program)
            return program
        }
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
