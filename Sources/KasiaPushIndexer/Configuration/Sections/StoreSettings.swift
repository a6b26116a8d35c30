/// The section `store`.
struct StoreSettings: Sendable, Equatable {
    /// The RocksDB directory, created if it is missing.
    var path = "./data"

    mutating func update(from reader: inout SettingsReader) {
        reader.update(&path, from: .storePath, as: .path)
    }

    var settings: [(key: ConfigurationKey, text: String)] {
        [(.storePath, path)]
    }
}
