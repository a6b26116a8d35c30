import Kaspa

/// Answers about the virtual chain, put together until they are worth a write.
///
/// Far from the tip an answer holds a dozen chain blocks, and a write for each would cost more than what it writes.
struct ChainBatch: Sendable {
    /// When a batch is full; an answer is never divided, so the last one may go beyond.
    struct Limits: Sendable {
        /// Transactions, ours or not.
        var transactions = 5_000
        /// Roughly what they hold in memory, bytes.
        var bytes = 8 * 1024 * 1024
        /// Chain blocks: what a crash makes us ask for again.
        var blocks = 2_000
    }

    /// What the rest of a transaction and its coins take beside payload and scripts, bytes.
    private static let overhead = 160

    private(set) var update: VirtualChainUpdate
    /// The chain block from which to ask on; nil when nothing was added, or nothing is left of it.
    private(set) var end: BlockHeader?
    private let limits: Limits
    private var transactions = 0
    private var bytes = 0

    /// Begins with the answer to the first question.
    init(_ answer: VirtualChainUpdate, limits: Limits) {
        self.limits = limits
        update = VirtualChainUpdate(removed: answer.removed, transactionCount: answer.transactionCount)
        add(answer.added)
    }

    var isFull: Bool {
        transactions >= limits.transactions || bytes >= limits.bytes || update.added.count >= limits.blocks
    }

    /// Takes in the answer to the question from `end` on; false, with nothing changed, when it does not fit.
    ///
    /// A reorganisation between two questions takes blocks out that are not written yet, and can bring blocks back that
    /// are: both are as if they had never been.
    mutating func append(_ answer: VirtualChainUpdate) -> Bool {
        let ours = min(answer.removed.count, update.added.count)
        guard update.added.suffix(ours).reversed().map(\.header.hash) == Array(answer.removed.prefix(ours)) else {
            return false
        }
        update.transactionCount += answer.transactionCount
        for block in update.added.suffix(ours) {
            count(block, -1)
            update.transactionCount -= block.transactions.count
        }
        update.added.removeLast(ours)
        update.removed += answer.removed.dropFirst(ours)
        add(answer.added)
        return true
    }

    private mutating func add(_ blocks: [AcceptingBlock]) {
        for block in blocks {
            if update.added.isEmpty, update.removed.last == block.header.hash {
                update.removed.removeLast()
                update.transactionCount -= block.transactions.count
            } else {
                update.added.append(block)
                count(block, 1)
            }
        }
        end = (blocks.last ?? update.added.last)?.header
    }

    private mutating func count(_ block: AcceptingBlock, _ sign: Int) {
        transactions += sign * block.transactions.count
        for transaction in block.transactions {
            let outputs = transaction.outputs.reduce(0) { $0 + $1.script.bytes.count }
            let coins = transaction.inputs.count + transaction.outputs.count
            bytes += sign * (transaction.payload.count + outputs + (coins + 1) * ChainBatch.overhead)
        }
    }
}
