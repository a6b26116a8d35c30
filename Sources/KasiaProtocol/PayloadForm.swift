/// One way to write an operation: the tag after the version, and how the rest is read.
struct PayloadForm: Sendable {
    let tag: [UInt8]
    let kind: OperationKind

    /// Reads what follows the tag; nil if it is malformed.
    let read: @Sendable (_ payload: RawSpan, _ rest: Range<Int>) -> ParsedPayload?

    private init(
        _ tag: String, _ kind: OperationKind,
        read: @escaping @Sendable (_ payload: RawSpan, _ rest: Range<Int>) -> ParsedPayload?
    ) {
        self.tag = Array(tag.utf8)
        self.kind = kind
        self.read = read
    }

    /// All forms, the most frequent first; no tag is the beginning of another.
    static let all: [PayloadForm] = [
        PayloadForm("comm:", .contextualMessage) { contextualMessage($0, $1, separator: colon) },
        PayloadForm("handshake:", .handshake) { ParsedPayload(.handshake, body: $1) },
        PayloadForm("payment:", .payment) { ParsedPayload(.payment, body: $1) },
        PayloadForm("pay:", .payment) { ParsedPayload(.payment, body: $1) },
        PayloadForm("dm:", .contextualMessage, read: inboxMessage),
        PayloadForm("self_stash:", .selfStash, read: selfStash),
        PayloadForm("gcomm:", .groupMessage, read: groupMessage),
        PayloadForm("gctl:", .groupControl, read: groupControl),
        PayloadForm("bcast:", .broadcast, read: broadcast),
        PayloadForm("msg:", .contextualMessage) { contextualMessage($0, $1, separator: bar) },
        PayloadForm("hs:", .handshake) { ParsedPayload(.handshake, body: $1) },
    ]

    private static let colon: UInt8 = 0x3a
    private static let bar: UInt8 = 0x7c
    private static let openingBrace: UInt8 = 0x7b
    /// Of JSON.
    private static let whiteSpace: [UInt8] = [0x20, 0x09, 0x0a, 0x0d]

    private static func contextualMessage(
        _ payload: RawSpan, _ rest: Range<Int>, separator: UInt8
    ) -> ParsedPayload? {
        guard let end = payload.firstOffset(of: separator, in: rest), end > rest.lowerBound else { return nil }
        return ParsedPayload(.contextualMessage, alias: rest.lowerBound..<end, body: end + 1..<rest.upperBound)
    }

    /// A message that names its recipient by tag; after the tag it is read as `comm:` is.
    private static func inboxMessage(_ payload: RawSpan, _ rest: Range<Int>) -> ParsedPayload? {
        var reader = FieldReader(rest)
        guard let tag = reader.hexadecimal(digits: 32, of: payload), payload.isLowerCase(tag),
            let end = payload.firstOffset(of: colon, in: reader.remaining), end > reader.remaining.lowerBound
        else { return nil }
        return ParsedPayload(
            .contextualMessage, alias: reader.remaining.lowerBound..<end,
            inboxTag: payload.decodedHexadecimal(tag), body: end + 1..<rest.upperBound)
    }

    private static func selfStash(_ payload: RawSpan, _ rest: Range<Int>) -> ParsedPayload? {
        guard let end = payload.firstOffset(of: colon, in: rest) else {
            return ParsedPayload(.selfStash, body: rest)
        }
        return ParsedPayload(.selfStash, scope: rest.lowerBound..<end, body: end + 1..<rest.upperBound)
    }

    private static func broadcast(_ payload: RawSpan, _ rest: Range<Int>) -> ParsedPayload? {
        guard let end = payload.firstOffset(of: colon, in: rest) else { return nil }
        let (channel, content) = (rest.lowerBound..<end, end + 1..<rest.upperBound)
        let name = payload.extracting(channel).withUnsafeBytes { ChannelName(bytes: $0)?.text }
        return ParsedPayload(
            .broadcast, channel: channel, channelName: name, form: broadcastForm(payload, content), body: content)
    }

    /// Copies nothing but what may be a JSON object.
    private static func broadcastForm(_ payload: RawSpan, _ content: Range<Int>) -> BroadcastForm {
        let start = content.first { !whiteSpace.contains(payload.byte(at: $0)) }
        guard let start, payload.byte(at: start) == openingBrace, content.count <= BroadcastForm.maximumJSONBytes else {
            return .text
        }
        return BroadcastForm(of: payload.extracting(content).withUnsafeBytes { Array($0)[...] })
    }

    private static func groupMessage(_ payload: RawSpan, _ rest: Range<Int>) -> ParsedPayload? {
        guard let fields = GroupFields(payload, rest) else { return nil }
        return ParsedPayload(.groupMessage, group: fields, body: rest)
    }

    /// The body is hexadecimal, not empty and of an even count: a control that carries nothing says nothing.
    ///
    /// Without the recipient's 64 digits and their colon, all of it is body, in which a colon is malformed.
    private static func groupControl(_ payload: RawSpan, _ rest: Range<Int>) -> ParsedPayload? {
        var reader = FieldReader(rest)
        let recipient = reader.hexadecimal(digits: 64, of: payload)
        let body = reader.remaining
        guard !body.isEmpty, body.count.isMultiple(of: 2), payload.isHexadecimal(body) else { return nil }
        guard let recipient else { return ParsedPayload(.groupControl, body: body) }
        return ParsedPayload(.groupControl, recipient: payload.decodedHexadecimal(recipient), body: body)
    }
}
