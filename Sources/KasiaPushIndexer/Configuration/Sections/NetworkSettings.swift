import Kaspa

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
