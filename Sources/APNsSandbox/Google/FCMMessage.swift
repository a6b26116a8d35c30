import FoundationEssentials

/// A message of FCM's HTTP v1 interface, with what the log says of it.
struct FCMMessage {
    /// The most bytes of a message's data, keys and values together.
    static let dataLimit = 4096
    /// The longest device token that is taken for one, in characters.
    static let tokenLimit = 4096
    /// The longest `ttl`: 28 days.
    static let longestTimeToLive: Double = 28 * 24 * 3600

    private static let names: Set<String> = [
        "name", "data", "notification", "android", "webpush", "apns", "fcm_options", "token", "fid", "topic",
        "condition",
    ]
    private static let androidNames: Set<String> = [
        "collapse_key", "priority", "ttl", "restricted_package_name", "data", "notification", "fcm_options",
        "direct_boot_ok", "bandwidth_constrained_ok", "restricted_satellite_ok",
    ]
    private static let notificationNames: Set<String> = ["title", "body", "image"]

    let token: String
    let isDryRun: Bool
    private(set) var collapseKey: String?
    private(set) var priority: String?
    private(set) var timeToLiveSeconds: Double?

    /// Reads the body of a request.
    init(_ request: IncomingRequest) throws(GoogleError) {
        if request.bodyIsTooLarge { throw GoogleError(400, "The body is too large.") }
        guard request.mediaType.map({ $0 == "application/json" }) ?? true, let json = JSONValue(request.body) else {
            throw GoogleError(400, "The body is not a JSON object in application/json.")
        }
        let root = try MessageObject(json, path: "", names: ["message", "validate_only"])
        isDryRun = try root?.truth("validate_only") ?? false
        guard let message = try root?.object("message", names: Self.names) else {
            throw .invalid("message", "The request has no message.")
        }
        token = try Self.token(of: message)
        try Self.checkData(of: message)
        if let notification = try message.object("notification", names: Self.notificationNames) {
            _ = try notification.texts()
        }
        if let android = try message.object("android", names: Self.androidNames) { try read(android) }
        for name in ["webpush", "apns", "fcm_options"] { _ = try message.object(name, names: nil) }
    }

    private static func token(of message: MessageObject) throws(GoogleError) -> String {
        guard let token = try message.text("token"), !token.isEmpty else {
            throw .invalid("message.token", "The message names no device token.")
        }
        for name in ["fid", "topic", "condition"] where try message.text(name) != nil {
            throw .invalid("message", "The message names more than a device token to go to.")
        }
        let isToken = token.utf8.count <= tokenLimit && token.utf8.allSatisfy(isTokenCharacter)
        guard isToken else {
            throw .invalid("message.token", "The device token is malformed.", message: GoogleError.invalidToken)
        }
        return token
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func checkData(of object: MessageObject) throws(GoogleError) {
        guard let data = try object.object("data", names: nil) else { return }
        var bytes = 0
        for (name, value) in try data.texts() {
            if name == "from" || name == "message_type" || name.hasPrefix("google.") || name.hasPrefix("gcm.") {
                throw .invalid(data.path, "The key \"\(name)\" of \(data.path) is reserved.")
            }
            bytes += name.utf8.count + value.utf8.count
        }
        if bytes > dataLimit {
            throw .invalid(data.path, "The data has \(bytes) bytes, of which \(dataLimit) are allowed.")
        }
    }

    private mutating func read(_ android: MessageObject) throws(GoogleError) {
        try Self.checkData(of: android)
        collapseKey = try android.text("collapse_key")
        priority = try android.text("priority")
        if let priority, !["NORMAL", "HIGH"].contains(priority.uppercased()) {
            throw .unreadable(android.place("priority"), "The priority must be NORMAL or HIGH.")
        }
        if let text = try android.text("ttl") {
            guard let seconds = Self.seconds(text) else {
                throw .unreadable(android.place("ttl"), "The ttl must be seconds followed by s.")
            }
            guard seconds <= Self.longestTimeToLive else {
                throw .invalid(android.place("ttl"), "The ttl must be at most 28 days.")
            }
            timeToLiveSeconds = seconds
        }
        for name in ["notification", "fcm_options"] { _ = try android.object(name, names: nil) }
    }

    /// A duration as `86400s` or `3.5s`.
    private static func seconds(_ text: String) -> Double? {
        guard text.last == "s", text.utf8.first.map({ (0x30...0x39).contains($0) }) == true,
            text.dropLast().utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        return Double(text.dropLast())
    }

    /// Says in the log what the message says of itself.
    func fill(_ entry: inout ReceivedNotification) {
        entry.token = token
        entry.collapseID = collapseKey
        entry.urgency = priority?.lowercased()
        entry.timeToLive = timeToLiveSeconds.map { Int($0) }
    }
}
