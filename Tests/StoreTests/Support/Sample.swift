import KasiaProtocol
import Kaspa
import SampleOperations

@testable import Store

/// Values for tests, told apart by small numbers.
enum Sample {
    /// 32 equal bytes.
    static func hash(_ byte: UInt8) -> Hash { Hash(bytes: [UInt8](repeating: byte, count: 32)) ?? .zero }

    /// A transaction id, different for each number.
    static func transaction(_ number: Int) -> TransactionID {
        Hash(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) ^ 0x5a }) ?? .zero
    }

    /// A chain block's hash, different for each number.
    static func block(_ number: Int) -> BlockHash {
        Hash(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) ^ 0xc3 }) ?? .zero
    }

    /// Every third address is an ECDSA one, which has a longer key.
    static func address(_ number: Int) -> Address {
        let version: Address.Version = number % 3 == 2 ? .ecdsa : .schnorr
        let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: version.payloadByteCount)
        guard let address = Address(prefix: .kaspa, version: version, payload: payload) else {
            preconditionFailure("a sample address has its version's length")
        }
        return address
    }

    static func token(_ number: Int) -> [UInt8] {
        (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 2 * 8)) &+ UInt8($0) }
    }

    static func id(_ number: Int) -> DeviceID { DeviceID(token: token(number)) }

    static func device(
        _ number: Int, watching: [Address] = [], primary: Address? = nil, groups: [[UInt8]] = [],
        capabilities: [String] = [], at time: UInt64 = 1_000
    ) -> DeviceRecord {
        DeviceRecord(
            token: token(number), platform: .ios, createdAt: time, lastSeen: time, primaryAddress: primary,
            watchedAddresses: watching, watchedGroupIDs: groups, capabilities: capabilities)
    }

    static func acceptance(_ block: Int) -> OperationRecord.Acceptance {
        OperationRecord.Acceptance(
            blockHash: Sample.block(block), daaScore: UInt64(1_000 + block), blueScore: UInt64(500 + block))
    }

    static func operation(
        _ number: Int, kind: OperationKind = .contextualMessage, sender: Address? = address(1),
        receiver: Address? = nil, acceptedIn block: Int? = nil
    ) -> OperationRecord {
        OperationRecord(
            transactionID: transaction(number), kind: kind, sender: sender, receiver: receiver,
            amount: UInt64(number), blockHash: Sample.block(900 + number), blockTime: UInt64(10_000 + number),
            acceptance: block.map(acceptance), payload: Array("ciph_msg:1:comm:a\(number % 2):\(number)".utf8))
    }

    /// The rule for corrections, as the push policy has it.
    static func correction(_ state: DeliveryLogEntry.State) -> WatcherDecision {
        state == .delivered || state == .queued ? .notify : .suppress(.neverTold)
    }

    static func cursor(_ block: Int) -> ChainCursor {
        ChainCursor(
            blockHash: Sample.block(block), daaScore: UInt64(1_000 + block), blueScore: UInt64(500 + block),
            timestamp: UInt64(20_000 + block))
    }

    /// A step to chain block `cursor` that accepts `operations`.
    static func step(
        removed: [Int] = [], accepting operations: [OperationRecord] = [], notifies: Bool = true, cursor: Int
    ) -> ChainStep {
        ChainStep(
            removed: removed.map(block),
            accepted: operations.map { AcceptedOperation(operation: $0, notifies: notifies) },
            cursor: Sample.cursor(cursor))
    }
}
