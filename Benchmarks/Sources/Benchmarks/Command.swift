import ArgumentParser

/// The command line: without a subcommand, everything is measured.
@main
struct Command: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Measures the indexer's parts, each against a yardstick in the same run.",
        subcommands: [RunCommand.self, SandboxCommand.self, DrainCommand.self], defaultSubcommand: RunCommand.self)
}
