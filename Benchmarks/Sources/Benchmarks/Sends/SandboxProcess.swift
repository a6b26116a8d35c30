import APNs
import Foundation
import Logging

/// The sandbox as a child process, and all that is needed to send to it.
final class SandboxProcess {
    let endpoint: String
    let processID: Int32
    let topic = "com.kasia.benchmark"
    private let directory: TemporaryDirectory
    private let process: Process
    private let input: Pipe
    private let tokens: ProviderTokenSource

    /// Starts the child and waits until it listens.
    ///
    /// To `deadTokens` of `FairnessDevices`'s dead group it answers that they are gone. With `subscriptions`, it plays Google
    /// and a Web Push service, too, with so many.
    init(deadTokens: Int = 0, subscriptions: Int? = nil) throws {
        directory = try TemporaryDirectory()
        process = Process()
        input = Pipe()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments =
            ["sandbox", directory.path, "--dead-tokens", "\(deadTokens)"]
            + (subscriptions.map { ["--subscriptions", "\($0)"] } ?? [])
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        processID = process.processIdentifier
        let greeting = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let words = greeting.split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count == 3 else { throw BenchmarkError("The sandbox did not start.") }
        endpoint = "https://127.0.0.1:\(words[0])"
        tokens = try ProviderTokenSource(
            teamID: words[1], keyID: words[2],
            privateKeyPEM: String(contentsOfFile: directory.file("key.p8"), encoding: .utf8), storage: Forgetful())
    }

    /// Closes the child's standard input, at which it ends.
    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Where the certificate lies by which the sandbox's own is known.
    var certificateAuthority: String { directory.file("ca.pem") }

    /// The file of this name that the child has written.
    func text(of name: String) throws -> String {
        try String(contentsOfFile: directory.file(name), encoding: .utf8)
    }

    /// What changes its behaviour while it runs.
    var control: SandboxControl { SandboxControl(origin: endpoint, certificateAuthority: certificateAuthority) }

    /// A client of its own connections; all clients share one provider token.
    func makeClient(connections: Int, streams: Int) throws -> APNsClient {
        var logger = Logger(label: "apns")
        logger.logLevel = .error
        return try APNsClient(
            configuration: APNsConfiguration(
                endpoint: endpoint, certificateAuthorityPath: directory.file("ca.pem"), topic: topic,
                connections: connections, streams: streams),
            providerToken: tokens, logger: logger)
    }

    /// The provider token, for a sender that is not ours.
    func bearer() async throws -> String { try await tokens.current().jwt }

    /// The processor time that the child has used so far, in seconds.
    var processorTime: Double { CPUTime.of(process: processID) }
}

/// The benchmarks' token need not survive them.
private struct Forgetful: ProviderTokenStorage {
    func load() async throws -> StoredProviderToken? { nil }
    func save(_ token: StoredProviderToken, replacing old: StoredProviderToken?) async throws -> StoredProviderToken {
        token
    }
}
