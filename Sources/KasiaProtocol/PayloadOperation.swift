/// A well-formed operation, described by ranges into the payload it was read from: nothing is copied.
///
/// Only `PayloadGrammar` makes one, so the ranges are always inside that payload.
public struct PayloadOperation: Equatable, Sendable {
    /// What the operation is for.
    public let kind: OperationKind

    /// Whether it is the unversioned form, which has no kind of its own and counts as a handshake.
    public let isLegacy: Bool

    /// Contextual messages: the conversation's alias, never empty; any bytes but the separator.
    public let alias: Range<Int>?

    /// Messages to an inbox: the recipient's tag, 16 bytes (apps-in-the-field.md, section 4).
    public let inboxTag: [UInt8]?

    /// Self-stashes: what stands before the first colon of the note, if there is a colon; can be empty.
    public let scope: Range<Int>?

    /// Broadcasts: the channel's name as it was written; can be empty.
    public let channel: Range<Int>?

    /// Addressed group controls: the recipient's x-only key, 32 bytes.
    public let recipient: [UInt8]?

    /// Group messages: the fields of the body.
    public let group: GroupFields?

    /// Everything after the kind's last fixed field, up to the payload's end; for group messages, which are sealed as a
    /// whole, everything after `gcomm:`.
    public let body: Range<Int>

    init(
        _ kind: OperationKind,
        isLegacy: Bool = false,
        alias: Range<Int>? = nil,
        inboxTag: [UInt8]? = nil,
        scope: Range<Int>? = nil,
        channel: Range<Int>? = nil,
        recipient: [UInt8]? = nil,
        group: GroupFields? = nil,
        body: Range<Int>
    ) {
        self.kind = kind
        self.isLegacy = isLegacy
        self.alias = alias
        self.inboxTag = inboxTag
        self.scope = scope
        self.channel = channel
        self.recipient = recipient
        self.group = group
        self.body = body
    }
}
