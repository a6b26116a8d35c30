extension IndexerConfiguration {
    /// Where the file is looked for if no other is named.
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
        try TracedConfiguration.load(file: file, defaultFile: defaultFile, environment: environment).configuration
    }
}

/// A configuration, and where each of its values comes from.
struct TracedConfiguration: Sendable {
    let configuration: IndexerConfiguration
    /// The file that was read; nil if there was none.
    let file: String?
    let origins: [ConfigurationKey: SettingOrigin]

    /// As `IndexerConfiguration.load`.
    static func load(
        file: String? = nil, defaultFile: String = IndexerConfiguration.defaultFile, environment: [String: String]
    ) throws(ConfigurationError) -> TracedConfiguration {
        let found = try read(file ?? defaultFile, mayBeMissing: file == nil)
        var reader = SettingsReader(environment: environment, file: found)
        var configuration = IndexerConfiguration()
        configuration.network.update(from: &reader)
        configuration.node.update(from: &reader)
        configuration.store.update(from: &reader)
        configuration.http.update(from: &reader)
        configuration.apns = APNsSettings.read(from: &reader)
        configuration.push.update(from: &reader)
        configuration.log.update(from: &reader)
        configuration.store.checkRetention(against: configuration.push.maxAge, in: &reader)
        guard reader.problems.isEmpty else { throw ConfigurationError(problems: reader.problems) }
        let origins = ConfigurationKey.allCases.map { ($0, reader.origin(of: $0)) }
        return TracedConfiguration(
            configuration: configuration, file: found?.path, origins: Dictionary(uniqueKeysWithValues: origins))
    }

    private static func read(
        _ path: String, mayBeMissing: Bool
    ) throws(ConfigurationError) -> ConfigurationFile? {
        do {
            return try ConfigurationFile.read(path)
        } catch .missing where mayBeMissing {
            return nil
        } catch {
            throw ConfigurationError(problems: [
                ConfigurationProblem(subject: "configuration file \(path)", text: "cannot be read: \(error)")
            ])
        }
    }
}
