public import KasiaPushCore

/// A Web Push subscription as a browser gives it, or as an app makes it of what a UnifiedPush distributor gives.
///
/// Whoever has it can send pushes to the device, so its description shows nothing of it.
public struct WebPushSubscription: Hashable, Sendable, Codable {
    /// The keys that pushes are encrypted for.
    public struct Keys: Hashable, Sendable, Codable {
        /// An uncompressed point of the curve P-256, 65 bytes, in base64url.
        public var p256dh: String
        /// A secret of 16 bytes, in base64url.
        public var auth: String

        /// Takes the two keys.
        public init(p256dh: String, auth: String) {
            self.p256dh = p256dh
            self.auth = auth
        }
    }

    /// The https URL that names the device, at most 1,000 bytes: the registration's token.
    public var endpoint: String
    /// The keys that pushes are encrypted for.
    public var keys: Keys

    /// Takes the endpoint and the keys.
    public init(endpoint: String, keys: Keys) {
        self.endpoint = endpoint
        self.keys = keys
    }
}

extension WebPushSubscription: Redacted {}

extension WebPushSubscription.Keys: Redacted {}
