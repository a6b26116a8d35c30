package import Carriers
import Kaspa
package import Store

/// Builds the JSON of a notification, with the payload if it fits (`push.max_payload_bytes`, 3,500 bytes by default).
///
/// The result is at most `maximumBytes` long. What does not fit is left out: first the signature, then the memo, then
/// the payload, then all three.
package struct NotificationEncoder: Sendable {
    /// Apple's limit for an encoded notification.
    package static let maximumBytes = 4096

    package var defaultFormat: DeviceRecord.PayloadFormat
    /// The longest `payload` string that goes in, in bytes.
    package var maximumPayloadBytes: Int
    /// nil: notifications are not signed.
    private let signer: PushSigner?

    package init(defaultFormat: DeviceRecord.PayloadFormat, maximumPayloadBytes: Int, signer: PushSigner? = nil) {
        self.defaultFormat = defaultFormat
        self.maximumPayloadBytes = maximumPayloadBytes
        self.signer = signer
    }

    /// The notification's bytes for one device.
    package func encode(_ push: OutgoingPush) -> [UInt8] {
        let content = NotificationContent(push.delivery, payload: push.payload)
        let format = push.device.payloadFormat ?? defaultFormat
        let broadcast = BroadcastNotification(content)
        var notification =
            broadcast?.encode(format) ?? encode(content, format, mayCarryPayload: !push.delivery.omitsPayload)
        guard let signer else { return notification }
        let sender = format == .kasia ? content.sender : content.flatSender
        signer.sign(
            &notification, endingObjects: format == .kasia ? 2 : 1, limit: NotificationEncoder.maximumBytes,
            PushStatement(
                transactionID: content.transactionID.description,
                type: format == .kasia ? content.kind.description : content.flatType,
                sender: broadcast == nil ? sender : nil, seq: content.seq, deviceToken: push.device.tokenText))
        return notification
    }

    private func encode(
        _ content: NotificationContent, _ format: DeviceRecord.PayloadFormat, mayCarryPayload: Bool
    ) -> [UInt8] {
        switch format {
        case .kasia: encodeKasia(content, mayCarryPayload: mayCarryPayload)
        case .kachat: encodeKachat(content, mayCarryPayload: mayCarryPayload)
        }
    }

    private func encodeKasia(_ content: NotificationContent, mayCarryPayload: Bool) -> [UInt8] {
        let shape = KasiaNotification(content)
        let fits = mayCarryPayload && content.hasPayload && content.payload.count * 2 <= maximumPayloadBytes
        let memo = content.memo
        func encoded(carriesPayload: Bool, memo: String?) -> [UInt8]? {
            let bytes = shape.encode(carriesPayload: carriesPayload, memo: memo)
            return bytes.count <= NotificationEncoder.maximumBytes ? bytes : nil
        }
        // Richest first; the last one has no part that can grow.
        return (fits ? encoded(carriesPayload: true, memo: memo) ?? encoded(carriesPayload: true, memo: nil) : nil)
            ?? encoded(carriesPayload: false, memo: memo) ?? shape.encode(carriesPayload: false, memo: nil)
    }

    private func encodeKachat(_ content: NotificationContent, mayCarryPayload: Bool) -> [UInt8] {
        let shape = KachatNotification(content)
        if mayCarryPayload, content.hasPayload, shape.payloadBytes <= maximumPayloadBytes {
            let bytes = shape.encode(carriesPayload: true)
            if bytes.count <= NotificationEncoder.maximumBytes { return bytes }
        }
        return shape.encode(carriesPayload: false)
    }
}
