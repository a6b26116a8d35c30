import Kaspa

/// Several answers about the virtual chain that are written in one batch.
///
/// Far from the tip an answer holds a dozen chain blocks, too few for a write of their own.
struct ChainBatch: Sendable {
    /// When a batch is full.
    ///
    /// An answer is never split, so the last one may exceed the limits.
    struct Limits: Sendable {
        /// Transactions, ours or not.
        var transactions = 5_000
        /// Their approximate size in memory, bytes.
        var bytes = 8 * 1024 * 1024
        /// Chain blocks: what must be requested again after a crash.
        var blocks = 2_000
    }

    /// The size of a transaction, or of a coin, without payload and scripts, bytes.
    private static let overhead = 160

    private(set) var update: VirtualChainUpdate
    /// The chain block to continue from; nil when nothing was added, or what was added was removed again.
    private(set) var end: BlockHeader?
    private let limits: Limits
    private var transactions = 0
    private var bytes = 0

    /// Starts with the first answer.
    init(_ answer: VirtualChainUpdate, limits: Limits) {
        self.limits = limits
        update = VirtualChainUpdate(removed: answer.removed, transactionCount: answer.transactionCount)
        add(answer.added)
    }

    var isFull: Bool {
        transactions >= limits.transactions || bytes >= limits.bytes || update.added.count >= limits.blocks
    }

    /// Appends the answer that continues from `end`.
    ///
    /// Returns false, and changes nothing, when it does not fit.
    ///
    /// After a reorganisation between two answers, blocks of this batch can be removed, and removed blocks can be added
    /// again. Both cancel out.
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
