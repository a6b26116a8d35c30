public import KasiaProtocol

/// The parts of an operation's payload that say who is told of it; all nil for kinds where the chain's addresses say
/// that.
public struct PushSubject: Equatable, Sendable {
    /// The longest alias that a registration can list, bytes: a longer one is no alias here, as it is on nobody's list.
    public static let longestAlias = 64

    /// Of a contextual message: its alias.
    public var alias: [UInt8]?
    /// Of a message to an inbox: the recipient's tag, 16 bytes.
    public var inboxTag: [UInt8]?
    /// Of a group message: the group, if its sender is the one that it names; 32 bytes.
    public var groupID: [UInt8]?
    /// Of an addressed group control: the recipient's x-only key, 32 bytes.
    public var recipient: [UInt8]?
    /// Of a broadcast: the channel's name as names are compared; nil if it is no valid name.
    public var channel: String?
    /// Of a broadcast: what the content is.
    public var form: BroadcastForm?

    /// Of an operation whose payload does not say who is told.
    public init() {}

    /// Of an operation; empty for a group message that names another as its sender.
    public init(_ operation: OperationRecord) {
        let parsed = operation.parsed
        if let range = parsed.alias, range.count <= PushSubject.longestAlias { alias = Array(operation.payload[range]) }
        inboxTag = parsed.inboxTag
        if let group = parsed.group, let sender = operation.sender, group.namesSender(sender) {
            groupID = group.blindedGroupID
        }
        recipient = parsed.recipient
        channel = parsed.channelName
        form = parsed.form
    }
}

extension ByteWriter {
    mutating func write(_ subject: PushSubject, of kind: PushKind) {
        switch kind {
        case .contextualMessage:
            write(optional: subject.alias) { $0.write(variable: $1) }
            write(optional: subject.inboxTag) { $0.write(fixed: $1) }
        case .groupMessage: write(optional: subject.groupID) { $0.write(fixed: $1) }
        case .groupControl: write(optional: subject.recipient) { $0.write(fixed: $1) }
        case .broadcast:
            write(optional: subject.channel) { $0.write(text: $1) }
            write(optional: subject.form) { $0.write($1.rawValue) }
        case .handshake, .payment, .selfStash, .addressActivity, .paymentReverted: break
        }
    }
}

extension ByteReader {
    mutating func readSubject(of kind: PushKind) throws(StoreError) -> PushSubject {
        var subject = PushSubject()
        switch kind {
        case .contextualMessage:
            subject.alias = try readOptional { (reader) throws(StoreError) in try reader.readVariable() }
            subject.inboxTag = try readFixed(16)
        case .groupMessage: subject.groupID = try readFixed(32)
        case .groupControl: subject.recipient = try readFixed(32)
        case .broadcast:
            subject.channel = try readOptional { (reader) throws(StoreError) in try reader.readText() }
            subject.form = try readOptional { (reader) throws(StoreError) in try reader.readBroadcastForm() }
        case .handshake, .payment, .selfStash, .addressActivity, .paymentReverted: break
        }
        return subject
    }
}
