import KasiaProtocol
package import Kaspa

/// What a reader who has seen a generated recording so far must know.
///
/// Grows with the recording; an endless one is better read entry by entry.
package struct GenerationOracle: Sendable {
    /// Where an operation stands.
    package struct Standing: Hashable, Sendable {
        /// The operation.
        package let operation: GeneratedOperation

        /// The blocks that carry it, in the order of their coming.
        package fileprivate(set) var blocks: [BlockHash] = []

        /// The block of the present virtual chain that accepts it; nil if none does.
        package fileprivate(set) var acceptingBlock: BlockHash?

        /// The number of times that a chain block accepted it.
        package fileprivate(set) var acceptances = 0
    }

    /// All operations that a block has carried, by transaction.
    package private(set) var standings: [TransactionID: Standing] = [:]

    /// The number of blocks, and of virtual-chain steps that removed chain blocks, by how many they removed.
    package private(set) var blocks = 0
    package private(set) var reorganisations: [Int: Int] = [:]

    /// Starts before the first entry.
    package init() {}

    /// Takes in the next entry.
    package mutating func observe(_ entry: GeneratedEntry) {
        if let block = entry.block {
            blocks += 1
            for operation in entry.operations {
                standings[operation.id, default: Standing(operation: operation)].blocks.append(block.hash)
            }
        }
        guard let step = entry.step else { return }
        if !step.removed.isEmpty { reorganisations[step.removed.count, default: 0] += 1 }
        for accepted in step.removed.lazy.flatMap(\.accepted) {
            standings[accepted.transaction.id]?.acceptingBlock = nil
        }
        for block in step.added {
            for accepted in block.accepted {
                standings[accepted.transaction.id]?.acceptingBlock = block.hash
                standings[accepted.transaction.id]?.acceptances += 1
            }
        }
    }
}

extension GenerationOracle {
    /// What must be known, as text for readers in other programs: first the names of the fields, then a line for each
    /// operation in the order of transaction ids, and an empty one.
    ///
    /// Fields are parted by tabs: transaction id, kind, sender, receiver, accepting block of the virtual chain as it is
    /// by now, and how often a chain block accepted it. A dash stands for none.
    package var lines: [String] {
        ["tx_id\tkind\tsender\treceiver\taccepting_block\tacceptances"]
            + standings.values.sorted { $0.operation.id < $1.operation.id }.map(Self.line) + [""]
    }

    private static func line(_ standing: Standing) -> String {
        let operation = standing.operation
        return [
            operation.id.description, operation.kind.description, operation.sender.description,
            operation.receiver?.description ?? "-", standing.acceptingBlock?.description ?? "-",
            "\(standing.acceptances)",
        ].joined(separator: "\t")
    }
}
