package import Carriers
import JSON
import KasiaProtocol
import Kaspa
import Store

/// The JSON that a page's service worker or an app gets: the flat shape of the KaChat apps, with its title and body.
///
/// What does not fit is left out: first the signature, then the payload.
package struct WebPushMessage: Sendable {
    /// The longest message; it fits into one sealed record.
    package static let maximumBytes = MessageEncryption.maximumPlaintextBytes

    /// The longest text of `payload`, in bytes; a longer one is left out.
    package let maximumPayloadBytes: Int
    /// nil: messages are not signed.
    private let signer: PushSigner?

    /// `maximumPayloadBytes` is `push.max_payload_bytes`.
    package init(maximumPayloadBytes: Int, signer: PushSigner? = nil) {
        self.maximumPayloadBytes = maximumPayloadBytes
        self.signer = signer
    }

    /// The message for one device, at most ``maximumBytes`` long.
    package func encode(_ push: OutgoingPush) -> [UInt8] {
        let content = NotificationContent(push.delivery, payload: push.payload)
        let broadcast = WebPushMessage.broadcast(content)
        var message = encode(content, broadcast, mayCarryPayload: !push.delivery.omitsPayload)
        signer?.sign(
            &message, endingObjects: 1, limit: WebPushMessage.maximumBytes,
            PushStatement(
                transactionID: content.transactionID.description, type: content.flatType,
                sender: broadcast == nil ? content.flatSender : nil, seq: content.seq,
                deviceToken: push.device.tokenText))
        return message
    }

    private static func broadcast(_ content: NotificationContent) -> BroadcastContent? {
        content.kind == .broadcast
            ? content.parsed.flatMap { BroadcastContent($0, payload: content.payload) } : nil
    }

    private func encode(
        _ content: NotificationContent, _ broadcast: BroadcastContent?, mayCarryPayload: Bool
    ) -> [UInt8] {
        if let broadcast { return WebPushMessage.encode(broadcast, of: content) }
        let body = SealedText(content.body)
        if mayCarryPayload, content.hasPayload, body.count <= maximumPayloadBytes {
            let bytes = WebPushMessage.encode(content, body)
            if bytes.count <= WebPushMessage.maximumBytes { return bytes }
        }
        return WebPushMessage.encode(content, nil)
    }

    /// A message that says something and comes from no transaction.
    static func encode(title: String, body: String) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("title", title)
            json.member("body", body)
            json.member("type", "test")
        }
        return json.bytes
    }

    private static func encode(_ content: NotificationContent, _ body: SealedText?) -> [UInt8] {
        var json = JSONWriter(capacity: 512 + (body?.count ?? 0))
        json.object { json in
            json.member("title", content.flatTitle)
            json.member("body", content.flatBody)
            json.member("type", content.flatType)
            json.member("tx_id", hex: content.transactionID.bytes[...])
            if let sender = content.flatSender { json.member("sender", sender) }
            if content.isInbox { json.member("inbox", true) }
            if let address = content.address { json.member("address", address.description) }
            if content.hasAmount { json.member("amount", content.amount) }
            switch body {
            case .text(let bytes): json.member("payload", text: bytes)
            case .hex(let bytes): json.member("payload", hex: bytes)
            case nil: break
            }
            json.member("timestamp", content.blockTime)
            json.member("daa_score", content.daaScore)
            json.member("seq", content.seq)
            if let group = content.parsed?.group { json.member("blinded_group_id", hex: group.blindedGroupID[...]) }
        }
        return json.bytes
    }

    /// A broadcast carries no payload, since it is not sealed, and no sender: it begins no chat.
    private static func encode(_ broadcast: BroadcastContent, of content: NotificationContent) -> [UInt8] {
        var json = JSONWriter(capacity: 640)
        json.object { json in
            json.member("title", "#\(broadcast.channel)")
            json.member("body", broadcast.preview)
            json.member("type", content.flatType)
            json.member("channel", broadcast.channel)
            json.member("tx_id", hex: content.transactionID.bytes[...])
            json.member("timestamp", content.blockTime)
            json.member("daa_score", content.daaScore)
            json.member("seq", content.seq)
        }
        return json.bytes
    }
}

/// A sealed body as `payload` has it: as it is if it is printable, else in hex.
private enum SealedText {
    case text(ArraySlice<UInt8>)
    case hex(ArraySlice<UInt8>)

    init(_ body: ArraySlice<UInt8>) {
        self = body.allSatisfy { (0x20...0x7e).contains($0) } ? .text(body) : .hex(body)
    }

    /// The length of the text, but for escapes.
    var count: Int {
        switch self {
        case .text(let bytes): bytes.count
        case .hex(let bytes): bytes.count * 2
        }
    }
}
