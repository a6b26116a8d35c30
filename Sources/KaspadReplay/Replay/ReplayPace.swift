/// When a replay tells its entries.
package enum ReplayPace: Hashable, Sendable {
    /// At the recorded offsets divided by a factor over 0: 1 is as it happened, 10 is ten times faster.
    case realTime(factor: Double)
    /// One after the other, waiting only for subscribers that read slowly.
    case asFastAsPossible
    /// When `ReplayNode.advance(to:)` says so.
    case stepped
}
