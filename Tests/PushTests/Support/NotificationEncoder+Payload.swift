import Carriers
import Kaspa
import SampleOperations
import Store

@testable import APNs

extension NotificationEncoder {
    /// The notification's bytes for a payload that is parsed here, as the store keeps it.
    func encode(
        _ delivery: Delivery, payload: [UInt8], format: DeviceRecord.PayloadFormat?,
        to device: DeviceRecord = Samples.device()
    ) -> [UInt8] {
        var target = DeviceTarget(device)
        target.payloadFormat = format
        return encode(
            OutgoingPush(
                delivery: delivery, device: target, payload: OperationPayload(parsing: payload), network: .mainnet,
                expiration: .max, isOnProbation: false))
    }
}
