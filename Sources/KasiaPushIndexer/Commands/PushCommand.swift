import APNs
import ArgumentParser
import Carriers
import Kaspa
import Store

/// `kasia-push-indexer push`: sends a test notification.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Send a notification by hand.", subcommands: [Test.self])

    /// `push test --token …`.
    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send one test notification to one device, and explain the carrier's answer.",
            discussion: """
                It bypasses the outbox: nothing is queued, counted or repeated, and the device need not be \
                registered. It may run beside the service. The token shows who carries it: hex digits are Apple's, an \
                https URL is a browser's endpoint, anything else is an FCM token. The exit code is 0 if the carrier \
                accepted it, else 1.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Option(name: .long, help: "The device token as the app got it, or the endpoint of a subscription.")
        var token: String

        @Option(
            name: .long,
            help: "Apple's host: development or production. The default is that of apns.environment.",
            transform: Test.host)
        var environment: APNsHost?

        @Flag(name: .long, help: "Only for FCM: Google checks the message and the token, and sends nothing.")
        var dryRun = false

        @Option(name: .long, help: "Only for an endpoint that is not registered: the subscription's key p256dh.")
        var p256dh: String?

        @Option(name: .long, help: "Only for an endpoint that is not registered: the subscription's key auth.")
        var auth: String?

        @Option(name: .long, help: "The text of the notification.")
        var message = "Sent by hand by the operator of your push indexer."

        private static func host(_ text: String) throws -> APNsHost {
            guard let host = APNsHost.allCases.first(where: { $0.label == text }) else {
                throw ValidationError("--environment must be development or production")
            }
            return host
        }

        /// Who carries pushes to the token.
        private var carrier: CarrierName {
            if token.hasPrefix("https://") { return .webPush }
            return Hex.decode(token) == nil ? .fcm : .apns
        }

        func validate() throws {
            guard TokenText.bytes(token) != nil else {
                throw ValidationError(
                    "--token must have 64 to 512 hex digits, or be an FCM token or an endpoint as its app got it")
            }
            guard (1...1_000).contains(message.utf8.count) else {
                throw ValidationError("--message must have 1 to 1000 bytes")
            }
            guard !dryRun || carrier == .fcm else { throw ValidationError("--dry-run is for FCM only") }
            guard (p256dh == nil) == (auth == nil), p256dh == nil || carrier == .webPush else {
                throw ValidationError("--p256dh and --auth go together, with an endpoint")
            }
        }

        func run() async throws {
            let configuration = try options.load()
            let answers: [TestPush.Answer]
            do {
                let test = TestPush(configuration: configuration, title: "Kasia push test", body: message)
                answers =
                    switch carrier {
                    case .apns: try await test.toApple(token.lowercased(), at: environment)
                    case .fcm: try await test.toGoogle(token, dryRun: dryRun)
                    case .webPush: try await test.toEndpoint(token, p256dh: p256dh, auth: auth)
                    }
            } catch let error as StartError where error.isConfiguration {
                StandardError.say("\(error)")
                throw ExitCode.configuration
            } catch {
                StandardError.say("\(error)")
                throw ExitCode.failure
            }
            for answer in answers { print("\(answer.place): \(answer.words)") }
            guard answers.allSatisfy(\.isDelivered) else { throw ExitCode.failure }
        }
    }
}
