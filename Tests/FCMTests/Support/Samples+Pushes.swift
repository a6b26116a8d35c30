import Carriers
import Kaspa
import SampleOperations
import Store

/// Pushes to an Android device.
extension Samples {
    static let registrationToken = "fQ1:" + String(repeating: "Ab-_9", count: 28)

    static let transactionText = "abababababababababababababababababababababababab0000000000000001"

    static func push(
        _ kind: PushKind, payload: [UInt8] = [], sender: Address? = known, amount: UInt64 = 0, seq: UInt64 = 17,
        address: Address? = nil, omitsPayload: Bool = false, number: UInt64 = 1, blockTime: UInt64 = 1_704_067_200_000,
        daaScore: UInt64 = 12_345_678, expiration: UInt64 = 1_700_086_400
    ) -> OutgoingPush {
        let event = PushEvent(
            number: number, transactionID: hash(number), kind: kind, sender: sender, receiver: nil, amount: amount,
            blockTime: blockTime,
            acceptance: OperationRecord.Acceptance(blockHash: hash(.max), daaScore: daaScore, blueScore: 1),
            queuedAt: blockTime)
        let token = Array(registrationToken.utf8)
        var delivery = Delivery(
            device: DeviceID(token: token), seq: seq, event: event, expiresAt: .max, omitsPayload: omitsPayload)
        delivery.address = address
        let device = DeviceRecord(
            token: token, platform: .android, createdAt: 0, lastSeen: 0, watchedAddresses: [])
        return OutgoingPush(
            delivery: delivery, device: DeviceTarget(device), payload: OperationPayload(parsing: payload),
            network: .mainnet, expiration: expiration, isOnProbation: false)
    }
}
