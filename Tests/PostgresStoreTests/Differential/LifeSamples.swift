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

    static func payload(_ kind: OperationKind, _ number: Int, by sender: Address) -> [UInt8] {
        let key = Hex.encode(sender.xOnlyPublicKey ?? [UInt8](repeating: 0xb1, count: 32))
        let body =
            switch kind {
            case .handshake: "handshake:\(number)"
            case .payment: "payment:\(number)"
            case .contextualMessage: "comm:alias\(number % 2):\(number)"
            case .selfStash: number % 2 == 0 ? "self_stash:scope:\(number)" : "self_stash:\(number)"
            case .groupMessage:
                "gcomm:\(Hex.encode(group(number % 2))):\(number):\(key):\(key):\(String(repeating: "cc", count: 24)):ab:"
                    + String(repeating: "d", count: 128)
            case .groupControl: number % 2 == 0 ? "gctl:\(key):ab" : "gctl:ab"
            case .broadcast: "bcast:\(channel(number % 2)):\(number)"
            }
        return Array("ciph_msg:1:\(body)".utf8)
    }
}
