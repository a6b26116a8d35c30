import Crypto
import Kaspa

/// A device's token as the service takes it: the text of `device_token`, or the endpoint of a Web Push subscription.
///
/// Whoever knows it can ask the service about the device, so its description shows only the beginning of its hash.
public struct PushToken: Hashable, Sendable {
    /// Who carries the pushes for a token.
    public enum Carrier: String, Sendable, CaseIterable {
        /// Apple.
        case apns
        /// Google's Firebase Cloud Messaging.
        case fcm
        /// A browser's push service, or a UnifiedPush distributor.
        case webPush
    }

    /// Bytes of Apple's token.
    public static let apnsBytes = 32...256
    /// Characters of FCM's token.
    public static let fcmCharacters = 64...4_096
    /// The longest endpoint, in bytes.
    public static let maximumEndpointBytes = 1_000

    /// Apple's in lower-case hex, others exactly as they were given.
    public let text: String
    /// Who carries the pushes.
    public let carrier: Carrier

    private init(text: String, carrier: Carrier) {
        self.text = text
        self.carrier = carrier
    }

    /// Apple's token, 32 to 256 bytes as the system gives it.
    public static func apns(_ bytes: some Sequence<UInt8>) throws(PushTokenError) -> PushToken {
        let bytes = Array(bytes)
        guard apnsBytes.contains(bytes.count) else { throw .wrongLength }
        guard !bytes.starts(with: scheme.utf8), bytes.count < fcmCharacters.lowerBound || !bytes.allSatisfy(isOfFCM)
        else { throw .spellsAnotherToken }
        return PushToken(text: Hex.encode(bytes), carrier: .apns)
    }

    /// FCM's registration token: 64 to 4,096 of `A-Z a-z 0-9 _ - : .`, not all of them hex digits, `-` and `:`.
    public static func fcm(_ text: String) throws(PushTokenError) -> PushToken {
        guard text.utf8.allSatisfy(isOfFCM) else { throw .wrongCharacter }
        guard fcmCharacters.contains(text.utf8.count) else { throw .wrongLength }
        guard !looksLikeApple(text) else { throw .spellsAnotherToken }
        return PushToken(text: text, carrier: .fcm)
    }

    /// The endpoint of a Web Push subscription: an https URL in visible ASCII, at most 1,000 bytes.
    ///
    /// The URL is signed and sent as it is. Which push services are allowed is the operator's choice.
    public static func webPush(endpoint: String) throws(PushTokenError) -> PushToken {
        let bytes = endpoint.utf8
        guard bytes.count <= maximumEndpointBytes else { throw .wrongLength }
        guard endpoint.hasPrefix(scheme), let host = bytes.dropFirst(scheme.utf8.count).first,
            !"/?#:".utf8.contains(host)
        else { throw .notHTTPS }
        guard bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .wrongCharacter }
        return PushToken(text: endpoint, carrier: .webPush)
    }

    /// A token of any carrier; its shape shows whose it is, as on the service.
    ///
    /// An https URL is an endpoint. Hex digits, with spaces, `<`, `>`, `-` and `:` removed, are Apple's. All else is
    /// FCM's.
    public init(_ text: String) throws(PushTokenError) {
        if text.hasPrefix(PushToken.scheme) {
            self = try .webPush(endpoint: text)
        } else if PushToken.looksLikeApple(text) {
            let digits = text.utf8.filter { !PushToken.separators.contains($0) }
            guard digits.count <= 2 * PushToken.apnsBytes.upperBound, let bytes = Hex.decode(digits) else {
                throw .wrongLength
            }
            self = try .apns(bytes)
        } else {
            self = try .fcm(text)
        }
    }

    /// The SHA-256 of the text, 64 hex digits: `device_token_hash` in what is signed.
    public var hash: String { Hex.encode(SHA256.hash(data: Array(text.utf8))) }

    private static let scheme = "https://"
    private static let separators = Array(" <>-:".utf8)

    private static func looksLikeApple(_ text: String) -> Bool {
        text.utf8.allSatisfy { separators.contains($0) || Hex.digit($0) != nil }
    }

    private static func isOfFCM(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_-:.".utf8.contains(byte)
        }
    }
}

extension PushToken: Codable {
    /// Reads the text.
    ///
    /// - Throws: `DecodingError`, which does not repeat it, for a text that is no token.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(container.decode(String.self))
        } catch let error as PushTokenError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension PushToken: Redacted {
    /// The carrier and the first eight digits of the hash, which name the token in logs without giving it away.
    public var description: String { "\(carrier.rawValue) token \(hash.prefix(8))…" }
    /// The same as `description`.
    public var debugDescription: String { description }
}
