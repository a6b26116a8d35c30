import Kaspa
import KasiaProtocol

/// Checks of a message's strings in place, without making a `String`.
enum WireText {
    /// Whether the bytes are UTF-8.
    static func isValid(_ text: UnsafeRawBufferPointer) -> Bool {
        // Nearly all of the node's strings are ASCII: hex or addresses.
        isASCII(text) || isWellFormed(text)
    }

    /// The string that the bytes are.
    static func string(_ text: UnsafeRawBufferPointer) throws(WireError) -> String {
        guard isValid(text) else { throw .invalidUTF8 }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether the hex begins with one of our roots and continues after it.
    static func isOurs(_ payload: UnsafeRawBufferPointer) -> Bool {
        guard let first = payload.first, first == 0x36 else { return false }
        return rootDigits.contains { digits in
            guard payload.count > digits.count else { return false }
            for index in digits.indices where Hex.digit(payload[index]) != digits[index] { return false }
            return true
        }
    }

    /// The longest script that has an address, in bytes.
    ///
    /// Nobody can watch a longer one.
    static let maximumScriptBytes = 35

    /// Whether the filter may contain the script that the hex encodes.
    static func isWatched(_ script: UnsafeRawBufferPointer, _ filter: any ScriptFilter) -> Bool {
        guard !script.isEmpty, script.count.isMultiple(of: 2), script.count <= 2 * maximumScriptBytes else {
            return false
        }
        let mayBeWatched = withUnsafeTemporaryAllocation(byteCount: maximumScriptBytes, alignment: 8) { buffer in
            decode(script, into: buffer)
            return filter.mayContain(UnsafeRawBufferPointer(rebasing: buffer[..<(script.count / 2)]))
        }
        // `decode` does not check digits. Few scripts reach this check.
        return mayBeWatched && script.allSatisfy { Hex.digit($0) != nil }
    }

    /// The roots of our payloads as hex digits.
    ///
    /// The first digit of all is 6 (`c`, `k`), which rules most other payloads out.
    private static let rootDigits: [[UInt8]] = PayloadGrammar.roots.map { root in
        root.flatMap { [$0 >> 4, $0 & 15] }
    }

    private static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let start = text.baseAddress else { return true }
        let count = text.count
        func word(_ offset: Int) -> UInt64 { (start + offset).loadUnaligned(as: UInt64.self) }
        var bits: UInt64 = 0
        if count < 8 {
            for byte in text { bits |= UInt64(byte) }
            return bits & 0x80 == 0
        }
        var offset = 0
        while offset <= count - 32 {
            bits |= word(offset) | word(offset + 8) | word(offset + 16) | word(offset + 24)
            offset += 32
        }
        while offset <= count - 8 {
            bits |= word(offset)
            offset += 8
        }
        // The last word overlaps the one before.
        bits |= word(count - 8)
        return bits & 0x8080_8080_8080_8080 == 0
    }

    private static func isWellFormed(_ text: UnsafeRawBufferPointer) -> Bool {
        var parser = Unicode.UTF8.ForwardParser()
        var bytes = text.makeIterator()
        while true {
            switch parser.parseScalar(from: &bytes) {
            case .valid: continue
            case .error: return false
            case .emptyInput: return true
            }
        }
    }

    /// Decodes an even number of hex digits, eight at a time.
    ///
    /// The result is undefined for any other text.
    private static func decode(_ digits: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer) {
        guard digits.count >= 8 else {
            for index in 0..<digits.count / 2 {
                let high = Hex.digit(digits[2 * index]) ?? 0
                bytes[index] = high << 4 | (Hex.digit(digits[2 * index + 1]) ?? 0)
            }
            return
        }
        func four(at offset: Int) {
            let text = digits.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let four = fourBytes(UInt64(littleEndian: text)).littleEndian
            bytes.storeBytes(of: four, toByteOffset: offset / 2, as: UInt32.self)
        }
        for offset in stride(from: 0, through: digits.count - 8, by: 8) { four(at: offset) }
        // The last four overlap those before.
        four(at: digits.count - 8)
    }

    /// Four bytes from eight digits, both with the first in the lowest byte.
    private static func fourBytes(_ text: UInt64) -> UInt32 {
        // A digit's low four bits are its value, a letter's nine less than its value; only letters have bit 6.
        let letters = text >> 6 & 0x0101_0101_0101_0101
        let values = (text & 0x0f0f_0f0f_0f0f_0f0f) &+ letters &* 9
        var pairs = (values &<< 4 | values >> 8) & 0x00ff_00ff_00ff_00ff
        pairs = (pairs | pairs >> 8) & 0x0000_ffff_0000_ffff
        return UInt32(truncatingIfNeeded: pairs | pairs >> 16)
    }
}
