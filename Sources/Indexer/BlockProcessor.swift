import AsyncAlgorithms
import Kaspa
package import KaspaNode
package import Logging
import Metrics
import ServiceLifecycle
import Spans
package import Store
import Tracing
import Troubles

/// Stores each operation that is seen in a block as pending, so that its receiver can read it before it is accepted.
///
/// A block does not accept its transactions; the virtual chain does. It brings later what is missed here, and nothing
/// is pushed from here.
package struct BlockProcessor: Service {
    private let node: any ChainNode
    private let store: Store
    private let reader: OperationReader
    private let logger: Logger
    private let instruments = IndexerInstruments()
    private let status: IndexerStatus?

    /// `status` is that of the virtual chain.
    ///
    /// During a catch-up, blocks are read and ignored: the chain brings their transactions.
    package init(node: any ChainNode, store: Store, status: IndexerStatus? = nil, logger: Logger) {
        self.node = node
        self.status = status
        self.store = store
        self.logger = logger
        reader = OperationReader(network: store.network)
    }

    /// Consumes the node's blocks until the node's stream ends or the service stops.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            for await block in node.blocks { await process(block) }
        }
    }

    /// Stores a block's operations.
    ///
    /// A store error is only logged, since the virtual chain brings them later.
    func process(_ block: Block) async {
        instruments.blocks.increment()
        if let status, status.snapshot.isCatchingUp { return }
        instruments.scannedTransactions.increment(by: block.transactionCount)
        if block.omittedTransactionCount > 0 {
            logger.debug(
                "indexer.block.transactions_omitted",
                metadata: [
                    "block": "\(block.header.hash)", "count": "\(block.omittedTransactionCount)",
                    "consequence": "they are read once the virtual chain accepts them",
                ])
        }
        var operations: [OperationRecord] = []
        for transaction in block.transactions {
            if case .operation(let record) = reader.read(transaction, in: block.header, acceptance: nil) {
                operations.append(record)
            }
        }
        guard !operations.isEmpty else { return }
        do {
            try await traced(SpanName.blockWrite) { (span) async throws(StoreError) in
                span.describe {
                    $0[.block] = block.header.hash.description
                    $0[.blockOperations] = operations.count
                }
                try await store.history.recordPending(operations)
            }
        } catch {
            // `VirtualChainProcessor` logs a full disk.
            let isRefused = error.code == .lowSpace || error.code == .stopped
            let summary = status.map { $0.blockTrouble.met("\(error)") } ?? [:]
            guard let summary else { return }
            let metadata: Logger.Metadata = ["block": "\(block.header.hash)", "error.message": "\(error)"]
            logger.log(
                level: isRefused ? .debug : .error, "indexer.block.store_failed", metadata: metadata.adding(summary))
        }
    }
}
