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
        var reader = SettingsReader(
            environment: environment, file: try read(file ?? defaultFile, mayBeMissing: file == nil))
        var configuration = IndexerConfiguration()
        configuration.network.update(from: &reader)
        configuration.node.update(from: &reader)
        configuration.store.update(from: &reader)
        configuration.http.update(from: &reader)
        configuration.apns = APNsSettings.read(from: &reader)
        configuration.push.update(from: &reader)
        configuration.log.update(from: &reader)
        guard reader.problems.isEmpty else { throw ConfigurationError(problems: reader.problems) }
        return configuration
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
