/// Everything an operator can set (configuration.md), with the defaults.
struct IndexerConfiguration: Sendable, Equatable, CustomStringConvertible {
    var network = NetworkSettings()
    var node = NodeSettings()
    var store = StoreSettings()
    var http = HTTPSettings()
    /// Nil without Apple's credentials: then pushes are not sent and nothing is queued.
    var apns: APNsSettings?
    var push = PushSettings()
    var log = LogSettings()

    /// Every key with its value, in the order of configuration.md; secrets masked, what has no value empty.
    var settings: [(key: ConfigurationKey, text: String)] {
        network.settings + node.settings + store.settings + http.settings + APNsSettings.settings(of: apns)
            + push.settings + log.settings
    }

    /// One line for each key that has a value; secrets masked.
    var description: String {
        settings.filter { !$0.text.isEmpty }.map { "\($0.key.rawValue): \($0.text)" }.joined(separator: "\n")
    }
}
