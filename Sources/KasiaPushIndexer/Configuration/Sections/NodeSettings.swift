import Kaspa

/// The section `node`.
struct NodeSettings: Sendable, Equatable {
    /// The most URLs.
    ///
    /// Each is tried in turn, and more would only hide that none works.
    static let maximumURLs = 32

    /// Origins of kaspad's gRPC service (https for TLS), 1 to 32, in order of preference.
    var urls = ["http://127.0.0.1:16110"]
    /// How long a node may send no block before the next is tried: 1 s to 1 h.
    var stallTimeout = Duration.seconds(30)
    /// The PEM file of the authority of https nodes; readable when the configuration was loaded.
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

/// The section `network`.
struct NetworkSettings: Sendable, Equatable {
    /// The network that is indexed.
    var type = Network.mainnet

    mutating func update(from reader: inout SettingsReader) {
        reader.update(
            &type, from: .networkType,
            as: SettingRule(allowed: "mainnet, testnet, testnet-N, devnet, simnet") { Network($0) })
    }

    var settings: [(key: ConfigurationKey, text: String)] {
        [(.networkType, type.description)]
    }
}
