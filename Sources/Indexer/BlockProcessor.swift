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

/// Stores each operation that is seen in a block as pending: readable by its receiver before it is accepted.
///
/// Blocks are not acceptance (kaspad-grpc.md): what is missed here, the virtual chain brings. Nothing is pushed from here.
package struct BlockProcessor: Service {
    private let node: any ChainNode
    private let store: Store
    private let reader: OperationReader
    private let logger: Logger
    private let instruments = IndexerInstruments()
    private let status: IndexerStatus?

    /// `status` is the chain's: while its tip is far, blocks are read and left out, as the chain will bring them.
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

    /// Stores a block's operations; a store error is logged, and the virtual chain brings them later.
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
            // A full disk is told by the virtual chain's side.
            let isRefused = error.code == .lowSpace || error.code == .stopped
            let summary = status.map { $0.blockTrouble.met("\(error)") } ?? [:]
            guard let summary else { return }
            let metadata: Logger.Metadata = ["block": "\(block.header.hash)", "error.message": "\(error)"]
            logger.log(
                level: isRefused ? .debug : .error, "indexer.block.store_failed", metadata: metadata.adding(summary))
        }
    }
}
