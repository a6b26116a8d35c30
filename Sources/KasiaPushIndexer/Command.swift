import ArgumentParser
import BuildInfo
import Foundation

/// `kasia-push-indexer`: follows a Kaspa node and notifies phones.
@main
struct KasiaPushIndexerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kasia-push-indexer",
        abstract: "Follows a Kaspa node and sends Kasia messages to phones through Apple's push service.",
        discussion: """
            Settings come from config/indexer.yaml and from environment variables, which win; every key is described \
            in that file.
            """,
        version: Build.text,
        subcommands: [
            ServeCommand.self, ConfigCommand.self, DoctorCommand.self, StatsCommand.self, StoreCommand.self,
            DevicesCommand.self,
            OutboxCommand.self, ExplainCommand.self, PushCommand.self, VAPIDCommand.self, SigningKeyCommand.self,
            CheckCommand.self, CompactCommand.self, BackupCommand.self, RestoreCommand.self, RecordCommand.self,
            DemoCommand.self,
        ])

    /// Runs the command and ends the process.
    ///
    /// It skips C++'s destructors of global objects: RocksDB's would destroy locks that its threads still use, and the
    /// process would abort. Everything that must last is in files by then.
    static func main() async {
        // Files are readable by their owner only, since the store has device tokens.
        umask(0o077)
        // A preloaded library that fakes the time can leave a program without arguments, even without its name.
        guard !CommandLine.arguments.isEmpty else {
            StandardError.say("the program was started without its arguments: it does not know which command to run")
            end(.failure)
        }
        if let mistake = UnknownCommand(CommandLine.arguments.dropFirst(), of: names) {
            StandardError.say("\(mistake)")
            end(.validationFailure)
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

    /// The names of commands, with the parser's own `help`.
    static var names: [String] {
        configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    }

    private static func end(_ code: ExitCode) -> Never {
        fflush(nil)
        _exit(code.rawValue)
    }
}

/// Lines for the person who runs a command.
///
/// Results go to the standard output.
enum StandardError {
    static func say(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}
