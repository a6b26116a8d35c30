extension Address {
    /// The longest text that is looked at; real addresses have 67 to 72 characters.
    public static let maximumTextByteCount = 128

    /// Reads an address of any network, written in lower case or as a whole in upper case.
    ///
    /// - Throws: `AddressError` that says what is wrong with the text; the fault is always the writer's. Text over
    ///   `maximumTextByteCount` is refused unread.
    public init(parsing text: String) throws(AddressError) {
        guard text.utf8.count <= Self.maximumTextByteCount else { throw AddressError(.tooLong) }
        var (hasUpper, hasLower) = (false, false)
        var characters: [UInt8] = []
        characters.reserveCapacity(text.utf8.count)
        for character in text.utf8 {
            let isUpper = 0x41...0x5a ~= character
            hasUpper = hasUpper || isUpper
            hasLower = hasLower || 0x61...0x7a ~= character
            characters.append(isUpper ? character | 0x20 : character)
        }
        guard !hasUpper || !hasLower else { throw AddressError(.mixedCase) }
        guard let colon = characters.firstIndex(of: 0x3a) else { throw AddressError(.missingPrefix) }
        guard let prefix = AddressPrefix(rawValue: String(decoding: characters[..<colon], as: UTF8.self)) else {
            throw AddressError(.unknownPrefix)
        }
        let bytes = try Self.bytes(characters[(colon + 1)...], under: prefix)
        guard let first = bytes.first else { throw AddressError(.wrongLength) }
        guard let version = Version(rawValue: first) else { throw AddressError(.unknownVersion) }
        guard let address = Address(prefix: prefix, version: version, payload: bytes.dropFirst()) else {
            throw AddressError(.wrongLength)
        }
        self = address
    }

    /// Joins digits of five bits to bytes, without the checksum behind them, which has to fit.
    ///
    /// What is left over may be neither a whole digit nor other than zero, for then another text would mean the same
    /// bytes.
    private static func bytes(
        _ digits: ArraySlice<UInt8>, under prefix: AddressPrefix
    ) throws(AddressError) -> [UInt8] {
        let values = Base32.values
        let dataEnd = digits.endIndex - AddressChecksum.digitCount
        var checksum = AddressChecksum(prefix)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 5 / 8)
        var (pending, bits): (UInt32, UInt32) = (0, 0)
        for index in digits.indices {
            let value = values[Int(digits[index])]
            guard value < 32 else { throw AddressError(.invalidCharacter) }
            checksum.add(value)
            guard index < dataEnd else { continue }
            pending = pending << 5 | UInt32(value)
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
        }
        guard dataEnd >= digits.startIndex, checksum.isMet else { throw AddressError(.wrongChecksum) }
        guard bits < 5, pending & ((1 << bits) - 1) == 0 else { throw AddressError(.wrongLength) }
        return bytes
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

    /// The text shortened for a person to read: its first 8 characters, `...` and its last 6.
    ///
    /// A text of 16 characters or fewer is left whole. The text is taken for ASCII, as addresses are.
    public static func shorten(_ text: String) -> String {
        let characters = text.utf8
        guard characters.count > 16 else { return text }
        return String(Substring(characters.prefix(8))) + "..." + String(Substring(characters.suffix(6)))
    }

    /// The address shortened for a person to read, as `shorten(_:)` does it: `kaspa:qp...5k28l`.
    public var short: String {
        Self.shorten(description)
    }
}

extension Address: CustomStringConvertible {
    /// The address in lower case, with its prefix and checksum.
    public var description: String {
        let (key, name) = (storageKey, prefix.rawValue.utf8)
        let alphabet = Base32.alphabet
        let count = name.count + 1 + Base32.digitCount(ofBytes: key.count) + AddressChecksum.digitCount
        return String(unsafeUninitializedCapacity: count) { text in
            var end = text.initialize(fromContentsOf: name)
            func write(_ character: UInt8) {
                text.initializeElement(at: end, to: character)
                end += 1
            }
            write(0x3a)
            var checksum = AddressChecksum(prefix)
            func write(digit: UInt8) {
                checksum.add(digit)
                write(alphabet[Int(digit)])
            }
            var (pending, bits): (UInt32, UInt32) = (0, 0)
            for byte in key {
                pending = pending << 8 | UInt32(byte)
                bits += 8
                while bits >= 5 {
                    bits -= 5
                    write(digit: UInt8(truncatingIfNeeded: pending >> bits) & 0x1f)
                }
            }
            if bits > 0 { write(digit: UInt8(truncatingIfNeeded: pending << (5 - bits)) & 0x1f) }
            let completion = checksum.completion
            for shift in stride(from: 35 as UInt64, through: 0, by: -5) {
                write(alphabet[Int(completion >> shift & 0x1f)])
            }
            return end
        }
    }
}
