import JSON

/// One message to one device, as FCM's HTTP v1 takes it.
struct FCMMessage: Sendable, Equatable {
    /// A member of `data`.
    struct Member: Sendable, Equatable {
        var key: String
        var value: String

        init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }

    /// What Android shows by itself when the app does not run.
    struct Notification: Sendable, Equatable {
        var title: String
        var body: String
    }

    /// The app's registration token.
    var token: String
    /// What the app reads, in this order; every value is a text.
    var data: [Member]
    /// nil: the app is woken and shows what it makes of `data`.
    var notification: Notification?
    /// How long Google keeps the message for a device that is away, in seconds.
    var timeToLive: UInt64
    /// A later message with the same key replaces one that waits.
    var collapseKey: String?

    /// Google's limit for the keys and values of `data` together, and for the notification's texts.
    ///
    /// Google's pages do not say that the two are counted apart, so they are counted together.
    static let maximumPayloadBytes = 4_096
    /// The longest time to live: 28 days.
    static let maximumTimeToLive: UInt64 = 2_419_200

    /// The bytes of the keys and values of `data`.
    var dataBytes: Int { data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }

    /// The value of a member of `data`.
    subscript(key: String) -> String? { data.first { $0.key == key }?.value }

    /// What counts against `maximumPayloadBytes`.
    var payloadBytes: Int {
        dataBytes + (notification.map { $0.title.utf8.count + $0.body.utf8.count } ?? 0)
    }

    /// The body of a request; a dry run is checked by Google and not sent.
    func encoded(isDryRun: Bool = false) -> [UInt8] {
        var json = JSONWriter(capacity: payloadBytes + token.utf8.count + 512)
        json.object { json in
            if isDryRun { json.member("validate_only", true) }
            json.object("message") { json in
                json.member("token", token)
                json.object("android") { json in
                    json.member("priority", "HIGH")
                    json.member("ttl", "\(timeToLive)s")
                    if let collapseKey { json.member("collapse_key", collapseKey) }
                }
                if let notification {
                    json.object("notification") { json in
                        json.member("title", notification.title)
                        json.member("body", notification.body)
                    }
                }
                json.object("data") { json in
                    for member in data {
                        json.name(member.key)
                        json.string(member.value)
                    }
                }
            }
        }
        return json.bytes
    }
}
