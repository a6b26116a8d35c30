import JSON
import Store

/// The token of a request, and whether it fits the platform.
extension RegistrationRequest {
    /// The token alone, for all calls but register and update.
    func deviceToken() throws -> DeviceToken {
        try DeviceToken(try text("device_token"))
    }

    /// Where the pushes of a register or update go.
    struct Target {
        let token: DeviceToken
        /// nil for other carriers than Web Push, and for an update without `subscription`.
        let keys: DeviceRecord.SubscriptionKeys?
    }

    /// The token, which must be one of the platform's, and the keys of Web Push.
    ///
    /// An update names no platform: its token alone says what it is. A `subscription` beside a token of another carrier
    /// is ignored.
    func target(for platform: DeviceRecord.Platform?) throws -> Target {
        guard platform.map({ $0.carrier == .webPush }) ?? isOfWebPush else {
            return Target(token: try token(of: platform), keys: nil)
        }
        guard let value = present("subscription") else {
            guard platform == nil else { throw APIError.badRequest("subscription is missing") }
            return Target(token: try deviceToken(), keys: nil)
        }
        let subscription = try Subscription(value)
        if present("device_token") != nil, try text("device_token") != subscription.endpoint.signedText {
            throw APIError.badRequest("device_token must be left out, or be subscription.endpoint")
        }
        return Target(token: subscription.endpoint, keys: subscription.keys)
    }

    /// Whether an update is about a subscription of Web Push.
    private var isOfWebPush: Bool {
        switch present("device_token") {
        case nil: return present("subscription") != nil
        case .string(let text): return DeviceToken.carrier(of: text) == .webPush
        default: return false
        }
    }

    /// The token of Apple or FCM.
    private func token(of platform: DeviceRecord.Platform?) throws -> DeviceToken {
        let text = try text("device_token")
        let found = DeviceToken.carrier(of: text)
        if let platform, platform.carrier != found {
            throw APIError.badRequest("device_token \(RegistrationRequest.mistake(found, platform))")
        }
        return try DeviceToken(text)
    }

    /// What is wrong with a token of another carrier than the platform's.
    private static func mistake(_ found: CarrierName, _ platform: DeviceRecord.Platform) -> String {
        let isOfApple = platform.carrier == .apns
        let seen =
            switch found {
            case .apns: "looks like Apple's: it has only hex digits"
            case .fcm: "has a character that is not a hex digit"
            case .webPush: "is an https URL"
            }
        return "\(seen), and platform \(platform.label) needs \(isOfApple ? "Apple's token in hex" : "an FCM token")"
    }
}
