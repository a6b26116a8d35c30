import SampleOperations
import Store

@testable import APNs

extension NotificationEncoder {
    /// The notification's bytes for a payload that is parsed here, as the store keeps it.
    func encode(_ delivery: Delivery, payload: [UInt8], format: DeviceRecord.PayloadFormat?) -> [UInt8] {
        encode(delivery, payload: OperationPayload(parsing: payload), format: format)
    }
}
