package import Kaspa
package import KaspaNode
package import Recordings
import SwiftProtobuf

/// A small recording written by hand, block by block: for tests of what no generator would make on purpose.
///
/// Blocks are numbered; block 0 is the start, which is not told. Each entry comes 100 ms after the last one, or later
/// (`pause`), and a block's time is `epoch` plus its entry's offset.
package struct RecordingScript: Sendable {
    /// The time at which the recording starts, in milliseconds since 1970.
    package static let epoch: Int64 = 1_700_000_000_000

    /// What has been written so far.
    package private(set) var recording: Recording

    private var headers: [UInt64: Protowire_RpcBlockHeader] = [:]
    private var transactions: [UInt64: [Protowire_RpcTransaction]] = [:]
    private var chain: [UInt64] = [0]
    private var earliestOffset: UInt64 = 0

    /// An empty recording that starts at block 0.
    package init(networkID: String = "mainnet") {
        recording = Recording(
            header: .with {
                $0.formatVersion = Recording.formatVersion
                $0.networkID = networkID
                $0.startHash = Self.hash(0).description
            }, entries: [])
    }

    /// The hash of a block or the id of a transaction with this number.
    package static func hash(_ number: UInt64) -> Hash {
        var bytes = [UInt8](repeating: 0xab, count: Hash.byteCount - 8)
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
        return Hash(bytes: bytes) ?? .zero
    }

    /// A transaction that spends output 0 of transaction `spending`, told with that output when `from` is given, and
    /// pays `to`.
    package static func transaction(
        _ number: UInt64, payload: [UInt8] = [], spending: UInt64? = nil, from: Script? = nil,
        to: [(Script, UInt64)] = []
    ) -> Protowire_RpcTransaction {
        .with {
            $0.payload = Hex.encode(payload)
            $0.verboseData.transactionID = hash(number).description
            if let spending {
                $0.inputs = [
                    .with {
                        $0.previousOutpoint.transactionID = hash(spending).description
                        guard let from else { return }
                        $0.verboseData.utxoEntry.amount = 100_000_000
                        $0.verboseData.utxoEntry.scriptPublicKey = message(from)
                    }
                ]
            }
            $0.outputs = to.map { script, amount in
                .with {
                    $0.amount = amount
                    $0.scriptPublicKey = message(script)
                }
            }
        }
    }

    /// Tells a block on top of another; its scores are its parent's plus one.
    package mutating func tell(
        _ number: UInt64, on parent: UInt64, transactions: [Protowire_RpcTransaction] = []
    ) {
        let score = (headers[parent]?.blueScore ?? 0) + 1
        let offset = nextOffset
        let header = Protowire_RpcBlockHeader.with {
            $0.hash = Self.hash(number).description
            $0.parents = [.with { $0.parentHashes = [Self.hash(parent).description] }]
            $0.timestamp = Self.epoch + Int64(offset)
            $0.daaScore = score
            $0.blueScore = score
        }
        headers[number] = header
        self.transactions[number] = transactions
        recording.entries.append(
            .with {
                $0.offsetMs = offset
                $0.block.header = header
                $0.block.verboseData.hash = header.hash
                $0.block.verboseData.selectedParentHash = Self.hash(parent).description
                $0.block.transactions = transactions.map { transaction in
                    var transaction = transaction
                    transaction.verboseData.blockHash = header.hash
                    transaction.verboseData.blockTime = UInt64(header.timestamp)
                    return transaction
                }
            })
    }

    /// Changes the virtual chain: takes `removed` blocks off its top and puts told blocks on, each accepting its own
    /// transactions.
    package mutating func change(removing removed: Int = 0, adding added: [UInt64]) {
        let gone = chain.suffix(removed).reversed()
        chain.removeLast(removed)
        chain += added
        recording.entries.append(
            .with {
                $0.offsetMs = nextOffset
                $0.virtualChain.removedChainBlockHashes = gone.map { Self.hash($0).description }
                $0.virtualChain.added = added.map(acceptance)
            })
    }

    /// Tells `count` blocks in a line from `first` on, and puts each on the virtual chain.
    package mutating func extend(from first: UInt64, count: UInt64) {
        for number in first..<first + count {
            tell(number, on: chain.last ?? 0)
            change(adding: [number])
        }
    }

    /// Lets time pass before the next entry, milliseconds beside the usual ones.
    package mutating func pause(_ milliseconds: UInt64) { earliestOffset = nextOffset + milliseconds }

    /// The hashes of the present virtual chain, low to high, without the start.
    package var chainHashes: [Hash] { chain.dropFirst().map(Self.hash) }

    private var nextOffset: UInt64 { max(earliestOffset, recording.entries.last.map { $0.offsetMs + 100 } ?? 0) }

    private func acceptance(_ number: UInt64) -> Protowire_RpcChainBlockAcceptedTransactions {
        let header = headers[number] ?? .init()
        return .with {
            $0.chainBlockHeader.hash = header.hash
            $0.chainBlockHeader.timestamp = header.timestamp
            $0.chainBlockHeader.daaScore = header.daaScore
            $0.chainBlockHeader.blueScore = header.blueScore
            $0.acceptedTransactions = (transactions[number] ?? []).map { Self.accepted($0, in: header) }
        }
    }

    private static func accepted(
        _ transaction: Protowire_RpcTransaction, in header: Protowire_RpcBlockHeader
    ) -> Protowire_RpcOptionalTransaction {
        .with {
            $0.payload = transaction.payload
            $0.verboseData.transactionID = transaction.verboseData.transactionID
            $0.verboseData.blockHash = header.hash
            $0.verboseData.blockTime = UInt64(header.timestamp)
            $0.inputs = transaction.inputs.map { input in
                .with {
                    $0.previousOutpoint.transactionID = input.previousOutpoint.transactionID
                    $0.previousOutpoint.index = input.previousOutpoint.index
                    guard input.verboseData.hasUtxoEntry else { return }
                    $0.verboseData.utxoEntry.amount = input.verboseData.utxoEntry.amount
                    $0.verboseData.utxoEntry.scriptPublicKey = input.verboseData.utxoEntry.scriptPublicKey
                }
            }
            $0.outputs = transaction.outputs.map { output in
                .with {
                    $0.value = output.amount
                    $0.scriptPublicKey = output.scriptPublicKey
                }
            }
        }
    }

    private static func message(_ script: Script) -> Protowire_RpcScriptPublicKey {
        .with {
            $0.version = UInt32(script.version)
            $0.scriptPublicKey = Hex.encode(script.bytes)
        }
    }
}
