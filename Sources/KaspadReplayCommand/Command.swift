import ArgumentParser
import BuildInfo

/// `kaspad-replay`: a node made of a recording.
@main
struct KaspadReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kaspad-replay",
        abstract: "Serves a recording of a Kaspa node over the node's own gRPC service.",
        version: Build.text,
        subcommands: [ServeCommand.self, InfoCommand.self, GenerateCommand.self],
        defaultSubcommand: ServeCommand.self)
}
