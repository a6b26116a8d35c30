/// An https URL of an origin and a path: no user name, no query, no fragment.
struct HTTPSAddress: Sendable, Equatable {
    /// `https://HOST` or `https://HOST:PORT`.
    let origin: String
    /// Begins with a slash, unless the URL has no path: then it is empty.
    let path: String

    /// The longest URL that is read, in bytes.
    static let maximumBytes = 1_000

    /// nil for anything else than such a URL.
    init?(_ text: String) {
        let scheme = "https://"
        guard text.utf8.count <= HTTPSAddress.maximumBytes, text.hasPrefix(scheme) else { return nil }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        let path = rest[authority.endIndex...]
        guard HTTPSAddress.isAuthority(authority), path.allSatisfy(HTTPSAddress.mayStandInPath) else { return nil }
        origin = scheme + String(decoding: Array(authority), as: UTF8.self)
        self.path = String(decoding: Array(path), as: UTF8.self)
    }

    private static func isAuthority(_ text: Substring.UTF8View) -> Bool {
        var host = text
        if host.last != UInt8(ascii: "]"), let colon = host.lastIndex(of: UInt8(ascii: ":")) {
            let digits = Array(host[host.index(after: colon)...])
            guard let port = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(port),
                digits.allSatisfy({ (0x30...0x39).contains($0) })
            else { return false }
            host = host[..<colon]
        }
        let isBracketed = host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
        return !host.isEmpty
            && host.allSatisfy { byte in
                byte.isLetterOrDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
                    || isBracketed && [UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]")].contains(byte)
            }
    }

    private static func mayStandInPath(_ byte: UInt8) -> Bool {
        byte.isPrintable && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "#")
    }
}

extension UInt8 {
    /// Whether it is an ASCII letter or digit.
    var isLetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5a).contains(self) || (0x61...0x7a).contains(self)
    }

    /// Whether it is an ASCII character that is seen: no space, no control.
    var isPrintable: Bool { (0x21...0x7e).contains(self) }
}
