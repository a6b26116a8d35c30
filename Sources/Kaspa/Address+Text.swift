extension Address {
    /// The longest text that is looked at; real addresses have 67 to 72 characters.
    public static let maximumTextByteCount = 128

    /// Reads an address of any network, written in lower case or as a whole in upper case.
    ///
    /// - Throws: `AddressError` that says what is wrong with the text; the fault is always the writer's. Text over
    ///   `maximumTextByteCount` is refused unread.
    public init(parsing text: String) throws(AddressError) {
        var text = text
        self = try text.withUTF8(Self.read).get()
    }

    private static func read(_ text: UnsafeBufferPointer<UInt8>) -> Result<Address, AddressError> {
        guard text.count <= maximumTextByteCount else { return .failure(AddressError(.tooLong)) }
        let hasUpper = text.contains { 0x41...0x5a ~= $0 }
        let hasLower = text.contains { 0x61...0x7a ~= $0 }
        guard !hasUpper || !hasLower else { return .failure(AddressError(.mixedCase)) }
        guard let colon = text.firstIndex(of: 0x3a) else { return .failure(AddressError(.missingPrefix)) }
        let name = UnsafeBufferPointer(rebasing: text[..<colon])
        guard let prefix = AddressPrefix.allCases.first(where: { $0.isSpelled(name) }) else {
            return .failure(AddressError(.unknownPrefix))
        }
        let digits = UnsafeBufferPointer(rebasing: text[(colon + 1)...])
        return withUnsafeTemporaryAllocation(byteCount: maximumTextByteCount, alignment: 1) { bytes in
            read(digits, under: prefix, into: bytes.bindMemory(to: UInt8.self))
        }
    }

    /// Joins digits of five bits to bytes, without the checksum behind them, which has to fit.
    ///
    /// What is left over may be neither a whole digit nor other than zero, for then another text would mean the same
    /// bytes.
    private static func read(
        _ digits: UnsafeBufferPointer<UInt8>, under prefix: AddressPrefix, into bytes: UnsafeMutableBufferPointer<UInt8>
    ) -> Result<Address, AddressError> {
        let values = Base32.values
        let dataEnd = digits.count - AddressChecksum.digitCount
        var checksum = AddressChecksum(prefix)
        var count = 0
        var (pending, bits): (UInt32, UInt32) = (0, 0)
        for (index, digit) in digits.enumerated() {
            let value = values[Int(digit)]
            guard value < 32 else { return .failure(AddressError(.invalidCharacter)) }
            checksum.add(value)
            guard index < dataEnd else { continue }
            pending = pending << 5 | UInt32(value)
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.initializeElement(at: count, to: UInt8(truncatingIfNeeded: pending >> bits))
            count += 1
        }
        guard dataEnd >= 0, checksum.isMet else { return .failure(AddressError(.wrongChecksum)) }
        guard bits < 5, pending & ((1 << bits) - 1) == 0, count > 0 else { return .failure(AddressError(.wrongLength)) }
        guard let version = Version(rawValue: bytes[0]) else { return .failure(AddressError(.unknownVersion)) }
        let payload = UnsafeBufferPointer(rebasing: bytes[1..<count])
        guard let address = Address(prefix: prefix, version: version, payload: payload) else {
            return .failure(AddressError(.wrongLength))
        }
        return .success(address)
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
        String(unsafeUninitializedCapacity: textByteCount, initializingUTF8With: write)
    }

    /// How long the `description` is.
    package var textByteCount: Int {
        prefix.rawValue.utf8.count + 1 + Base32.digitCount(ofBytes: storageKeyByteCount) + AddressChecksum.digitCount
    }

    /// Adds the `description` in ASCII to the end of a buffer.
    package func appendText(to buffer: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: textByteCount) { text in
            buffer.append(contentsOf: text[..<write(to: text)])
        }
    }

    /// Writes the `description` in ASCII; returns its length.
    private func write(to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let alphabet = Base32.alphabet
        var end = text.initialize(fromContentsOf: prefix.rawValue.utf8)
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
        withStorageKey { key in
            for byte in key {
                pending = pending << 8 | UInt32(byte)
                bits += 8
                while bits >= 5 {
                    bits -= 5
                    write(digit: UInt8(truncatingIfNeeded: pending >> bits) & 0x1f)
                }
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
