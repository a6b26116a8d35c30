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
        var (hasUpper, hasLower) = (false, false)
        for character in text {
            hasUpper = hasUpper || character &- 0x41 < 26
            hasLower = hasLower || character &- 0x61 < 26
        }
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
        // The values come behind what they are joined to.
        let values = UnsafeMutableBufferPointer(rebasing: bytes[(bytes.count - digits.count)...])
        var all: UInt8 = 0
        Base32.values.withUnsafeBufferPointer { table in
            for (index, digit) in digits.enumerated() {
                values[index] = table[Int(digit)]
                all |= values[index]
            }
        }
        guard all < 32 else { return .failure(AddressError(.invalidCharacter)) }
        var checksum = AddressChecksum(prefix)
        checksum.add(UnsafeBufferPointer(values))
        guard digits.count >= AddressChecksum.digitCount, checksum.isMet else {
            return .failure(AddressError(.wrongChecksum))
        }
        var count = 0
        var (pending, bits): (UInt32, UInt32) = (0, 0)
        for value in values.dropLast(AddressChecksum.digitCount) {
            pending = pending << 5 | UInt32(value)
            bits += 5
            guard bits >= 8 else { continue }
            bits -= 8
            bytes[count] = UInt8(truncatingIfNeeded: pending >> bits)
            count += 1
        }
        guard bits < 5, pending & ((1 << bits) - 1) == 0, count > 0 else { return .failure(AddressError(.wrongLength)) }
        guard let version = Version(rawValue: bytes[0]) else { return .failure(AddressError(.unknownVersion)) }
        let payload = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[1..<count]))
        guard let address = Address(prefix: prefix, version: version, contiguous: payload) else {
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
        let colon = text.initialize(fromContentsOf: prefix.rawValue.utf8)
        text.initializeElement(at: colon, to: 0x3a)
        let digits = UnsafeMutableBufferPointer(rebasing: text[(colon + 1)...])
        let dataEnd = withUnsafeTemporaryAllocation(byteCount: storageKeyByteCount, alignment: 8) { key in
            copyStorageKey(to: key)
            return Self.split(UnsafeRawBufferPointer(key), into: digits)
        }
        var checksum = AddressChecksum(prefix)
        checksum.add(UnsafeBufferPointer(rebasing: digits[..<dataEnd]))
        let completion = checksum.completion
        let count = dataEnd + AddressChecksum.digitCount
        for (index, place) in (dataEnd..<count).reversed().enumerated() {
            digits.initializeElement(at: place, to: UInt8(truncatingIfNeeded: completion >> (5 * index)) & 0x1f)
        }
        Base32.alphabet.withUnsafeBufferPointer { alphabet in
            for place in 0..<count { digits[place] = alphabet[Int(digits[place])] }
        }
        return colon + 1 + count
    }

    /// Splits bytes into digits of five bits, the last one filled up with zeros; returns how many they are.
    private static func split(_ bytes: UnsafeRawBufferPointer, into digits: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var count = 0
        var (pending, bits): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                digits.initializeElement(at: count, to: UInt8(truncatingIfNeeded: pending >> bits) & 0x1f)
                count += 1
            }
        }
        guard bits > 0 else { return count }
        digits.initializeElement(at: count, to: UInt8(truncatingIfNeeded: pending << (5 - bits)) & 0x1f)
        return count + 1
    }
}
