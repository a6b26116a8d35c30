import Kaspa

/// A device's token as people and commands write it.
///
/// Apple's are hex digits that stand for bytes; FCM's and the endpoints of Web Push are texts, and their bytes are the
/// text's in UTF-8. Neither of the latter consists of hex digits alone.
public enum TokenText {
    /// The longest text, in bytes: that of an FCM token.
    public static let maximumBytes = 4_096

    /// The bytes that the store keeps; nil for what can be no token.
    public static func bytes(_ text: String) -> [UInt8]? {
        if text.utf8.allSatisfy({ Hex.digit($0) != nil }) {
            return Hex.decode(text).flatMap { (32...256).contains($0.count) ? $0 : nil }
        }
        guard (16...maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { return nil }
        return Array(text.utf8)
    }

    /// The text of a token of this carrier.
    public static func text(_ token: [UInt8], of carrier: CarrierName) -> String {
        carrier == .apns ? Hex.encode(token) : String(decoding: token, as: UTF8.self)
    }
}

extension DeviceRecord {
    /// The token as its app got it: Apple's in lower-case hex.
    public var tokenText: String { TokenText.text(token, of: platform.carrier) }
}

extension DeviceTarget {
    /// The token as its app got it: Apple's in lower-case hex.
    public var tokenText: String { TokenText.text(token, of: platform.carrier) }
}
