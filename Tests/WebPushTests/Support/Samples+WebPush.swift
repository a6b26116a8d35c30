import Carriers
import Kaspa
import SampleOperations
import Store

/// Pushes to a browser.
extension Samples {
    static let endpoint = "https://push.example/wpush/v2/gAAAA"

    static func push(
        _ kind: PushKind = .contextualMessage, payload: [UInt8] = message(), to endpoint: String = endpoint,
        keys: DeviceRecord.SubscriptionKeys? = Browser().keys, sender: Address? = known, amount: UInt64 = 0,
        seq: UInt64 = 17, address: Address? = nil, omitsPayload: Bool = false, expiration: UInt64 = 1_700_086_400,
        isOnProbation: Bool = false, blockTime: UInt64 = 1_704_067_200_000, daaScore: UInt64 = 12_345_678
    ) -> OutgoingPush {
        let event = PushEvent(
            number: 1, transactionID: hash(1), kind: kind, sender: sender, receiver: nil, amount: amount,
            blockTime: blockTime,
            acceptance: OperationRecord.Acceptance(blockHash: hash(.max), daaScore: daaScore, blueScore: 1),
            queuedAt: blockTime)
        let token = Array(endpoint.utf8)
        var delivery = Delivery(
            device: DeviceID(token: token), seq: seq, event: event, expiresAt: .max, omitsPayload: omitsPayload)
        delivery.address = address
        var device = DeviceRecord(token: token, platform: .web, createdAt: 0, lastSeen: 0, watchedAddresses: [])
        device.subscriptionKeys = keys
        return OutgoingPush(
            delivery: delivery, device: DeviceTarget(device), payload: OperationPayload(parsing: payload),
            network: .mainnet, expiration: expiration, isOnProbation: isOnProbation)
    }
}
