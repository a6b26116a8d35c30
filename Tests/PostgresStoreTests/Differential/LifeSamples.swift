import KasiaProtocol
import Kaspa
import SampleOperations
import Store

/// What happens in a random life, told apart by small numbers.
enum LifeSamples {
    static let blockTime: UInt64 = 1_000_000

    /// Every third address is an ECDSA one, which has a longer key.
    static func address(_ number: Int) -> Address {
        Samples.address(UInt8(number), version: number % 3 == 2 ? .ecdsa : .schnorr)
    }

    static func transaction(_ number: Int) -> TransactionID { Samples.hash(UInt64(number)) }

    static func block(_ number: Int) -> BlockHash { Samples.hash(UInt64(1_000_000 + number)) }

    static func group(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(0xa0 + number), count: 32) }

    static func channel(_ number: Int) -> String { "news\(number)" }

    /// Blocks stand so far apart that acceptances of the third before the last may be forgotten (`StoreWalk`).
    static func blueScore(_ block: Int) -> UInt64 { UInt64(500 + 50_000 * block) }

    static func acceptance(_ block: Int) -> OperationRecord.Acceptance {
        .init(blockHash: LifeSamples.block(block), daaScore: UInt64(1_000 + block), blueScore: blueScore(block))
    }

    static func cursor(_ block: Int) -> ChainCursor {
        ChainCursor(
            blockHash: LifeSamples.block(block), daaScore: UInt64(1_000 + block), blueScore: blueScore(block),
            timestamp: blockTime + UInt64(block))
    }

    static func operation(_ number: Int, _ kind: OperationKind) -> OperationRecord {
        OperationRecord(
            transactionID: transaction(number), kind: kind, sender: Samples.alice,
            receiver: kind == .payment ? Samples.bob : nil, amount: kind == .payment ? 5 : 0,
            blockHash: block(number), blockTime: blockTime, acceptance: acceptance(1),
            payload: payload(kind, number, by: Samples.alice))
    }

    static func step(_ operations: [OperationRecord], removed: [Int] = [], to block: Int) -> ChainStep {
        ChainStep(
            removed: removed.map(LifeSamples.block),
            accepted: operations.map { AcceptedOperation(operation: $0, notifies: true) }, cursor: cursor(block))
    }

    static func walk(_ event: UInt64, _ list: WatchKey, _ decision: WatcherDecision) -> FanOutWalk {
        FanOutWalk(event: event, lists: [list], expiresAt: .max) { _, _ in decision }
    }

    static func payload(_ kind: OperationKind, _ number: Int, by sender: Address) -> [UInt8] {
        let key = Hex.encode(sender.xOnlyPublicKey ?? [UInt8](repeating: 0xb1, count: 32))
        return kind.samplePayload(number, key: key, group: group(number % 2))
    }
}
