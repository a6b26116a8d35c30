import ArgumentParser
import KaspaNode

/// `kasia-push-indexer doctor`: whether everything that the service needs is there.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look at everything the service depends on, and say what to do about it.",
        discussion: """
            A line each: ok, warn or fail. It may run beside the service and before its first start. Apple's \
            credentials are tried with a notification to a device that cannot exist; a provider token that is made for \
            it is kept in the store, by the service if it runs. Nothing else is changed. The exit code is 1 if a line \
            says fail, else 0.
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let traced = try options.traced()
        var hasFailed = false
        func say(_ findings: [Finding]) {
            for finding in findings {
                hasFailed = hasFailed || finding.level == .fail
                print(finding)
            }
        }
        let problems = ConfigurationProof.problems(of: traced)
        say(
            problems.isEmpty
                ? [Finding(.ok, "configuration", traced.file ?? "no file")]
                : problems.map { Finding(.fail, "configuration", "\($0)", todo: "correct it") })
        let configuration = traced.configuration
        say(MachineCheck(configuration: configuration).findings())
        say(PlainHTTPCheck.finding(configuration.http).map { [$0] } ?? [])
        say(await StoreCheckup(configuration: configuration).findings())
        for url in configuration.node.urls {
            say(await NodeCheck(url: url, nodes: NodeConfiguration(configuration)).findings())
        }
        say(await APNsCheck(configuration: configuration).findings())
        if hasFailed { throw ExitCode.failure }
    }
}
