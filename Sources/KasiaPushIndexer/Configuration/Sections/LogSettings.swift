import Logging

/// The section `log`.
struct LogSettings: Sendable, Equatable {
    /// The least severe level that is written.
    var level = Logger.Level.info
    /// How a line looks.
    var format = LogFormat.text

    mutating func update(from reader: inout SettingsReader) {
        reader.update(&level, from: .logLevel, as: .oneOf)
        reader.update(&format, from: .logFormat, as: .oneOf)
    }

    var settings: [(key: ConfigurationKey, text: String)] {
        [(.logLevel, level.rawValue), (.logFormat, format.rawValue)]
    }
}
