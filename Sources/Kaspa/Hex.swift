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
        let start = text.count
        text.append(contentsOf: repeatElement(0, count: bytes.count * 2))
        text.withUnsafeMutableBytes { text in
            bytes.withUnsafeBufferPointer { write($0, to: UnsafeMutableRawBufferPointer(rebasing: text[start...])) }
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
            write(bytes, to: UnsafeMutableRawBufferPointer(text))
            return bytes.count * 2
        }
    }

    /// Fills `text`, twice as long, with the digits of `bytes`.
    private static func write(_ bytes: UnsafeBufferPointer<UInt8>, to text: UnsafeMutableRawBufferPointer) {
        for (index, byte) in bytes.enumerated() {
            text.storeBytes(of: digits(byte).littleEndian, toByteOffset: index * 2, as: UInt16.self)
        }
    }

    /// Both digits of a byte, the first in the lower half.
    ///
    /// There is no branch in it, so that the compiler makes the digits of many bytes at once.
    private static func digits(_ byte: UInt8) -> UInt16 {
        let values = (UInt16(byte) >> 4 | UInt16(byte) << 8) & 0x0f0f
        let letters = (values &+ 0x0606) >> 4 & 0x0101  // 1 where a value is 10 or more
        return values &+ 0x3030 &+ letters &* 0x27
    }
}
