import HTTP2Client

/// The part of a URL that names a server, in the one form that all readers agree on.
struct HostAndPort: Equatable {
    /// A DNS name or an IP address in lower case; IPv6 addresses have their brackets.
    let host: String
    /// nil when there is none.
    let port: Int?

    /// The longest DNS name and the longest part of one, in bytes (RFC 1035).
    static let maximumNameBytes = 253
    static let maximumLabelBytes = 63

    /// nil for anything else than `HOST` or `HOST:PORT`.
    init?(_ text: some StringProtocol) {
        let text = text.lowercased()
        let end = text.hasPrefix("[") ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":")
        let host = String(text[..<(end ?? text.endIndex)])
        guard HostAndPort.isHost(host) else { return nil }
        let rest = text[(end ?? text.endIndex)...]
        if rest.isEmpty {
            port = nil
        } else {
            let digits = rest.dropFirst()
            guard rest.first == ":", digits.first != "0", (1...5).contains(digits.utf8.count),
                digits.utf8.allSatisfy(HostAndPort.isDigit), let number = Int(digits), number <= 65_535
            else { return nil }
            port = number
        }
        self.host = host
    }

    /// Whether it is an IP address, below which there are no names.
    var isAddress: Bool { host.hasPrefix("[") || IPAddress(host) != nil }

    private static func isHost(_ host: String) -> Bool {
        if host.hasPrefix("[") {
            let inside = String(host.dropFirst().dropLast())
            return host.hasSuffix("]") && inside.contains(":") && IPAddress(inside) != nil
        }
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...maximumNameBytes).contains(host.utf8.count), labels.allSatisfy(isLabel), let last = labels.last
        else {
            return false
        }
        // Browsers and resolvers take what ends in a number for an IPv4 address in one of its many forms.
        return !isNumber(last) || IPAddress(host) != nil
    }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        (1...maximumLabelBytes).contains(label.count) && label.first != UInt8(ascii: "-")
            && label.last != UInt8(ascii: "-")
            && label.allSatisfy { isDigit($0) || (0x61...0x7a).contains($0) || $0 == UInt8(ascii: "-") }
    }

    private static func isNumber(_ label: Substring.UTF8View) -> Bool {
        if label.allSatisfy(isDigit) { return true }
        guard label.starts(with: "0x".utf8) else { return false }
        return label.dropFirst(2).allSatisfy { isDigit($0) || (0x61...0x66).contains($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
