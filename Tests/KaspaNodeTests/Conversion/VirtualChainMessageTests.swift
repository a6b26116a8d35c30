import Kaspa
import KaspaNode
import SwiftProtobuf
import Testing

@Suite struct VirtualChainMessageTests {
    private static let hash = BlockMessageTests.hash
    private static let other = BlockMessageTests.other

    private static func answer(
        _ change: (inout Protowire_GetVirtualChainFromBlockV2ResponseMessage) -> Void = { _ in }
    ) -> Protowire_GetVirtualChainFromBlockV2ResponseMessage {
        var answer = Protowire_GetVirtualChainFromBlockV2ResponseMessage.with {
            $0.removedChainBlockHashes = [other]
            $0.addedChainBlockHashes = [hash]
            $0.chainBlockAcceptedTransactions = [
                .with {
                    $0.chainBlockHeader = .with {
                        $0.hash = hash; $0.timestamp = 17; $0.daaScore = 18; $0.blueScore = 19
                    }
                    $0.acceptedTransactions = [
                        .with {
                            $0.payload = "01ff"
                            $0.inputs = [
                                .with {
                                    $0.previousOutpoint = .with {
                                        $0.transactionID = other; $0.index = 3
                                    }
                                    $0.verboseData.utxoEntry = .with {
                                        $0.amount = 7
                                        $0.scriptPublicKey.scriptPublicKey = "51"
                                    }
                                },
                                .with { $0.previousOutpoint.transactionID = hash },
                                .with {
                                    $0.previousOutpoint.transactionID = hash
                                    $0.verboseData.utxoEntry.amount = 7
                                },
                            ]
                            $0.outputs = [
                                .with {
                                    $0.value = 5; $0.scriptPublicKey.scriptPublicKey = "52"
                                }
                            ]
                            $0.verboseData = .with {
                                $0.transactionID = other; $0.blockHash = hash; $0.blockTime = 16
                            }
                        }
                    ]
                }
            ]
        }
        change(&answer)
        return answer
    }

    @Test("Every field arrives, and a spent output that the node does not know is unknown")
    func complete() throws {
        let update = try VirtualChainUpdate(Self.answer())
        let (hash, other) = (try #require(Hash(Self.hash)), try #require(Hash(Self.other)))
        #expect(update.removed == [other])
        #expect(update.added.map(\.header) == [BlockHeader(hash: hash, timestamp: 17, daaScore: 18, blueScore: 19)])
        let transaction = try #require(update.added.first?.transactions.first)
        #expect(transaction.id == other)
        #expect(transaction.payload == [1, 0xff])
        #expect(
            transaction.inputs.map(\.spent) == [SpentOutput(amount: Sompi(7), script: Script(bytes: [0x51])), nil, nil])
        #expect(transaction.inputs[0].outpoint == Outpoint(transactionID: other, index: 3))
        #expect(transaction.outputs == [TransactionOutput(amount: Sompi(5), script: Script(bytes: [0x52]))])
        #expect(transaction.blockHash == hash)
        #expect(transaction.blockTime == 16)
    }

    @Test("An answer with nothing new is an update with nothing in it")
    func empty() throws {
        #expect(try VirtualChainUpdate(.init()) == VirtualChainUpdate())
    }

    private static let faults: [@Sendable (inout Protowire_GetVirtualChainFromBlockV2ResponseMessage) -> Void] = [
        { $0.removedChainBlockHashes = ["x"] },
        { $0.addedChainBlockHashes = [] },
        { $0.addedChainBlockHashes = ["x"] },
        { $0.addedChainBlockHashes = [other] },
        { $0.chainBlockAcceptedTransactions.append(.init()) },
        { $0.chainBlockAcceptedTransactions[0].clearChainBlockHeader() },
        { $0.chainBlockAcceptedTransactions[0].chainBlockHeader.clearHash() },
        { $0.chainBlockAcceptedTransactions[0].chainBlockHeader.clearTimestamp() },
        { $0.chainBlockAcceptedTransactions[0].chainBlockHeader.timestamp = -1 },
        { $0.chainBlockAcceptedTransactions[0].chainBlockHeader.clearDaaScore() },
        { $0.chainBlockAcceptedTransactions[0].chainBlockHeader.clearBlueScore() },
        { $0.chainBlockAcceptedTransactions[0].acceptedTransactions[0].clearVerboseData() },
        { $0.chainBlockAcceptedTransactions[0].acceptedTransactions[0].verboseData.blockHash = "x" },
        { $0.chainBlockAcceptedTransactions[0].acceptedTransactions[0].payload = "xx" },
        { $0.chainBlockAcceptedTransactions[0].acceptedTransactions[0].inputs[0].clearPreviousOutpoint() },
        {
            $0.chainBlockAcceptedTransactions[0].acceptedTransactions[0].inputs[0].previousOutpoint.clearTransactionID()
        },
        { $0.chainBlockAcceptedTransactions[0].acceptedTransactions[0].outputs[0].clearValue() },
        { $0.chainBlockAcceptedTransactions[0].acceptedTransactions[0].outputs[0].clearScriptPublicKey() },
        { $0.chainBlockAcceptedTransactions[0].acceptedTransactions[0].outputs[0].scriptPublicKey.version = 65536 },
    ]

    @Test("The truth about the chain is refused whole when a part of it cannot be read", arguments: faults.indices)
    func malformed(fault: Int) {
        #expect { try VirtualChainUpdate(Self.answer(Self.faults[fault])) } throws: {
            ($0 as? NodeError)?.code == .malformedAnswer
        }
    }

    @Test("An outline needs its two hashes")
    func outline() throws {
        let message = Protowire_GetBlockDagInfoResponseMessage.with {
            $0.networkName = "kaspa-mainnet"
            $0.pruningPointHash = Self.hash
            $0.sink = Self.other
            $0.virtualDaaScore = 4
        }
        #expect(try DagInfo(message).virtualDAAScore == 4)
        for broken in [message.with { $0.sink = "" }, message.with { $0.pruningPointHash = "x" }] {
            #expect(throws: NodeError.self) { try DagInfo(broken) }
        }
    }
}

extension Protowire_GetBlockDagInfoResponseMessage {
    fileprivate func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
