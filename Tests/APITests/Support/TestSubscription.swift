/// A browser's subscription; the keys are those of RFC 8291's example.
struct TestSubscription: Sendable {
    /// A point of P-256.
    static let publicKey = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"

    var endpoint = "https://push.example.org/Sub/1"
    var publicKey = TestSubscription.publicKey
    var secret = "BTBZMqHH6r4Tts7J_aSIgg"

    /// As a browser writes it.
    var json: [String: Any] {
        ["endpoint": endpoint, "expirationTime": 1, "keys": ["p256dh": publicKey, "auth": secret]]
    }

    /// The members of a browser's registration that differ from those of a phone's.
    static func registration(
        _ subscription: Any? = TestSubscription().json, _ changes: [String: Any?] = [:]
    ) -> [String: Any?] {
        let usual: [String: Any?] = ["device_token": nil, "platform": "web", "subscription": subscription]
        return usual.merging(changes) { $1 }
    }
}
