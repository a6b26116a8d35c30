import KasiaProtocol
import Kaspa

/// The shape `kasia`: a member `kasia` beside `aps`.
struct KasiaNotification {
    private let content: NotificationContent

    init(_ content: NotificationContent) {
        self.content = content
    }

    func encode(carriesPayload: Bool, memo: String?) -> [UInt8] {
        var json = JSONWriter(capacity: 640 + (carriesPayload ? content.payload.count * 2 : 0))
        json.object { json in
            json.object("aps") { json in
                json.object("alert") { json in
                    json.member("title", title)
                    json.member("body", body)
                }
                json.member("mutable-content", 1)
                if wakesApp { json.member("content-available", 1) }
            }
            json.object("kasia") { json in
                json.member("type", content.kind.description)
                json.member("txId", content.transactionID.description)
                if let sender = content.sender {
                    json.member("sender", sender.description)
                } else {
                    json.null("sender")
                }
                if content.kind == .payment { json.member("amount", content.amount) }
                if let memo { json.member("memo", memo) }
                if let group = content.operation?.group { json.member("groupId", hex: group.blindedGroupID[...]) }
                if carriesPayload { json.member("payload", hex: content.payload[...]) } else { json.null("payload") }
                json.member("timestamp", content.blockTime)
                json.member("daaScore", content.daaScore)
                json.member("seq", content.seq)
            }
        }
        return json.bytes
    }

    private var title: String {
        switch content.kind {
        case .payment: "Payment Received"
        case .handshake: "New Contact Request"
        case .groupMessage: "New Group Message"
        case .groupControl: "Group Update"
        case .contextualMessage, .selfStash, .broadcast: "New Message"
        }
    }

    private var body: String {
        guard let sender = content.sender else { return "From unknown sender" }
        return content.kind == .payment ? "\(Sompi(content.amount).kas) KAS from \(sender.short)" : "From \(sender.short)"
    }

    /// Payments and contact requests are shown; messages also wake the app to fetch and decrypt.
    private var wakesApp: Bool {
        switch content.kind {
        case .payment, .handshake: false
        case .contextualMessage, .groupMessage, .groupControl, .selfStash, .broadcast: true
        }
    }
}
