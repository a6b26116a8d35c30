/// The timeout of a question about the virtual chain.
///
/// After a deep reorganisation an answer can take minutes. It doubles with each timeout: with a fixed limit, the same
/// question could time out for ever.
package struct ChainTimeout: Hashable, Sendable {
    /// A timeout counts as a failure of the node once the limit was this many times the first one.
    private static let patience = 4

    /// The timeout of the next question.
    package private(set) var next: Duration

    private let first: Duration
    private let longest: Duration

    /// Starts at `first` and never exceeds `longest`.
    package init(first: Duration = .seconds(30), longest: Duration = .seconds(600)) {
        self.first = first
        self.longest = longest
        next = first
    }

    /// Records an answer, of whatever kind.
    package mutating func answered() { next = first }

    /// Records that no answer came within `limit`.
    ///
    /// Returns whether that counts as a failure of the node.
    package mutating func timedOut(after limit: Duration) -> Bool {
        next = max(next, min(limit * 2, longest))
        return limit >= min(first * Self.patience, longest)
    }
}
