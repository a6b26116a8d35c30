import KasiaProtocol
import Kaspa

/// What must hold for the classification of any payload whatever.
///
/// Used by the random test and by the fuzz target.
enum PayloadInvariants {
    static let tags: [Tag] = [
        Tag("handshake:", .handshake), Tag("hs:", .handshake), Tag("payment:", .payment), Tag("pay:", .payment),
        Tag("comm:", .contextualMessage), Tag("dm:", .contextualMessage), Tag("msg:", .contextualMessage),
        Tag("self_stash:", .selfStash),
        Tag("gcomm:", .groupMessage), Tag("gctl:", .groupControl), Tag("bcast:", .broadcast),
    ]

    /// What stands after the version, and what it announces.
    struct Tag: Sendable {
        let text: [UInt8]
        let kind: OperationKind

        init(_ text: String, _ kind: OperationKind) {
            (self.text, self.kind) = (Array(text.utf8), kind)
        }
    }

    private static let version = Array("1:".utf8)
    private static let bar: UInt8 = 0x7c
    private static let colon: UInt8 = 0x3a

    /// The broken rule in words; nil if all hold.
    static func violation(by classification: PayloadClassification, of payload: [UInt8]) -> String? {
        guard PayloadGrammar.classify(payload) == classification else {
            return "classified differently the second time"
        }
        let start = PayloadGrammar.roots.first { payload.starts(with: $0) }?.count
        guard let start, start < payload.count else {
            return classification == .notOurs ? nil : "ours without a root and something after it"
        }
        let isVersioned = payload[start...].starts(with: version)
        let tag = isVersioned ? tags.first { payload[(start + 2)...].starts(with: $0.text) } : nil
        switch classification {
        case .notOurs:
            return "not ours in spite of its root"
        case .unknown:
            return isVersioned && tag == nil ? nil : "unknown in spite of its tag"
        case .malformed(let kind):
            let canBe: [OperationKind] = [.contextualMessage, .groupMessage, .groupControl, .broadcast]
            return tag?.kind == kind && canBe.contains(kind) ? nil : "malformed of another kind"
        case .operation(let operation):
            guard operation.isLegacy == !isVersioned else { return "legacy or not" }
            guard let tag else {
                return operation.isLegacy ? legacyViolation(operation, start..<payload.count) : "no tag"
            }
            guard tag.kind == operation.kind else { return "an operation of another kind" }
            return violation(by: operation, of: payload, from: start + 2 + tag.text.count, tag: tag.text)
        }
    }

    private static func legacyViolation(_ operation: ParsedPayload, _ body: Range<Int>) -> String? {
        operation.kind == .handshake && operation.body == body && operation.inboxTag == nil
            ? nil : "a legacy handshake with other fields"
    }

    /// The fields follow one another with one separator between them, up to the payload's end: put together again they
    /// are the payload.
    private static func violation(
        by operation: ParsedPayload, of payload: [UInt8], from start: Int, tag: [UInt8]
    ) -> String? {
        var position = start
        let separator = tag.first == 0x6d ? bar : colon
        guard (operation.inboxTag != nil) == (tag.first == 0x64) else { return "an inbox's tag, or none" }
        if let inboxTag = operation.inboxTag {
            guard inboxTag.count == 16, payload.count > position + 32, payload[position + 32] == colon else {
                return "an inbox's tag of another length"
            }
            guard payload[position..<position + 32].elementsEqual(Hex.encode(inboxTag).utf8) else {
                return "another inbox's tag"
            }
            position += 33
        }
        for field in [operation.alias, operation.scope, operation.channel].compactMap({ $0 }) {
            guard field.lowerBound == position, field.upperBound < payload.count else { return "a field out of place" }
            guard payload[field.upperBound] == separator else { return "a field without its separator" }
            guard !payload[field].contains(separator) else { return "a field with a separator inside" }
            position = field.upperBound + 1
        }
        if let recipient = operation.recipient {
            guard recipient.count == 32, payload.count > position + 64, payload[position + 64] == colon else {
                return "a recipient of another length"
            }
            guard Hex.decode(payload[position..<position + 64]) == recipient else { return "another recipient" }
            position += 65
        }
        guard operation.body == position..<payload.count else { return "a body out of place" }
        guard operation.kind == .broadcast || (operation.channelName, operation.form) == (nil, nil) else {
            return "a broadcast's fields"
        }
        return kindViolation(operation, payload)
    }

    private static func kindViolation(_ operation: ParsedPayload, _ payload: [UInt8]) -> String? {
        let hasOthers = (
            alias: operation.alias != nil, scope: operation.scope != nil, channel: operation.channel != nil,
            recipient: operation.recipient != nil, group: operation.group != nil
        )
        switch operation.kind {
        case .handshake, .payment:
            return hasOthers == (false, false, false, false, false) ? nil : "fields of another kind"
        case .contextualMessage:
            guard hasOthers == (true, false, false, false, false) else { return "fields of another kind" }
            return operation.alias?.isEmpty == false ? nil : "an empty alias"
        case .selfStash:
            guard hasOthers == (false, operation.scope != nil, false, false, false) else {
                return "fields of another kind"
            }
            return operation.scope != nil || !payload[operation.body].contains(colon) ? nil : "a scope overlooked"
        case .broadcast:
            guard hasOthers == (false, false, true, false, false), let channel = operation.channel else {
                return "fields of another kind"
            }
            guard operation.channelName == ChannelName(bytes: payload[channel])?.text else { return "another channel" }
            return operation.form == BroadcastForm(of: payload[operation.body]) ? nil : "another form"
        case .groupControl:
            guard hasOthers == (false, false, false, operation.recipient != nil, false) else {
                return "fields of another kind"
            }
            return Hex.decode(payload[operation.body])?.isEmpty == false ? nil : "a control that is not hexadecimal"
        case .groupMessage:
            guard hasOthers == (false, false, false, false, true) else { return "fields of another kind" }
            return operation.group.flatMap { violation(by: $0, of: payload[operation.body]) }
        }
    }

    private static func violation(by group: GroupFields, of body: ArraySlice<UInt8>) -> String? {
        let parts = body.split(separator: colon, omittingEmptySubsequences: false)
        guard parts.count == 7 else { return "a group message without seven fields" }
        guard
            Hex.decode(parts[0]) == group.blindedGroupID, group.blindedGroupID.count == 32,
            UInt64(String(decoding: parts[1], as: UTF8.self)) == group.epoch,
            Hex.decode(parts[2]) == group.senderID, group.senderID.count == 32,
            Hex.decode(parts[3]) == group.senderPublicKey, group.senderPublicKey.count == 32,
            Hex.decode(parts[4]) == group.messageID, group.messageID.count == 24,
            Hex.decode(parts[5])?.isEmpty == false, Hex.decode(parts[6])?.count == 64
        else { return "a group message's field differs from its text" }
        return nil
    }
}
