import ArgumentParser
import WebPush

/// `kasia-push-indexer vapid`: the key that names this server to browsers' push services.
struct VAPIDCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vapid", abstract: "Make the key of Web Push, or show its public half.",
        subcommands: [NewKey<VAPIDKey>.self, ShowKey<VAPIDKey>.self])
}

extension VAPIDKey: OperatorKey {
    static let words = OperatorKeyWords(
        showAbstract: "Print the public half of the configured key, which pages need to subscribe.",
        newDiscussion: """
            Name the file in web_push.vapid_key_path. Keep it as safe as Apple's key, and keep a copy: with another \
            key, every browser has to subscribe again. An existing file is never replaced.
            """,
        missing: "web_push.* is not set: make a key with kasia-push-indexer vapid new FILE",
        settings: "web_push.vapid_key or web_push.vapid_key_path")

    static func pem(in configuration: IndexerConfiguration) -> Secret? { configuration.webPush?.vapidKey }

    var lines: [String] { ["public key: \(publicKeyText)"] }
    var shown: [String] { [publicKeyText] }
}
