/// How long to wait for an answer about the virtual chain, which after a deep reorganisation can take minutes.
///
/// Asked the same again with the same limit, a node would never come to its end.
package struct ChainTimeout: Hashable, Sendable {
    /// From so many times the first limit on, a timeout speaks against the node: another may be there that answers.
    private static let patience = 4

    /// The limit of the next question; it doubles with each timeout.
    package private(set) var next: Duration

    private let first: Duration
    private let longest: Duration

    /// Takes the limit to begin with, and the one that is not exceeded.
    package init(first: Duration = .seconds(30), longest: Duration = .seconds(600)) {
        self.first = first
        self.longest = longest
        next = first
    }

    /// The node has answered, whatever it said.
    package mutating func answered() { next = first }

    /// The node has not answered within `limit`; returns whether that speaks against it.
    package mutating func timedOut(after limit: Duration) -> Bool {
        next = max(next, min(limit * 2, longest))
        return limit >= min(first * Self.patience, longest)
    }
}
