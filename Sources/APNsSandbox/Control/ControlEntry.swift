import FoundationEssentials

/// A log entry in the control endpoint's JSON.
struct ControlEntry: Encodable {
    let number: Int
    let token: String
    let apnsId: String
    let collapseId: String?
    let expiration: UInt64?
    let priority: Int?
    let pushType: String?
    let topic: String?
    let body: String
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
        apnsId = entry.id
        collapseId = entry.collapseID
        expiration = entry.expiration
        priority = entry.priority
        pushType = entry.pushType
        topic = entry.topic
        body = String(decoding: entry.body, as: UTF8.self)
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
