/// What the payload of an operation says, read once: its kind, its fields, and where its body stands.
///
/// What can be long is a range of the payload, so nothing is copied. `PayloadGrammar` makes it when the transaction is
/// read, and the operation's row keeps it: nobody after that reads the bytes again.
public struct ParsedPayload: Equatable, Sendable {
    /// What the operation is for.
    public let kind: OperationKind

    /// Contextual messages: the conversation's alias, never empty; any bytes but the separator.
    public let alias: Range<Int>?

    /// Messages to an inbox: the recipient's tag, 16 bytes (app developer guide, "Lists for the KaChat apps").
    public let inboxTag: [UInt8]?

    /// Self-stashes: what stands before the first colon of the note, if there is a colon; can be empty.
    public let scope: Range<Int>?

    /// Broadcasts: the channel's name as it was written; can be empty.
    public let channel: Range<Int>?

    /// Broadcasts: the channel's name as names are compared (`ChannelName`); nil if it is no valid name.
    public let channelName: String?

    /// Broadcasts: what the content is.
    public let form: BroadcastForm?

    /// Addressed group controls: the recipient's x-only key, 32 bytes.
    public let recipient: [UInt8]?

    /// Group messages: the fields of the body.
    public let group: GroupFields?

    /// Everything after the kind's last fixed field, up to the payload's end; for group messages, which are sealed as a
    /// whole, everything after `gcomm:`.
    public let body: Range<Int>

    /// Takes fields that were read before; the ranges lie within the payload.
    package init(
        _ kind: OperationKind,
        alias: Range<Int>? = nil,
        inboxTag: [UInt8]? = nil,
        scope: Range<Int>? = nil,
        channel: Range<Int>? = nil,
        channelName: String? = nil,
        form: BroadcastForm? = nil,
        recipient: [UInt8]? = nil,
        group: GroupFields? = nil,
        body: Range<Int>
    ) {
        self.kind = kind
        self.alias = alias
        self.inboxTag = inboxTag
        self.scope = scope
        self.channel = channel
        self.channelName = channelName
        self.form = form
        self.recipient = recipient
        self.group = group
        self.body = body
    }

    /// Whether it is the unversioned form, which has no kind of its own and counts as a handshake: its body begins
    /// where the root ends.
    public var isLegacy: Bool {
        kind == .handshake && PayloadGrammar.roots.contains { $0.count == body.lowerBound }
    }
}
