internal import Kaspa

/// Reading of payload bytes in place. Every load is checked against the span's bounds.
extension RawSpan {
    func byte(at offset: Int) -> UInt8 {
        unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// Whether the text stands at the offset, which is not past the end.
    func has(_ text: [UInt8], at offset: Int) -> Bool {
        guard byteCount - offset >= text.count else { return false }
        for index in text.indices where byte(at: offset + index) != text[index] { return false }
        return true
    }

    /// The first offset in the range with the given byte.
    func firstOffset(of wanted: UInt8, in range: Range<Int>) -> Int? {
        var offset = range.lowerBound
        while offset < range.upperBound {
            if byte(at: offset) == wanted { return offset }
            offset += 1
        }
        return nil
    }

    /// Whether the range holds hexadecimal digits of either case and nothing else.
    func isHexadecimal(_ range: Range<Int>) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard Hex.digit(byte(at: offset)) != nil else { return false }
            offset += 1
        }
        return true
    }

    /// Whether the range holds no capital letter of ASCII.
    func isLowerCase(_ range: Range<Int>) -> Bool {
        !range.contains { (0x41...0x5a).contains(byte(at: $0)) }
    }

    /// The bytes that the range's digits stand for; nil if it is not hexadecimal.
    func decodedHexadecimal(_ range: Range<Int>) -> [UInt8]? {
        extracting(range).withUnsafeBytes { Hex.decode($0) }
    }
}
