import Carriers
import JSON
import Kaspa
import Store

/// A broadcast's notification, in either format.
///
/// The alert has everything to read. It names no sender outside the alert: an app's extension would take it for a chat
/// (app developer guide, "Broadcasts"). It carries no payload, since a broadcast is not sealed.
struct BroadcastNotification {
    private let content: NotificationContent
    private let broadcast: BroadcastContent

    /// nil when the content is no broadcast, or has no valid channel.
    init?(_ content: NotificationContent) {
        guard content.kind == .broadcast, let parsed = content.parsed,
            let broadcast = BroadcastContent(parsed, payload: content.payload)
        else { return nil }
        self.content = content
        self.broadcast = broadcast
    }

    func encode(_ format: DeviceRecord.PayloadFormat) -> [UInt8] {
        var json = JSONWriter(capacity: 640)
        json.object { json in
            json.object("aps") { json in
                json.object("alert") { json in
                    json.member("title", "#\(broadcast.channel)")
                    if let sender = content.sender { json.member("subtitle", Address.shorten(sender)) }
                    json.member("body", broadcast.preview)
                }
                json.member("sound", "default")
                json.member("thread-id", "broadcast:\(broadcast.channel)")
                json.member("mutable-content", 1)
            }
            switch format {
            case .kasia:
                json.object("kasia") { json in
                    json.member("type", content.kind.description)
                    json.member("txId", hex: content.transactionID.bytes[...])
                    json.member("seq", content.seq)
                }
            case .kachat:
                json.member("type", content.kind.description)
                json.member("tx_id", hex: content.transactionID.bytes[...])
                json.member("seq", content.seq)
            }
        }
        return json.bytes
    }
}
