import ArgumentParser
import Foundation
import WebPush

/// `kasia-push-indexer vapid`: the key that names this server to browsers' push services.
struct VAPIDCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vapid", abstract: "Make the key of Web Push, or show its public half.",
        subcommands: [New.self, Show.self])

    /// `vapid new FILE`.
    struct New: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key, write it to a new file (mode 0600), and print its public half.",
            discussion: """
                Name the file in web_push.vapid_key_path. Keep it as safe as Apple's key, and keep a copy: with another \
                key, every browser has to subscribe again. An existing file is never replaced.
                """)

        @Argument(help: "The file to write; it must not exist.")
        var file: String

        func run() async throws {
            let key = VAPIDKey.make()
            do {
                try PrivateFile.create(file, text: key.privateKeyPEM + "\n")
            } catch {
                StandardError.say("\(error)")
                throw ExitCode.failure
            }
            print("public key: \(key.publicKeyText)")
        }
    }

    /// `vapid show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the public half of the configured key, which pages need to subscribe.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let configuration = try options.load()
            guard let settings = configuration.webPush else {
                StandardError.say("web_push.* is not set: make a key with kasia-push-indexer vapid new FILE")
                throw ExitCode.configuration
            }
            do {
                print(try VAPIDKey(pem: settings.vapidKey.revealed).publicKeyText)
            } catch {
                StandardError.say("web_push.vapid_key or web_push.vapid_key_path: \(error)")
                throw ExitCode.configuration
            }
        }
    }
}
