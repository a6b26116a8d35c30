import Kaspa
import Push
import Store

/// A device's token as requests name it.
///
/// Its shape alone shows who carries the pushes: an https URL is an endpoint of Web Push, hex digits are a token of
/// Apple's, and everything else is a registration token of FCM.
struct DeviceToken: Equatable {
    /// The bytes that the store keeps: those that Apple's hex digits stand for, or the text's in UTF-8.
    let bytes: [UInt8]
    /// Who carries the pushes.
    let carrier: CarrierName

    /// The text that signatures cover: Apple's in lower case without separators, any other as it is.
    var signedText: String {
        carrier == .apns ? Hex.encode(bytes) : String(decoding: bytes, as: UTF8.self)
    }

    /// The token of a stored device.
    init(of device: DeviceRecord) {
        self.init(bytes: device.token, carrier: device.platform.carrier)
    }

    /// The token of a registration that is asked for.
    init(of registration: Registration) {
        self.init(bytes: registration.token, carrier: registration.carrier)
    }

    private init(bytes: [UInt8], carrier: CarrierName) {
        self.bytes = bytes
        self.carrier = carrier
    }

    /// Parses a token of any kind.
    ///
    /// Errors: 400 that names the member and what is wrong.
    init(_ text: String, naming name: String = "device_token") throws {
        switch DeviceToken.carrier(of: text) {
        case .apns: self.init(bytes: try DeviceToken.apple(text, naming: name), carrier: .apns)
        case .fcm: self.init(bytes: try DeviceToken.fcm(text, naming: name), carrier: .fcm)
        case .webPush: self.init(bytes: try DeviceToken.endpoint(text, naming: name), carrier: .webPush)
        }
    }

    /// Who carries the pushes of a token with this shape, whether or not the token is valid.
    static func carrier(of text: String) -> CarrierName {
        if text.hasPrefix(endpointPrefix) { return .webPush }
        return text.utf8.allSatisfy { separators.contains($0) || Hex.digit($0) != nil } ? .apns : .fcm
    }

    /// The bytes of a token of Apple's.
    ///
    /// Spaces, `<`, `>`, `-` and `:` are removed. The rest must be an even number of hex digits, 64 to 512.
    static func apple(_ text: String, naming name: String) throws -> [UInt8] {
        var digits: [UInt8] = []
        for byte in text.utf8 where !separators.contains(byte) {
            guard Hex.digit(byte) != nil else {
                throw APIError.badRequest("\(name) has a character that is not a hex digit")
            }
            digits.append(byte)
        }
        guard APILimits.tokenDigits.contains(digits.count), let bytes = Hex.decode(digits) else {
            throw APIError.badRequest(
                "\(name) must have 64 to 512 hex digits, an even number, not \(digits.count)")
        }
        // Apple's are random. The same bytes would stand for the device whose own token is this text.
        guard !bytes.starts(with: endpointPrefix.utf8),
            bytes.count < APILimits.fcmTokenCharacters.lowerBound || !bytes.allSatisfy(isOfFCM)
        else { throw APIError.badRequest("\(name) spells another token in hex: it is no token of Apple's") }
        return bytes
    }

    private static let endpointPrefix = "https://"
    private static let separators = Array(" <>-:".utf8)

    private static func fcm(_ text: String, naming name: String) throws -> [UInt8] {
        let limits = APILimits.fcmTokenCharacters
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy(isOfFCM) else {
            throw APIError.badRequest(
                "\(name) has a character that is not a hex digit, and none of an FCM token (A-Z a-z 0-9 _ - : .)")
        }
        guard limits.contains(bytes.count) else {
            throw APIError.badRequest(
                "\(name) has a character that is not a hex digit; an FCM token must have "
                    + "\(limits.lowerBound) to \(limits.upperBound) characters, not \(bytes.count)")
        }
        return bytes
    }

    private static func isOfFCM(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_-:.".utf8.contains(byte)
        }
    }

    private static func endpoint(_ text: String, naming name: String) throws -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count <= APILimits.endpointBytes else {
            throw APIError.badRequest("\(name) is longer than \(APILimits.endpointBytes) bytes")
        }
        guard bytes.allSatisfy({ ("!"..."~").contains(Unicode.Scalar($0)) }) else {
            throw APIError.badRequest("\(name) has a character that a URL must escape")
        }
        guard let host = bytes.dropFirst(endpointPrefix.utf8.count).first, !"/?#:".utf8.contains(host) else {
            throw APIError.badRequest("\(name) has no host")
        }
        return bytes
    }
}
