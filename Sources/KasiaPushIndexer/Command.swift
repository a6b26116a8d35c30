import ArgumentParser

/// `kasia-push-indexer`: follows a Kaspa node and tells phones.
@main
struct KasiaPushIndexerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kasia-push-indexer",
        abstract: "Follows a Kaspa node and sends Kasia messages to phones through Apple's push service.",
        discussion: """
            Settings come from config/indexer.yaml and from environment variables, which win; every key is described \
            in that file.
            """,
        subcommands: [
            ServeCommand.self, ConfigCommand.self, DoctorCommand.self, StatsCommand.self, DevicesCommand.self,
            OutboxCommand.self, ExplainCommand.self, PushCommand.self, CheckCommand.self, CompactCommand.self,
            BackupCommand.self, RestoreCommand.self, RecordCommand.self, DemoCommand.self,
        ],
        defaultSubcommand: ServeCommand.self)
}
