/// A browser's subscription, as it is handed to the server that sends to it.
public struct SandboxSubscription: Sendable, Equatable {
    /// The last part of the endpoint, by which the journal and rules name the subscription.
    public let id: String
    /// The URL that messages are posted to.
    public let endpoint: String
    /// The browser's public key: 65 bytes, in base64url.
    public let p256dh: String
    /// The browser's authentication secret: 16 bytes, in base64url.
    public let auth: String

    /// A subscription with these parts.
    public init(id: String, endpoint: String, p256dh: String, auth: String) {
        self.id = id
        self.endpoint = endpoint
        self.p256dh = p256dh
        self.auth = auth
    }

    /// The JSON that a page sends to its server: what `PushSubscription.toJSON()` gives.
    public var json: String {
        "{\"endpoint\":\(JSONText.quoted(endpoint)),\"expirationTime\":null,"
            + "\"keys\":{\"auth\":\"\(auth)\",\"p256dh\":\"\(p256dh)\"}}"
    }
}
