/// The section `node`.
struct NodeSettings: Sendable, Equatable {
    /// Each is tried in turn; more would only hide that none works.
    static let maximumURLs = 32

    /// Origins of kaspad's gRPC service (https for TLS), 1 to 32, in order of preference.
    var urls = ["http://127.0.0.1:16110"]
    /// How long a node may tell of no block before it is left for the next: 1 s to 1 h.
    var stallTimeout = Duration.seconds(30)
    /// PEM file of the authority that signed the certificates of https nodes; readable when it was loaded.
    var caPath: String?

    mutating func update(from reader: inout SettingsReader) {
        reader.update(
            &urls, from: .nodeURLs, each: .origin(schemes: ["http", "https"]), count: 1...Self.maximumURLs)
        reader.update(&stallTimeout, from: .nodeStallTimeout, as: .duration(in: .seconds(1)...(.seconds(3_600))))
        reader.update(&caPath, from: .nodeCAPath, as: .certificateFile)
    }

    var settings: [(key: ConfigurationKey, text: String)] {
        [
            (.nodeURLs, urls.joined(separator: ",")),
            (.nodeStallTimeout, DurationText.format(stallTimeout)),
            (.nodeCAPath, caPath ?? ""),
        ]
    }
}
