import Kaspa
import SampleOperations
import Store

/// Events and deliveries that tests speak of.
extension Samples {
    static func event(
        _ kind: PushKind, number: UInt64 = 1, sender: Address? = alice, receiver: Address? = nil,
        amount: UInt64 = 0, blockTime: UInt64 = 1_704_067_200_000, blueScore: UInt64 = 1
    ) -> PushEvent {
        PushEvent(
            number: number, transactionID: hash(number), kind: kind, sender: sender, receiver: receiver, amount: amount,
            blockTime: blockTime,
            acceptance: OperationRecord.Acceptance(
                blockHash: hash(.max), daaScore: 12_345_678, blueScore: blueScore),
            queuedAt: blockTime)
    }

    static func delivery(
        _ kind: PushKind, sender: Address? = known, amount: UInt64 = 0, seq: UInt64 = 17,
        omitsPayload: Bool = false
    ) -> Delivery {
        Delivery(
            device: DeviceID(token: token(1)), seq: seq, event: event(kind, sender: sender, amount: amount),
            expiresAt: .max, omitsPayload: omitsPayload)
    }
}
