import Kaspa
import KaspaNode
import SwiftProtobuf
import Testing

@Suite struct BlockMessageTests {
    static let hash = String(repeating: "a1", count: 32)
    static let other = String(repeating: "b2", count: 32)

    private static func block(_ change: (inout Protowire_RpcBlock) -> Void = { _ in }) -> Protowire_RpcBlock {
        var block = Protowire_RpcBlock.with {
            $0.header = .with {
                $0.hash = hash; $0.timestamp = 17; $0.daaScore = 18; $0.blueScore = 19
            }
            $0.transactions = [
                .with {
                    $0.payload = "01ff"
                    $0.inputs = [
                        .with {
                            $0.previousOutpoint = .with {
                                $0.transactionID = other; $0.index = .max
                            }
                            $0.verboseData.utxoEntry = .with {
                                $0.amount = .max
                                $0.scriptPublicKey = .with {
                                    $0.version = 65535; $0.scriptPublicKey = "51"
                                }
                            }
                        },
                        .with { $0.previousOutpoint.transactionID = hash },
                    ]
                    $0.outputs = [
                        .with {
                            $0.amount = 5; $0.scriptPublicKey.scriptPublicKey = ""
                        }
                    ]
                    $0.verboseData = .with {
                        $0.transactionID = other; $0.blockHash = hash; $0.blockTime = 17
                    }
                }
            ]
        }
        change(&block)
        return block
    }

    @Test("Every field arrives")
    func complete() throws {
        let block = try Block(Self.block())
        let (hash, other) = (try #require(Hash(Self.hash)), try #require(Hash(Self.other)))
        #expect(block.header == BlockHeader(hash: hash, timestamp: 17, daaScore: 18, blueScore: 19))
        #expect(block.omittedTransactionCount == 0)
        #expect(
            block.transactions == [
                Transaction(
                    id: other,
                    inputs: [
                        TransactionInput(
                            outpoint: Outpoint(transactionID: other, index: .max),
                            spent: SpentOutput(amount: Sompi(.max), script: Script(version: 65535, bytes: [0x51]))),
                        TransactionInput(outpoint: Outpoint(transactionID: hash, index: 0)),
                    ],
                    outputs: [TransactionOutput(amount: Sompi(5), script: Script(bytes: []))],
                    payload: [1, 0xff], blockHash: hash, blockTime: 17)
            ])
    }

    private static let omitted: [@Sendable (inout Protowire_RpcTransaction) -> Void] = [
        { $0.clearVerboseData() },
        { $0.verboseData.transactionID = "" },
        { $0.verboseData.transactionID = "zz" + hash.dropFirst(2) },
        { $0.verboseData.blockHash = "ab" },
        { $0.payload = "0" },
        { $0.payload = "0g" },
        { $0.inputs[0].clearPreviousOutpoint() },
        { $0.inputs[0].verboseData.utxoEntry.scriptPublicKey.version = 65536 },
        { $0.inputs[0].verboseData.utxoEntry.scriptPublicKey.scriptPublicKey = "é" },
        { $0.outputs[0].scriptPublicKey.scriptPublicKey = "123" },
    ]

    @Test(
        "A transaction that cannot be read is counted and left out, and the rest of the block stays",
        arguments: omitted.indices)
    func omittedTransaction(fault: Int) throws {
        let block = try Block(
            Self.block {
                var broken = $0.transactions[0]
                Self.omitted[fault](&broken)
                $0.transactions.append(broken)
            })
        #expect(block.transactions.count == 1)
        #expect(block.omittedTransactionCount == 1)
    }

    private static let refused: [@Sendable (inout Protowire_RpcBlock) -> Void] = [
        { $0.clearHeader() }, { $0.header.hash = "" }, { $0.header.hash += "0" }, { $0.header.timestamp = -1 },
        { $0.header.timestamp = .min },
    ]

    @Test("A block whose header cannot be read is refused", arguments: refused.indices)
    func refusedBlock(fault: Int) {
        #expect { try Block(Self.block(Self.refused[fault])) } throws: { ($0 as? NodeError)?.code == .malformedAnswer }
    }

    @Test("The greatest scores and times are values like others")
    func extremes() throws {
        let block = try Block(
            Self.block {
                $0.header.timestamp = .max; $0.header.daaScore = .max; $0.header.blueScore = .max
            })
        #expect(block.header.timestamp == UInt64(Int64.max))
        #expect(block.header.daaScore == .max)
    }
}
