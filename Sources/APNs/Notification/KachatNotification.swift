import Carriers
import JSON
import KasiaProtocol
import Kaspa
import Store

/// The shape `kachat`: everything at the top level beside `aps`, as the KaChat apps in the field parse it.
struct KachatNotification {
    private let content: NotificationContent
    private let bodyIsPrintable: Bool

    init(_ content: NotificationContent) {
        self.content = content
        bodyIsPrintable = content.body.allSatisfy { (0x20...0x7e).contains($0) }
    }

    /// The length of the string that would be sent as `payload`.
    var payloadBytes: Int {
        bodyIsPrintable ? content.body.count : content.body.count * 2
    }

    func encode(carriesPayload: Bool) -> [UInt8] {
        var json = JSONWriter(capacity: 640 + (carriesPayload ? payloadBytes : 0))
        json.object { json in
            json.object("aps") { json in
                json.object("alert") { json in
                    json.member("title", content.flatTitle)
                    json.member("body", content.flatBody)
                }
                if isShownAsItIs { json.member("sound", "default") }
                if let thread = content.fundsThreadID { json.member("thread-id", thread) }
                json.member("mutable-content", 1)
                json.member("content-available", 1)
            }
            json.member("tx_id", hex: content.transactionID.bytes[...])
            if let sender = content.flatSender { json.member("sender", sender) }
            json.member("type", content.flatType)
            if content.isInbox { json.member("inbox", true) }
            if let address = content.address { json.member("address", address.description) }
            if content.hasAmount { json.member("amount", content.amount) }
            if carriesPayload {
                if bodyIsPrintable {
                    json.member("payload", text: content.body)
                } else {
                    json.member("payload", hex: content.body)
                }
            }
            json.member("timestamp", content.blockTime)
            json.member("daa_score", content.daaScore)
            json.member("seq", content.seq)
            if let group = content.parsed?.group { json.member("blinded_group_id", hex: group.blindedGroupID[...]) }
        }
        return json.bytes
    }

    /// The app's extension takes whatever names a sender for a chat and rewrites its alert, sound included: these two
    /// name none.
    private var isShownAsItIs: Bool { content.kind == .addressActivity || content.kind == .paymentReverted }
}
