import ArgumentParser
import Carriers

/// `kasia-push-indexer signing-key`: the key that signs pushes.
struct SigningKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signing-key", abstract: "Make the key that signs pushes, or show its public half.",
        subcommands: [NewKey<SigningKey>.self, ShowKey<SigningKey>.self])
}

extension SigningKey: OperatorKey {
    static let words = OperatorKeyWords(
        showAbstract: "Print the public half of the configured key and its id, which apps get from GET /v1/push/key.",
        newDiscussion: """
            Name the file in push.signing_key_path, and keep it as safe as Apple's key: whoever has it can sign pushes \
            in your name. An existing file is never replaced.
            """,
        missing: "push.signing_key_path is not set: make a key with kasia-push-indexer signing-key new FILE",
        settings: "push.signing_key_path")

    static func pem(in configuration: IndexerConfiguration) -> Secret? { configuration.push.signingKey?.text }

    var lines: [String] { ["public key: \(publicKey.text)", "key id: \(publicKey.keyID)"] }
    var shown: [String] { lines }
}
