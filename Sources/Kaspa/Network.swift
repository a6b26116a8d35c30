/// A Kaspa network.
public enum Network: Hashable, Sendable {
    /// The network whose coins have a price.
    case mainnet
    /// A test network by its number.
    case testnet(UInt32)
    /// The network of node developers.
    case devnet
    /// A network of simulated blocks.
    case simnet

    /// Reads `mainnet`, `testnet` (the same as `testnet-10`), `testnet-N`, `devnet` or `simnet`.
    ///
    /// The node's own spelling with `kaspa-` in front is read too. N is written as a node writes it: decimal, 32 bits,
    /// no sign and no leading zero. Anything else is nil.
    public init?(_ text: String) {
        let name = text.hasPrefix("kaspa-") ? text.dropFirst("kaspa-".count) : Substring(text)
        switch name {
        case "mainnet": self = .mainnet
        case "testnet": self = .testnet(10)
        case "devnet": self = .devnet
        case "simnet": self = .simnet
        default:
            guard name.hasPrefix("testnet-") else { return nil }
            let digits = name.dropFirst("testnet-".count)
            // Comparing with the canonical spelling refuses "+10" and "010", which the number's own parser takes.
            guard let number = UInt32(digits), String(number) == digits else { return nil }
            self = .testnet(number)
        }
    }

    /// The prefix of this network's addresses; all test networks share one.
    public var addressPrefix: AddressPrefix {
        switch self {
        case .mainnet: .kaspa
        case .testnet: .kaspatest
        case .devnet: .kaspadev
        case .simnet: .kaspasim
        }
    }
}

extension Network: CustomStringConvertible {
    /// The canonical name, which `init(_:)` reads back: `mainnet`, `testnet-10`, `devnet`, `simnet`.
    public var description: String {
        switch self {
        case .mainnet: "mainnet"
        case .testnet(let number): "testnet-\(number)"
        case .devnet: "devnet"
        case .simnet: "simnet"
        }
    }
}
