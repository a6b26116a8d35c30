import Kaspa
import KaspaNode
import Logging
import Store

/// Finds senders that the accepting answer did not carry, by asking the node for the spent coin's address.
struct SenderResolver: Sendable {
    /// Questions that are under way at the same time.
    static let concurrency = 16
    /// How often a question is asked that the node does not answer in time, before its sender counts as unknown: one
    /// transaction must not hold up the chain for ever.
    static let attempts = 3

    let node: any ChainNode
    let logger: Logger

    /// The addresses that the node knows; transactions that it cannot resolve are missing from the answer.
    ///
    /// Throws `NodeError` when there is no node to ask at the moment: an unknown sender is for good, a lost connection
    /// is not.
    func resolve(_ transactions: [TransactionID: UInt64]) async throws -> [TransactionID: Address] {
        guard !transactions.isEmpty else { return [:] }
        var waiting = transactions.makeIterator()
        var senders: [TransactionID: Address] = [:]
        try await withThrowingTaskGroup(of: (TransactionID, Address?).self) { group in
            func startNext() {
                guard let (transaction, score) = waiting.next() else { return }
                group.addTask { (transaction, try await ask(transaction, score)) }
            }
            for _ in 0..<SenderResolver.concurrency { startNext() }
            for try await (transaction, sender) in group {
                senders[transaction] = sender
                startNext()
            }
        }
        return senders
    }

    private func ask(_ transaction: TransactionID, _ acceptingDAAScore: UInt64) async throws(NodeError) -> Address? {
        var attempt = 1
        while true {
            do {
                return try await node.utxoReturnAddress(of: transaction, acceptingDAAScore: acceptingDAAScore)
            } catch {
                switch error.code {
                case .rejected, .malformedAnswer, .startHashUnknown: break
                case .timeout where attempt == SenderResolver.attempts: break
                case .timeout:
                    attempt += 1
                    continue
                case .notConnected, .busy, .cancelled, .syncing, .wrongNetwork, .transport, .invalidURL: throw error
                }
                logger.warning(
                    "indexer.sender.unresolved",
                    metadata: ["transaction": "\(transaction)", "error.message": "\(error)"])
                return nil
            }
        }
    }
}
