import APNs
import ArgumentParser
import Kaspa

/// `kasia-push-indexer push`: sends a test notification.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Send a notification by hand.", subcommands: [Test.self])

    /// `push test --token …`.
    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send one test notification to one device, and explain Apple's answer.",
            discussion: """
                It bypasses the outbox: nothing is queued, counted or repeated, and the device need not be \
                registered. It may run beside the service. The exit code is 0 if Apple accepted it, else 1.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Option(name: .long, help: "The device token in hex, as the app got it from the system.")
        var token: String

        @Option(
            name: .long,
            help: "Apple's host: development or production. The default is that of apns.environment.",
            transform: Test.host)
        var environment: APNsHost?

        @Option(name: .long, help: "The text of the notification.")
        var message = "Sent by hand by the operator of your push indexer."

        private static func host(_ text: String) throws -> APNsHost {
            guard let host = APNsHost.allCases.first(where: { $0.label == text }) else {
                throw ValidationError("--environment must be development or production")
            }
            return host
        }

        func validate() throws {
            guard let bytes = Hex.decode(token), (32...256).contains(bytes.count) else {
                throw ValidationError("--token must have 64 to 512 hex digits")
            }
            guard (1...1_000).contains(message.utf8.count) else {
                throw ValidationError("--message must have 1 to 1000 bytes")
            }
        }

        func run() async throws {
            let configuration = try options.load()
            guard let settings = configuration.apns else {
                StandardError.say("apns.* is not set: there is nothing to send with")
                throw ExitCode.configuration
            }
            let outcomes: [(host: APNsHost, outcome: SendOutcome)]
            do {
                outcomes = try await SingleSend(settings: settings, configuration: configuration).send(
                    token: token.lowercased(), payload: try SingleSend.testPayload(body: message),
                    hosts: [environment ?? settings.host])
            } catch {
                StandardError.say("\(error)")
                throw ExitCode.failure
            }
            for (host, outcome) in outcomes { print("\(settings.origin(of: host)): \(outcome.words)") }
            guard outcomes.allSatisfy(\.outcome.isDelivered) else { throw ExitCode.failure }
        }
    }
}
