/// One operation of any kind, as `/v1/messages/{tx_id}` answers it.
public enum IndexedMessage: Hashable, Sendable {
    /// A message of a conversation, or to an inbox tag.
    case contextualMessage(ContextualMessageRow)
    /// A payment.
    case payment(PaymentRow)
    /// A handshake.
    case handshake(HandshakeRow)
    /// A note that an address wrote to itself.
    case selfStash(SelfStashRow)
    /// A message of a group.
    case groupMessage(GroupMessageRow)
    /// A control message of a group.
    case groupControl(GroupControlRow)
    /// A broadcast of a channel.
    case broadcast(BroadcastRow)
    /// A kind that this library does not know.
    case other(kind: String)

    /// The members that all kinds have; nil for a kind that this library does not know.
    public var row: (any OperationRow)? {
        switch self {
        case .contextualMessage(let row): row
        case .payment(let row): row
        case .handshake(let row): row
        case .selfStash(let row): row
        case .groupMessage(let row): row
        case .groupControl(let row): row
        case .broadcast(let row): row
        case .other: nil
        }
    }

    /// The kind as it is sent.
    public var kind: String {
        switch self {
        case .contextualMessage: "contextual_message"
        case .payment: "payment"
        case .handshake: "handshake"
        case .selfStash: "self_stash"
        case .groupMessage: "group_message"
        case .groupControl: "group_control"
        case .broadcast: "broadcast"
        case .other(let kind): kind
        }
    }
}

extension IndexedMessage: Codable {
    private enum CodingKeys: String, CodingKey {
        case kind
    }

    /// Reads the row that the member `kind` names.
    public init(from decoder: any Decoder) throws {
        let kind = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .kind)
        switch kind {
        case "contextual_message": self = .contextualMessage(try ContextualMessageRow(from: decoder))
        case "payment": self = .payment(try PaymentRow(from: decoder))
        case "handshake": self = .handshake(try HandshakeRow(from: decoder))
        case "self_stash": self = .selfStash(try SelfStashRow(from: decoder))
        case "group_message": self = .groupMessage(try GroupMessageRow(from: decoder))
        case "group_control": self = .groupControl(try GroupControlRow(from: decoder))
        case "broadcast": self = .broadcast(try BroadcastRow(from: decoder))
        default: self = .other(kind: kind)
        }
    }

    /// Writes the row's members, and `kind`.
    public func encode(to encoder: any Encoder) throws {
        try row?.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(kind, forKey: .kind)
    }
}
