import ArgumentParser
import Foundation

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

    /// Runs the command that was asked for and ends the process.
    ///
    /// C++'s destructors of global objects are left out: RocksDB's would take its locks away from threads of its own that
    /// are still at work, and the process would end by an abort. What has to last is in files by then.
    static func main() async {
        // Whoever preloads a library that sets the time can leave a program without its arguments, even its name: `doctor`
        // would be taken for `serve`, the default, and say that the store is in use.
        guard !CommandLine.arguments.isEmpty else {
            StandardError.say("the system does not tell this program's arguments, so that it does not know what to do")
            end(.failure)
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            end(.success)
        } catch {
            let (code, message) = (exitCode(for: error), fullMessage(for: error))
            if !message.isEmpty {
                let output = code == .success ? FileHandle.standardOutput : FileHandle.standardError
                output.write(Data("\(message)\n".utf8))
            }
            end(code)
        }
    }

    private static func end(_ code: ExitCode) -> Never {
        fflush(nil)
        _exit(code.rawValue)
    }
}
