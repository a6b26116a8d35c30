import Crypto
import JSON
import Store

/// The `subscription` of a browser or a UnifiedPush app, as `PushSubscription.toJSON()` gives it.
///
/// `expirationTime` and other members are ignored.
struct Subscription: Equatable {
    /// The endpoint, which is the device's token.
    let endpoint: DeviceToken
    let keys: DeviceRecord.SubscriptionKeys

    /// Errors: 400 with the member that is wrong.
    init(_ value: JSONValue) throws {
        let members = try MemberReader(value, name: "subscription")
        let text = try members.text("endpoint")
        guard DeviceToken.carrier(of: text) == .webPush else {
            throw APIError.badRequest("subscription.endpoint must be an https URL")
        }
        endpoint = try DeviceToken(text, naming: "subscription.endpoint")
        guard let value = members.present("keys") else {
            throw APIError.badRequest("subscription.keys is missing")
        }
        let keys = try MemberReader(value, name: "subscription.keys")
        self.keys = DeviceRecord.SubscriptionKeys(
            publicKey: try Subscription.publicKey(keys), secret: try keys.base64("auth", bytes: secretLength))
    }

    /// The key, which must be usable: a push is sealed with it long after the answer.
    private static func publicKey(_ keys: MemberReader) throws -> [UInt8] {
        let bytes = try keys.base64("p256dh", bytes: publicKeyLength)
        guard bytes.first == 0x04, (try? P256.KeyAgreement.PublicKey(x963Representation: bytes)) != nil else {
            throw APIError.badRequest("subscription.keys.p256dh is not an uncompressed point of the curve P-256")
        }
        return bytes
    }
}

private let publicKeyLength =
    DeviceRecord.SubscriptionKeys.publicKeyBytes...DeviceRecord.SubscriptionKeys.publicKeyBytes
private let secretLength = DeviceRecord.SubscriptionKeys.secretBytes...DeviceRecord.SubscriptionKeys.secretBytes
