import FoundationEssentials
import Kaspa

/// The sealed bytes of an operation in base64, as the Android app decodes them.
///
/// On the chain they stand as base64 or hexadecimal text, or as they are: the app takes one layer of base64 off, and
/// then expects the bytes themselves.
enum SealedBody {
    /// Standard base64 with padding; empty for an empty body.
    static func base64(of body: ArraySlice<UInt8>) -> String {
        // Base64 of sealed bytes is too long to look like hexadecimal by chance.
        if let bytes = Hex.decode(body) { return Data(bytes).base64EncodedString() }
        return padded(body) ?? Data(body).base64EncodedString()
    }

    /// The length of ``base64(of:)`` at the least, without making it.
    static func minimumLength(of body: ArraySlice<UInt8>) -> Int { body.count / 2 }

    /// Base64 text in its standard form; nil for other bytes.
    ///
    /// The alphabet for URLs, and text without padding, are taken too.
    private static func padded(_ body: ArraySlice<UInt8>) -> String? {
        let padding = body.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        let digits = body.dropLast(padding)
        guard padding == 0 || padding <= 2 && body.count % 4 == 0, digits.count % 4 != 1, !digits.isEmpty else {
            return nil
        }
        var text: [UInt8] = []
        text.reserveCapacity(body.count + 2)
        for digit in digits {
            switch digit {
            case UInt8(ascii: "-"): text.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): text.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"): text.append(digit)
            default:
                guard digit.isLetterOrDigit else { return nil }
                text.append(digit)
            }
        }
        text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4))
        return String(decoding: text, as: UTF8.self)
    }
}
