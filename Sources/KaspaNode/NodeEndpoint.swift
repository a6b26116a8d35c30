package import Kaspa

/// Where a node listens, parsed from its URL.
///
/// Accepted are `http://host[:port]` and `grpc://host[:port]`, both without TLS, and `https://host[:port]`, whose
/// certificate must name the host. A host is a name, an IPv4 address or an IPv6 address in brackets. The default port
/// is that of the network.
package struct NodeEndpoint: Hashable, Sendable {
    /// A host, by name or address.
    package enum Host: Hashable, Sendable {
        /// A name to resolve.
        case name(String)
        /// Four decimal numbers separated by dots.
        case ipv4(String)
        /// An address that stood in brackets.
        case ipv6(String)
    }

    /// The host.
    package var host: Host

    /// The TCP port.
    package var port: Int

    /// Whether the connection uses TLS.
    package var usesTLS: Bool

    /// Reads a URL; nil when it is not of an accepted form or its port is not in 1...65535.
    package init?(_ url: String, network: Network) {
        guard let schemeEnd = url.firstRange(of: "://") else { return nil }
        switch url[..<schemeEnd.lowerBound].lowercased() {
        case "http", "grpc": usesTLS = false
        case "https": usesTLS = true
        default: return nil
        }
        var rest = url[schemeEnd.upperBound...]
        if rest.hasSuffix("/") { rest.removeLast() }

        let portText: Substring?
        if rest.first == "[" {
            guard let bracket = rest.firstIndex(of: "]") else { return nil }
            let address = rest[rest.index(after: rest.startIndex)..<bracket]
            guard address.contains(":"), address.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                return nil
            }
            host = .ipv6(String(address))
            rest = rest[rest.index(after: bracket)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            portText = rest.isEmpty ? nil : rest.dropFirst()
        } else {
            let pieces = rest.split(separator: ":", omittingEmptySubsequences: false)
            guard let name = pieces.first, pieces.count <= 2, Self.isHostName(name) else { return nil }
            host = Self.isIPv4(name) ? .ipv4(String(name)) : .name(String(name))
            portText = pieces.count == 2 ? pieces[1] : nil
        }

        if let portText {
            guard portText.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt16(portText), number > 0 else {
                return nil
            }
            port = Int(number)
        } else {
            port = Self.defaultPort(of: network)
        }
    }

    /// A node's default gRPC port on this network.
    package static func defaultPort(of network: Network) -> Int {
        switch network {
        case .mainnet: 16110
        case .testnet: 16210
        case .simnet: 16510
        case .devnet: 16610
        }
    }

    private static func isHostName(_ text: Substring) -> Bool {
        !text.isEmpty && text.count <= 253
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "." || $0 == "_") }
    }

    private static func isIPv4(_ text: Substring) -> Bool {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
    }
}
