import Kaspa

/// How long the service waits for the followed node to know the last applied block.
///
/// The node has not pruned the block, yet does not have it. When the wait is over, the chain is read again from the
/// node's pruning point.
struct UnknownCursorWait: Equatable, Sendable {
    /// The wait for a node at or above the block's height, milliseconds.
    ///
    /// It may never have seen our branch.
    static let patience: UInt64 = 60_000
    /// The wait for a node that is lower, milliseconds.
    ///
    /// It will probably reach the block.
    static let lowerNodePatience: UInt64 = 900_000

    let url: String
    let isLower: Bool
    /// When the wait began, by the service's time, milliseconds.
    let since: UInt64

    /// The wait for the node at `url`, which continues `before` if possible.
    ///
    /// Another node gets its own time, and so does one that has just reached the block's height: it may need a moment.
    init(after before: UnknownCursorWait?, url: String, isLower: Bool, now: UInt64) {
        self.url = url
        self.isLower = isLower
        since = if let before, before.url == url, isLower || !before.isLower { before.since } else { now }
    }

    /// Whether the wait is over.
    func isOver(now: UInt64) -> Bool { now >= end }

    /// What the service waits for, and for how much longer, for /ready.
    func sentence(at now: UInt64) -> String {
        "the node does not know the last block that was read: it gets \(secondsLeft(at: now)) s more to find it, then "
            + "the chain is read again from the node's pruning point"
    }

    /// The remaining seconds, rounded up.
    func secondsLeft(at now: UInt64) -> UInt64 { (end - min(end, now) + 999) / 1_000 }

    private var end: UInt64 {
        since.later(by: isLower ? UnknownCursorWait.lowerNodePatience : UnknownCursorWait.patience)
    }
}
