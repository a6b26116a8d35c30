import JSON

/// A configuration with the origin of each value.
struct LoadedConfiguration: Sendable {
    let configuration: IndexerConfiguration
    /// The file that was read; nil if there was none.
    let file: String?
    let origins: [ConfigurationKey: SettingOrigin]

    /// Loads it like `IndexerConfiguration.load`.
    static func load(
        file: String? = nil, defaultFile: String = IndexerConfiguration.defaultFile, environment: [String: String]
    ) throws(ConfigurationError) -> LoadedConfiguration {
        let found = try read(file ?? defaultFile, mayBeMissing: file == nil)
        var reader = SettingsReader(environment: environment, file: found)
        var configuration = IndexerConfiguration()
        configuration.network.update(from: &reader)
        configuration.node.update(from: &reader)
        configuration.store.update(from: &reader)
        configuration.http.update(from: &reader)
        configuration.apns = APNsSettings.read(from: &reader)
        configuration.fcm = FCMSettings.read(from: &reader)
        configuration.webPush = WebPushSettings.read(from: &reader)
        configuration.push.update(from: &reader)
        configuration.log.update(from: &reader)
        configuration.store.checkRetention(against: configuration.push.maxAge, in: &reader)
        guard reader.problems.isEmpty else { throw ConfigurationError(problems: reader.problems) }
        let origins = ConfigurationKey.allCases.map { ($0, reader.origin(of: $0)) }
        return LoadedConfiguration(
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

extension LoadedConfiguration {
    /// The configuration as a YAML file with the origin of each value.
    ///
    /// Secrets are masked, and keys without a value are empty.
    var yaml: String {
        var text = ""
        var section = ""
        for (key, value) in configuration.settings {
            let name = key.components
            if name[0] != section {
                section = name[0]
                text += "\(text.isEmpty ? "" : "\n")\(section):\n"
            }
            let start = "  \(name[1]):" + (value.isEmpty ? "" : " " + Self.quoted(value))
            text += "\(start)  # \(Self.origin(origins[key] ?? .unset))\n"
        }
        return text
    }

    private static func origin(_ origin: SettingOrigin) -> String {
        origin == .unset ? "default" : String("\(origin)".map { $0.isNewline ? " " : $0 })
    }

    /// The text in quotation marks, unless YAML reads it as a text or a number without them.
    private static func quoted(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy { $0.isNameByte || "./".utf8.contains($0) } && value.utf8.first != 0x2D
        return isPlain ? value : JSONText.quoted(value)
    }
}

/// The origin of a value.
enum SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    /// An environment variable, by its name.
    case environment(String)
    /// A line of the file.
    case file(path: String, line: Int)
    /// The default.
    case unset

    var description: String {
        switch self {
        case .environment(let name): "environment \(name)"
        case .file(let path, let line): "\(path) line \(line)"
        case .unset: "not set"
        }
    }
}
