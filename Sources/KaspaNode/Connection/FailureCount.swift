import Synchronization

/// Counts the questions in a row to one node, over one connection, that brought no usable answer.
///
/// One bad answer can be chance, and what another node did is nothing against this one.
///
/// The client and its link share one.
package final class FailureCount: Sendable {
    private let tolerated: Int
    private let count = Mutex(0)

    /// Takes the number of failures after which the node is left, at least one.
    package init(tolerated: Int) {
        self.tolerated = tolerated
    }

    /// Another session begins, or there was a usable answer.
    package func reset() { count.withLock { $0 = 0 } }

    /// Counts one more; true when it is the one too many, and then from the beginning.
    package func failed() -> Bool {
        count.withLock { count in
            count += 1
            guard count >= tolerated else { return false }
            count = 0
            return true
        }
    }
}
