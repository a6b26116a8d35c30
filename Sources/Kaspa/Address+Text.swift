extension Address {
    /// The longest text that is looked at; real addresses have 67 to 72 characters.
    public static let maximumTextByteCount = 128

    /// Reads an address of any network, written in lower case or as a whole in upper case.
    ///
    /// - Throws: `AddressError` that says what is wrong with the text; the fault is always the writer's. Text over
    ///   `maximumTextByteCount` is refused unread.
    public init(parsing text: String) throws(AddressError) {
        guard text.utf8.count <= Self.maximumTextByteCount else { throw AddressError(.tooLong) }
        let characters = Array(text.utf8)
        let isMixed = characters.contains { 0x41...0x5a ~= $0 } && characters.contains { 0x61...0x7a ~= $0 }
        guard !isMixed else { throw AddressError(.mixedCase) }
        let parts = characters.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }
            .split(separator: 0x3a, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw AddressError(.missingPrefix) }
        guard let prefix = AddressPrefix(rawValue: String(decoding: parts[0], as: UTF8.self)) else {
            throw AddressError(.unknownPrefix)
        }
        guard let digits = Base32.values(of: parts[1]) else { throw AddressError(.invalidCharacter) }
        guard AddressChecksum.isValid(digits, prefix: prefix) else { throw AddressError(.wrongChecksum) }
        guard let bytes = Base32.bytes(from: digits.dropLast(AddressChecksum.digitCount)) else {
            throw AddressError(.wrongLength)
        }
        guard let first = bytes.first else { throw AddressError(.wrongLength) }
        guard let version = Version(rawValue: first) else { throw AddressError(.unknownVersion) }
        guard let address = Address(prefix: prefix, version: version, payload: bytes.dropFirst()) else {
            throw AddressError(.wrongLength)
        }
        self = address
    }

    /// Reads an address that must belong to the given network.
    ///
    /// - Throws: `AddressError`, with the code `foreignNetwork` and the expected prefix when the address is good but of
    ///   another kind of network.
    public static func parse(_ text: String, on network: Network) throws(AddressError) -> Address {
        let address = try Address(parsing: text)
        guard address.prefix == network.addressPrefix else {
            throw AddressError(foreign: address.prefix, on: network)
        }
        return address
    }

    /// The text shortened for a person to read: its first 8 characters, `...` and its last 6 (push.md, SHORT).
    ///
    /// A text of 16 characters or fewer is left whole.
    public static func shorten(_ text: String) -> String {
        text.count <= 16 ? text : "\(text.prefix(8))...\(text.suffix(6))"
    }

    /// The address shortened for a person to read, as `shorten(_:)` does it: `kaspa:qp...5k28l`.
    public var short: String {
        Self.shorten(description)
    }
}

extension Address: CustomStringConvertible {
    /// The address in lower case, with its prefix and checksum.
    public var description: String {
        let digits = Base32.values(from: storageKey)
        let checksum = AddressChecksum.digits(for: digits, prefix: prefix)
        var text = Array(prefix.rawValue.utf8)
        text.append(0x3a)
        text.append(contentsOf: (digits + checksum).map(Base32.character))
        return String(decoding: text, as: UTF8.self)
    }
}
