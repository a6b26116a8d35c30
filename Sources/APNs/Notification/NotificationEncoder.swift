import Carriers
package import Store

/// Builds the JSON of a notification, with the payload if it fits (`push.max_payload_bytes`, 3,500 bytes by default).
///
/// The result is at most `maximumBytes` long. What does not fit is left out: first the memo, then the payload, then
/// both.
package struct NotificationEncoder: Sendable {
    /// Apple's limit for an encoded notification.
    package static let maximumBytes = 4096

    package var defaultFormat: DeviceRecord.PayloadFormat
    /// The longest `payload` string that goes in, in bytes.
    package var maximumPayloadBytes: Int

    package init(defaultFormat: DeviceRecord.PayloadFormat, maximumPayloadBytes: Int) {
        self.defaultFormat = defaultFormat
        self.maximumPayloadBytes = maximumPayloadBytes
    }

    /// The notification's bytes for one device.
    package func encode(
        _ delivery: Delivery, payload: OperationPayload, format: DeviceRecord.PayloadFormat?
    ) -> [UInt8] {
        let content = NotificationContent(delivery, payload: payload)
        let format = format ?? defaultFormat
        if let broadcast = BroadcastNotification(content) { return broadcast.encode(format) }
        switch format {
        case .kasia: return encodeKasia(content, mayCarryPayload: !delivery.omitsPayload)
        case .kachat: return encodeKachat(content, mayCarryPayload: !delivery.omitsPayload)
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
