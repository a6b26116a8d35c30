/// The section `node`.
struct NodeSettings: Sendable, Equatable {
    /// Each is tried in turn; more would only hide that none works.
    static let maximumURLs = 32

    /// Origins of kaspad's gRPC service (https for TLS), 1 to 32, tried in turn.
    var urls = ["http://127.0.0.1:16110"]

    mutating func update(from reader: inout SettingsReader) {
        reader.update(
            &urls, from: .nodeURLs, each: .origin(schemes: ["http", "https"]), count: 1...Self.maximumURLs)
    }

    var settings: [(key: ConfigurationKey, text: String)] {
        [(.nodeURLs, urls.joined(separator: ","))]
    }
}
