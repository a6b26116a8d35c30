/// Everything that an operator can set, with the defaults (config/indexer.yaml).
struct IndexerConfiguration: Sendable, Equatable, CustomStringConvertible {
    var network = NetworkSettings()
    var node = NodeSettings()
    var store = StoreSettings()
    var http = HTTPSettings()
    /// nil without Apple's credentials.
    ///
    /// Then nothing is queued or sent.
    var apns: APNsSettings?
    /// nil without a service account: then no Android phone can register.
    var fcm: FCMSettings?
    /// nil without a VAPID key: then no browser and no UnifiedPush app can register.
    var webPush: WebPushSettings?
    var push = PushSettings()
    var log = LogSettings()

    /// Every key with its value, in the order of config/indexer.yaml.
    ///
    /// Secrets are masked; a key without a value has an empty text.
    var settings: [(key: ConfigurationKey, text: String)] {
        network.settings + node.settings + store.settings + http.settings + APNsSettings.settings(of: apns)
            + FCMSettings.settings(of: fcm) + WebPushSettings.settings(of: webPush) + push.settings + log.settings
    }

    /// One line for each key with a value.
    ///
    /// Secrets are masked.
    var description: String {
        settings.filter { !$0.text.isEmpty }.map { "\($0.key.rawValue): \($0.text)" }.joined(separator: "\n")
    }
}

extension IndexerConfiguration {
    /// The file that is read if the operator names none.
    static let defaultFile = "config/indexer.yaml"

    /// Reads the configuration from a file and the environment, which wins.
    ///
    /// - Parameters:
    ///   - file: The file that the operator named; it must exist. Nil takes `defaultFile` if that exists.
    ///   - defaultFile: Where to look otherwise.
    ///   - environment: The process's environment variables.
    /// - Returns: A configuration in which every value is allowed.
    /// - Throws: All mistakes at once, one line each.
    static func load(
        file: String? = nil, defaultFile: String = Self.defaultFile, environment: [String: String]
    ) throws(ConfigurationError) -> IndexerConfiguration {
        try LoadedConfiguration.load(file: file, defaultFile: defaultFile, environment: environment).configuration
    }
}
