/// Hexadecimal text: the spelling of hashes, scripts and payloads in JSON and on the node's wire.
///
/// Encoding writes lower-case digits. Decoding takes digits of either case, in pairs, and nothing else.
public enum Hex {
    /// Writes two lower-case digits for each byte.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        if let text = bytes.withContiguousStorageIfAvailable({ encode($0) }) { return text }
        return encode(contiguous: Array(bytes))
    }

    /// Adds two lower-case digits for each byte, as UTF-8.
    public static func append(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) {
        text.reserveCapacity(text.count + bytes.count * 2)
        for byte in bytes {
            text.append(character(byte >> 4))
            text.append(character(byte & 0x0f))
        }
    }

    /// Reads pairs of digits given as UTF-8; nil for an odd count or any other character.
    ///
    /// The result is allocated before the digits are checked and has half the length of the text, so a caller with
    /// untrusted text bounds its length first.
    @inlinable
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let count = text.count
        guard count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count / 2)
        var high: UInt8?
        for character in text {
            guard let digit = digit(character) else { return nil }
            if let upper = high {
                bytes.append(upper << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }

    /// Reads pairs of digits; nil for an odd count or any other character.
    public static func decode(_ text: String) -> [UInt8]? {
        decode(text.utf8)
    }

    /// The value of one digit, 0 to 15, in either case; nil if the character is none.
    @inlinable
    public static func digit(_ character: UInt8) -> UInt8? {
        let decimal = character &- 0x30
        if decimal < 10 { return decimal }
        let letter = (character | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    private static func encode(contiguous bytes: [UInt8]) -> String {
        bytes.withUnsafeBufferPointer { encode($0) }
    }

    private static func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            var position = 0
            for byte in bytes {
                text[position] = character(byte >> 4)
                text[position + 1] = character(byte & 0x0f)
                position += 2
            }
            return position
        }
    }

    private static func character(_ digit: UInt8) -> UInt8 {
        digit < 10 ? 0x30 &+ digit : 0x57 &+ digit
    }
}
