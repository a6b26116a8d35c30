import KasiaProtocol
import Kaspa
import SampleOperations
import Store

/// Events that tests speak of.
extension Samples {
    /// Milliseconds since 1970.
    static let time: UInt64 = 1_704_067_200_000

    static let acceptance = OperationRecord.Acceptance(blockHash: .zero, daaScore: 12_345_678, blueScore: 1)

    static func event(
        _ kind: PushKind, sender: Address? = alice, receiver: Address? = nil, blockTime: UInt64 = time
    ) -> PushEvent {
        PushEvent(
            number: 1, transactionID: .zero, kind: kind, sender: sender, receiver: receiver, amount: 0,
            blockTime: blockTime, acceptance: acceptance, queuedAt: blockTime)
    }

    /// The event of an operation with this payload.
    static func event(_ event: PushEvent, with payload: [UInt8]) -> PushEvent {
        guard let kind = OperationKind(rawValue: event.kind.rawValue) else { return event }
        var event = event
        event.subject = PushSubject(
            OperationRecord(
                transactionID: event.transactionID, kind: kind, sender: event.sender, receiver: event.receiver,
                amount: event.amount, blockHash: .zero, blockTime: event.blockTime, acceptance: event.acceptance,
                payload: payload))
        return event
    }
}
