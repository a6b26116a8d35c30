import Synchronization

/// Counts consecutive questions over one connection that brought no usable answer.
///
/// One bad answer can be chance. Each connection starts at zero, so that no node pays for another's failures. The
/// client and its link share one counter.
package final class FailureCount: Sendable {
    private let tolerated: Int
    private let count = Mutex(0)

    /// `tolerated` is the number of failures at which the node is left, at least one.
    package init(tolerated: Int) {
        self.tolerated = tolerated
    }

    /// Starts again at zero, for a new session or after a usable answer.
    package func reset() { count.withLock { $0 = 0 } }

    /// Counts one failure.
    ///
    /// Returns true when the limit is reached, and starts again at zero.
    package func failed() -> Bool {
        count.withLock { count in
            count += 1
            guard count >= tolerated else { return false }
            count = 0
            return true
        }
    }
}
