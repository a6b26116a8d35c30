import API
import KasiaProtocol
import Logging
import PostgresStore

/// Parses a setting's text, and says what is allowed.
struct SettingRule<Value: Sendable>: Sendable {
    /// Completes "allowed: …".
    let allowed: String
    /// The mistake in a text that is not allowed, if more can be said.
    ///
    /// It must not repeat the text.
    var complaint: @Sendable (String) -> String? = { _ in nil }
    /// Parses a text; nil if it is not allowed.
    let parse: @Sendable (String) -> Value?
}

extension SettingRule where Value == Int {
    /// A whole number in decimal.
    static func integer(in range: ClosedRange<Int>) -> Self {
        Self(allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension SettingRule where Value == Bool {
    /// `true` or `false`, in upper or lower case.
    static let boolean = Self(allowed: "true or false") { Bool($0.lowercased()) }
}

extension SettingRule where Value == Duration {
    /// A whole number and a unit: ms, s, m, h or d.
    static func duration(in range: ClosedRange<Duration>) -> Self {
        let bounds = "\(DurationText.format(range.lowerBound)) to \(DurationText.format(range.upperBound))"
        return Self(allowed: "a duration from \(bounds), such as 500ms, 10s, 15m, 24h or 2d") { text in
            DurationText.parse(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension SettingRule where Value == UInt64 {
    /// A whole number and perhaps a unit: KiB, MiB, GiB or TiB.
    static func byteCount(in range: ClosedRange<UInt64>) -> Self {
        let bounds = "\(ByteCountText.format(range.lowerBound)) to \(ByteCountText.format(range.upperBound))"
        return Self(allowed: "a number of bytes from \(bounds), such as 1048576, 256MiB or 2GiB") { text in
            ByteCountText.parse(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension SettingRule where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of the cases' names, in upper or lower case.
    static var oneOf: Self {
        Self(allowed: Value.allCases.map(\.rawValue).joined(separator: ", ")) { text in
            Value(rawValue: text.lowercased())
        }
    }
}

extension SettingRule where Value == AddressBlock {
    /// An address or a block of addresses.
    static let addressBlock = Self(
        allowed: "IP addresses or CIDR blocks separated by commas, such as 127.0.0.1 or 10.0.0.0/8",
        parse: { AddressBlock($0) })
}

extension SettingRule where Value == String {
    /// A file or directory.
    static let path = Self(allowed: "a path of at most 4096 bytes") { text in
        (1...4_096).contains(text.utf8.count) && !text.utf8.contains(0) ? text : nil
    }

    /// Where a PostgreSQL server is; nothing secret may be in it.
    static let postgresURL = Self(
        allowed: "a postgresql:// URL of at most 4096 bytes without a password (see store.password_path), or none",
        complaint: { postgresComplaint($0) }
    ) { text in
        postgresComplaint(text) == nil ? text : nil
    }

    private static func postgresComplaint(_ text: String) -> String? {
        guard text.utf8.count <= 4_096 else { return "it has \(text.utf8.count) bytes" }
        return PostgresStore.Location.complaint(about: text)
    }

    /// A readable file of at most 4 KiB whose first line is a password.
    static let passwordFile = Self(
        allowed: "a file of at most 4096 bytes that can be read and whose first line is the password",
        complaint: { passwordComplaint($0) }
    ) { path in
        passwordComplaint(path) == nil ? path : nil
    }

    private static func passwordComplaint(_ path: String) -> String? {
        do {
            let text = try SmallFile.text(at: path, limit: 4_096)
            return text.first.map { !$0.isNewline } == true ? nil : "its first line is empty"
        } catch {
            return "\(error)"
        }
    }

    /// A readable PEM file of at most 1 MiB that contains `mark`.
    static func pemFile(with mark: String, allowed: String) -> Self {
        @Sendable func complaint(_ path: String) -> String? {
            do {
                let text = try SmallFile.text(at: path, limit: 1 << 20)
                return text.contains(mark) ? nil : PEMText.content(of: text)
            } catch {
                return "\(error)"
            }
        }
        return Self(allowed: allowed, complaint: complaint) { complaint($0) == nil ? $0 : nil }
    }

    /// A PEM file of certificates.
    static let certificateFile = pemFile(
        with: "-----BEGIN CERTIFICATE-----", allowed: "a PEM file with a certificate that can be read")

    /// A link with `{tx_id}` for the transaction id.
    static let explorerURL = Self(allowed: "an http or https URL of at most 512 bytes with {tx_id} in it, or none") {
        text in
        let isPlain = text.utf8.count <= 512 && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        let isLink = (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.contains("{tx_id}")
        return text == "none" || (isPlain && isLink) ? text : nil
    }

    /// A name or address to listen on.
    static let host = Self(allowed: "an IP address or a host name, without port") { text in
        IPAddress(text) != nil || OriginURL.isHostName(text) ? text : nil
    }

    /// A name of the server itself, in lower case.
    static let hostName = Self(allowed: "IP addresses or host names separated by commas, without ports") { text in
        IPAddress(text) != nil || OriginURL.isHostName(text) ? text.lowercased() : nil
    }

    /// A channel of broadcasts.
    static let broadcastChannel = Self(
        allowed: "channel names separated by commas, each of 1 to \(ChannelName.maximumCharacters) characters "
            + "without white space or colons",
        parse: { ChannelName($0)?.text })

    /// A web origin: scheme, host and perhaps a port.
    static func origin(schemes: [String]) -> Self {
        let form = schemes.map { "\($0)://HOST[:PORT]" }.joined(separator: " or ")
        return Self(allowed: "\(form), without user name, path or query") { text in
            OriginURL(text, schemes: schemes)?.description
        }
    }

    /// An identifier of Apple's for teams, keys and apps: letters, digits, `.`, `-` and `_`.
    static func identifier(maximumLength: Int) -> Self {
        Self(allowed: "1 to \(maximumLength) characters of A-Z a-z 0-9 . - _") { text in
            let isAllowed = text.utf8.allSatisfy { $0.isNameByte || $0 == UInt8(ascii: ".") }
            return isAllowed && (1...maximumLength).contains(text.utf8.count) ? text : nil
        }
    }
}

extension UInt8 {
    /// An ASCII digit.
    var isDigit: Bool { (0x30...0x39).contains(self) }

    /// An ASCII letter or digit, `-` or `_`.
    var isNameByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

/// Describes a text that is not the expected PEM.
private enum PEMText {
    private static let contents = [
        ("ENCRYPTED PRIVATE KEY-----", "it holds a private key that is encrypted"),
        ("PRIVATE KEY-----", "it holds a private key"), ("CERTIFICATE-----", "it holds a certificate"),
        ("PUBLIC KEY-----", "it holds a public key"), ("-----BEGIN ", "it holds something else"),
    ]

    /// A description that does not repeat the text.
    static func content(of text: String) -> String {
        contents.first { text.contains($0.0) }?.1 ?? "it is not PEM text: it has no line -----BEGIN …-----"
    }
}
