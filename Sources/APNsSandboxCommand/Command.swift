import APNsSandbox
import ArgumentParser
import BuildInfo
import FoundationEssentials
import Logging
import ServiceLifecycle
import UnixSignals

/// The command line of the stand-in for Apple's, Google's and a browser's push service.
@main
struct Command: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "A stand-in for Apple's push service: TLS, HTTP/2, the same checks and answers.",
        discussion: """
            With --google-service-account it plays Google's token endpoint and FCM too, and with --web-push a Web \
            Push service, all on the same port.

            Prints each notification as a card, and each refused request as a line. Requests under /control/ on \
            the same port change its behaviour while it runs; deploy/docs/apns-sandbox.md describes them.
            """,
        version: Build.text)

    /// The name that the program was called by.
    private static var name: String {
        CommandLine.arguments.first?.hasSuffix("push-sandbox") == true ? "push-sandbox" : "apns-sandbox"
    }

    @Option(help: "Address to listen on. Whoever reaches it may also use the control endpoint.")
    var host = "127.0.0.1"

    @Option(help: "Port to listen on; 0 takes a free one and prints it. (2197 is Apple's alternative port.)")
    var port = 2197

    @Option(
        help: "A second port, for Apple's development host; --port is the production host's alone then. 0: a free one.")
    var developmentPort: Int?

    @Option(help: "A device token that is good at the development host only. May be repeated.")
    var developmentToken: [String] = []

    @Option(help: "A device token that is good at the production host only. May be repeated.")
    var productionToken: [String] = []

    @Option(help: "Team id that provider tokens must name; made up if missing.")
    var teamID: String?

    @Option(
        help: ArgumentHelp(
            "A known key: its id and its .p8 or public PEM file. May be repeated.", valueName: "id=file"))
    var key: [String] = []

    @Option(help: "Make a key, write it to this file in .p8 form, and accept what it signs.")
    var writeKey: String?

    @Option(help: "A topic that may be sent to. May be repeated; without, every topic may.")
    var topic: [String] = []

    @Option(help: "Play Google, too: make a service account, and write its file for the sending server.")
    var googleServiceAccount: String?

    @Flag(help: "Play a Web Push service, too. POST /control/subscriptions makes a subscription.")
    var webPush = false

    @Option(help: "Write the certificate that clients must trust to this file (PEM).")
    var caFile: String?

    @Option(help: "A JSON file with rules and commands, applied at the start.")
    var script: String?

    @Option(help: "Concurrent HTTP/2 streams that a connection may open.")
    var maximumStreams = 1000

    @Flag(help: "Allow one stream on a connection until its first success, as Apple does.")
    var oneStreamUntilFirstSuccess = false

    @Option(help: "Lower a connection to one stream after so many refusals in a row.")
    var refusalsUntilOneStream: Int?

    @Flag(help: "Do not answer 429 to provider tokens that change within 20 minutes.")
    var allowTokenUpdates = false

    @Option(help: "Seed of the random numbers behind rules with a chance.")
    var seed: UInt64 = 1

    @Flag(help: "Print no cards.")
    var quiet = false

    @Flag(help: "Print each request as a line of JSON, too, with the members that /control/requests has.")
    var json = false

    @Flag(help: "Print without colours even to a terminal.")
    var noColour = false

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535.") }
        if let developmentPort, !(0...65_535).contains(developmentPort) {
            throw ValidationError("--development-port must be from 0 to 65535.")
        }
        guard developmentPort != nil || (developmentToken.isEmpty && productionToken.isEmpty) else {
            throw ValidationError("Tokens of one host need --development-port: one port for both takes every token.")
        }
        guard (1...1_000_000).contains(maximumStreams) else {
            throw ValidationError("--maximum-streams must be from 1 to 1000000.")
        }
        if let refusalsUntilOneStream, refusalsUntilOneStream < 1 {
            throw ValidationError("--refusals-until-one-stream must be at least 1.")
        }
        guard writeKey != nil || !key.isEmpty || googleServiceAccount != nil || webPush else {
            throw ValidationError("Name a key with --key ID=FILE, or have one made with --write-key FILE.")
        }
    }

    func run() async throws {
        var logger = Logger(label: Self.name, factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .notice
        let keys = try KeyFiles(teamID: teamID, files: key, newFile: writeKey)
        let script = try script.map { try SandboxScript(json: Files.read($0)) }
        let configuration = try makeConfiguration(keys)
        let sandbox = try APNsSandbox(configuration: configuration, logger: logger)
        for token in developmentToken { sandbox.setToken(SandboxToken(token, goodAt: .development)) }
        for token in productionToken { sandbox.setToken(SandboxToken(token, goodAt: .production)) }
        if let script { sandbox.apply(script) }
        if let caFile { try Files.write(sandbox.certificateAuthorityPEM, to: caFile) }
        try await sandbox.start()
        // The file names the token endpoint, whose port may be known only now.
        if let file = googleServiceAccount, let google = configuration.google {
            try Files.write(google.serviceAccountJSON(origin: sandbox.origin), to: file, isPrivate: true)
        }
        Console.write(banner(sandbox, keys, configuration))

        // The last is stopped first: the printer outlives the sandbox, which ends its stream.
        var services: [any Service] = [sandbox]
        if json || !quiet {
            let printer = RequestPrinter(
                stream: sandbox.requestStream(), cards: !quiet, json: json, colour: !noColour && Console.isTerminal)
            services.insert(printer, at: 0)
        }
        try await ServiceGroup(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
        ).run()
    }

    private func makeConfiguration(_ keys: KeyFiles) throws -> SandboxConfiguration {
        var configuration = SandboxConfiguration(teamID: keys.teamID, keys: keys.keys, topics: Set(topic))
        configuration.host = host
        configuration.port = port
        configuration.developmentPort = developmentPort
        configuration.maximumStreams = maximumStreams
        configuration.oneStreamUntilFirstSuccess = oneStreamUntilFirstSuccess
        configuration.refusalsUntilOneStream = refusalsUntilOneStream
        configuration.limitsProviderTokenUpdates = !allowTokenUpdates
        configuration.seed = seed
        if googleServiceAccount != nil { configuration.google = try GoogleStandIn.generate() }
        configuration.webPush = webPush
        return configuration
    }

    private func banner(_ sandbox: APNsSandbox, _ keys: KeyFiles, _ configuration: SandboxConfiguration) -> String {
        var lines = [
            "\(Self.name) listens on \(sandbox.origin)",
            developmentPort.map { _ in "development host is \(sandbox.origin(of: .development))" },
            "team id  \(keys.teamID)",
            keys.keys.isEmpty ? nil : "key ids  \(keys.keys.keys.sorted().joined(separator: ", "))",
        ].compactMap { $0 }
        if let writeKey { lines.append("key file \(writeKey)") }
        if let file = googleServiceAccount, let google = configuration.google {
            lines.append("google   project \(google.projectID), service account \(file)")
        }
        if webPush { lines.append("web push POST \(sandbox.origin)/control/subscriptions makes a subscription") }
        if let caFile { lines.append("ca file  \(caFile)") }
        return lines.joined(separator: "\n")
    }
}
