import APNsSandbox
import ArgumentParser
import Foundation
import Logging

/// The server's side of the send benchmarks, in a process of its own.
///
/// It ends when its standard input does.
struct SandboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox", abstract: "Serve the benchmarks (used by them).", shouldDisplay: false)

    @Argument(help: "Where the certificate and the key are written.")
    var directory: String

    @Option(help: "So many tokens of the fairness benchmark's dead group are refused: half 410, half BadDeviceToken.")
    var deadTokens = 0

    @Option(help: "Play Google and a Web Push service too, with so many subscriptions.")
    var subscriptions: Int?

    private static func refusal(of number: Int) -> SandboxRule {
        let answer =
            number.isMultiple(of: 2)
            ? SandboxAnswer(status: 410, reason: "Unregistered", timestampMilliseconds: 4_000_000_000_000)
            : SandboxAnswer(status: 400, reason: "BadDeviceToken")
        return SandboxRule(.answer(answer), token: FairnessDevices.tokenText(.dead, number))
    }

    func run() async throws {
        let credentials = SandboxCredentials.generate()
        var configuration = SandboxConfiguration(credentials: credentials)
        configuration.limitsProviderTokenUpdates = false
        configuration.logCapacity = 1_000
        configuration.keepsBodies = false
        if subscriptions != nil {
            configuration.google = try GoogleStandIn.generate()
            configuration.webPush = true
        }
        var logger = Logger(label: "sandbox")
        logger.logLevel = .error
        let sandbox = try APNsSandbox(configuration: configuration, logger: logger)
        try sandbox.certificateAuthorityPEM.write(toFile: "\(directory)/ca.pem", atomically: true, encoding: .utf8)
        try credentials.privateKeyPEM.write(toFile: "\(directory)/key.p8", atomically: true, encoding: .utf8)
        for number in 0..<deadTokens { sandbox.addRule(Self.refusal(of: number)) }
        try await sandbox.start()
        if let google = configuration.google {
            try google.serviceAccountJSON(origin: sandbox.origin)
                .write(toFile: "\(directory)/account.json", atomically: true, encoding: .utf8)
            try (0..<(subscriptions ?? 0)).map { _ in
                let subscription = sandbox.makeSubscription()
                return "\(subscription.endpoint) \(subscription.p256dh) \(subscription.auth)"
            }.joined(separator: "\n").write(
                toFile: "\(directory)/subscriptions", atomically: true, encoding: .utf8)
        }
        Terminal.write("\(sandbox.boundPort) \(credentials.teamID) \(credentials.keyID)")
        await withCheckedContinuation { continuation in
            // A blocking read, hence a thread of its own.
            Thread {
                _ = try? FileHandle.standardInput.readToEnd()
                continuation.resume()
            }.start()
        }
        await sandbox.stop()
    }
}
