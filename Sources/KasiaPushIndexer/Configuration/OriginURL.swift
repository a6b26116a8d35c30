import API

/// A web origin: scheme, host and perhaps a port, without a password or a path.
struct OriginURL: Sendable, Hashable, CustomStringConvertible {
    /// In lower case.
    let scheme: String
    /// In lower case; an IPv6 address without its brackets.
    let host: String
    /// 1 to 65535; nil if the text has none.
    let port: Int?

    /// Reads `scheme://host[:port]`, with or without a slash at the end; nil for anything else.
    init?(_ text: String, schemes: [String]) {
        guard let separator = text.firstRange(of: "://") else { return nil }
        scheme = text[..<separator.lowerBound].lowercased()
        var rest = text[separator.upperBound...]
        if rest.last == "/" { rest.removeLast() }
        guard schemes.contains(scheme) else { return nil }

        let portText: Substring?
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]"), let address = IPAddress(String(rest[..<end].dropFirst())),
                address.bytes.count == 16
            else { return nil }
            host = address.description
            let tail = rest[end...].dropFirst()
            guard tail.isEmpty || tail.first == ":" else { return nil }
            portText = tail.isEmpty ? nil : tail.dropFirst()
        } else {
            let colon = rest.firstIndex(of: ":")
            host = rest[..<(colon ?? rest.endIndex)].lowercased()
            guard Self.isHostName(host) else { return nil }
            portText = colon.map { rest[rest.index(after: $0)...] }
        }
        guard let portText else {
            port = nil
            return
        }
        guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(portText),
            (1...65_535).contains(number)
        else { return nil }
        port = number
    }

    /// Whether the host is an IP address and not a name.
    var isAddress: Bool { IPAddress(host) != nil }

    /// The origin without a slash at the end.
    var description: String {
        scheme + "://" + (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
    }

    /// Whether the text is a host name: labels of letters, digits, `-` and `_`, separated by dots.
    static func isHostName(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy(\.isNameByte)
        }
    }
}
