import Carriers
import JSON
import KasiaProtocol
import Kaspa
import Store

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
                json.member("sound", "default")
                if let thread = content.fundsThreadID ?? content.sender { json.member("thread-id", thread) }
                if let category { json.member("category", category) }
                json.member("mutable-content", 1)
                if wakesApp { json.member("content-available", 1) }
            }
            json.object("kasia") { json in
                json.member("type", content.kind.description)
                if content.isInbox { json.member("inbox", true) }
                json.member("txId", hex: content.transactionID.bytes[...])
                if let sender = content.sender {
                    json.member("sender", sender)
                } else {
                    json.null("sender")
                }
                if let address = content.address { json.member("address", address.description) }
                if content.hasAmount { json.member("amount", content.amount) }
                if let memo { json.member("memo", memo) }
                if let group = content.parsed?.group { json.member("groupId", hex: group.blindedGroupID[...]) }
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
        case .addressActivity: "Funds received"
        case .paymentReverted: "Payment Reversed"
        case .contextualMessage, .selfStash, .broadcast: "New Message"
        }
    }

    private var body: String {
        switch content.kind {
        case .payment: "\(amount) from \(shortSender)"
        case .paymentReverted: "\(amount) from \(shortSender) is no longer confirmed"
        case .addressActivity: content.fundsSentence
        case .contextualMessage, .handshake, .selfStash, .groupMessage, .groupControl, .broadcast: "From " + shortSender
        }
    }

    private var amount: String { "\(Sompi(content.amount).kas) KAS" }

    private var shortSender: String { content.sender.map(Address.shorten) ?? "unknown sender" }

    /// Which actions the phone offers below it, a quick reply among them; whoever sends plain coins cannot be answered.
    private var category: String? {
        switch content.kind {
        case .payment, .paymentReverted: "KASIA_PAYMENT"
        case .handshake: "KASIA_CONTACT_REQUEST"
        case .contextualMessage, .groupMessage, .groupControl, .selfStash, .broadcast: "KASIA_MESSAGE"
        case .addressActivity: nil
        }
    }

    /// What is about coins, and contact requests, is shown; messages also wake the app to fetch and decrypt.
    private var wakesApp: Bool {
        switch content.kind {
        case .payment, .handshake, .addressActivity, .paymentReverted: false
        case .contextualMessage, .groupMessage, .groupControl, .selfStash, .broadcast: true
        }
    }
}
