import ArgumentParser
import Foundation

/// `KEY new FILE`.
struct NewKey<Key: OperatorKey>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "new",
            abstract: "Make a key, write it to a new file (mode 0600), and print its public half.",
            discussion: Key.words.newDiscussion)
    }

    @Argument(help: "The file to write; it must not exist.")
    var file: String

    func run() async throws {
        let key = Key.make()
        do {
            try PrivateFile.create(file, text: key.privateKeyPEM + "\n")
        } catch {
            StandardError.say("\(error)")
            throw ExitCode.failure
        }
        for line in key.lines { print(line) }
    }
}

/// `KEY show`.
struct ShowKey<Key: OperatorKey>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "show", abstract: Key.words.showAbstract)
    }

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        guard let pem = Key.pem(in: try options.load()) else {
            StandardError.say(Key.words.missing)
            throw ExitCode.configuration
        }
        do {
            for line in try Key(pem: pem.revealed).shown { print(line) }
        } catch {
            StandardError.say("\(Key.words.settings): \(error)")
            throw ExitCode.configuration
        }
    }
}
