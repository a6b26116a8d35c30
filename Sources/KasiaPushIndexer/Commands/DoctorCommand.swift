import ArgumentParser
import KaspaNode

/// `kasia-push-indexer doctor`: checks everything that the service needs.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check everything the service depends on, and say how to fix what is wrong.",
        discussion: """
            Each line begins with ok, warn or fail. It may run beside the service and before its first start. Apple's \
            credentials are tried with a notification to a device that cannot exist. The provider token made for that \
            is stored, by the service if it runs; nothing else is changed. The exit code is 1 if a line says fail, \
            else 0.
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let loaded = try options.loaded()
        var hasFailed = false
        func say(_ findings: [Finding]) {
            for finding in findings {
                hasFailed = hasFailed || finding.level == .fail
                print(finding)
            }
        }
        let problems = ConfigurationCheck.problems(of: loaded)
        say(
            problems.isEmpty
                ? [Finding(.ok, "configuration", loaded.file ?? "no file")]
                : problems.map { Finding(.fail, "configuration", "\($0)", todo: "correct it") })
        let configuration = loaded.configuration
        say(MachineCheck(configuration: configuration).findings())
        say(KeyFileCheck(configuration: configuration).findings())
        say(PlainHTTPCheck.finding(configuration.http).map { [$0] } ?? [])
        say(await StoreOpenCheck(configuration: configuration).findings())
        for url in configuration.node.urls {
            say(await NodeCheck(url: url, nodes: NodeConfiguration(configuration)).findings())
        }
        say(await APNsCheck(configuration: configuration).findings())
        say(await FCMCheck(configuration: configuration).findings())
        if hasFailed { throw ExitCode.failure }
    }
}
