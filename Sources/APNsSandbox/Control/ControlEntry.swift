import FoundationEssentials

/// A log entry in the control endpoint's JSON.
struct ControlEntry: Encodable {
    let number: Int
    let carrier: String
    let token: String
    /// Apple's; the other carriers have `id`.
    let apnsId: String?
    let id: String?
    let collapseId: String?
    let expiration: UInt64?
    let priority: Int?
    let pushType: String?
    let topic: String?
    let urgency: String?
    let ttl: Int?
    let body: String
    let contents: String?
    let bodyLength: Int
    let receivedAt: UInt64
    let environment: String?
    let connection: Int
    let stream: Int
    let status: Int
    let reason: String?
    let ending: String
    let accepted: Bool

    init(_ entry: ReceivedNotification) {
        number = entry.number
        token = entry.token
        carrier = entry.carrier.rawValue
        apnsId = entry.carrier == .apns ? entry.id : nil
        id = entry.carrier == .apns ? nil : entry.id
        collapseId = entry.collapseID
        expiration = entry.expiration
        priority = entry.priority
        pushType = entry.pushType
        topic = entry.topic
        urgency = entry.urgency
        ttl = entry.timeToLive
        // Encrypted bytes are no text.
        body =
            entry.carrier == .webPush
            ? Data(entry.body).base64EncodedString() : String(decoding: entry.body, as: UTF8.self)
        contents = entry.contents.map { String(decoding: $0, as: UTF8.self) }
        bodyLength = entry.bodyLength
        receivedAt = UInt64(max(0, entry.receivedAt.timeIntervalSince1970 * 1000))
        environment = entry.environment?.rawValue
        connection = entry.connection
        stream = entry.stream
        status = entry.status
        reason = entry.reason
        ending = entry.ending.rawValue
        accepted = entry.isAccepted
    }
}

extension ReceivedNotification {
    /// The request as one line of JSON, with the same members as at the control endpoint.
    public var json: String { JSONText.line(ControlEntry(self)) ?? "{}" }
}
