/// A key of the operator's own, which a command makes and another shows.
protocol OperatorKey {
    static var words: OperatorKeyWords { get }
    static func make() -> Self
    /// The configured key's text in PEM; nil if none is configured.
    static func pem(in configuration: IndexerConfiguration) -> Secret?
    /// Errors: the operator's mistake.
    init(pem: String) throws
    var privateKeyPEM: String { get }
    /// What `new` prints.
    var lines: [String] { get }
    /// What `show` prints.
    var shown: [String] { get }
}

/// What the commands of a key say.
struct OperatorKeyWords {
    /// The summary of `show`.
    let showAbstract: String
    /// What to do with the new file, in whole sentences.
    let newDiscussion: String
    /// What `show` says without a key.
    let missing: String
    /// The settings that can have the key.
    let settings: String
}
