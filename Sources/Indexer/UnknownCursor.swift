import Kaspa

/// Since when the node that is followed has said that it does not know the last block applied, although it has not pruned
/// it: the pure half of reading again all that it has.
struct UnknownCursor: Equatable, Sendable {
    /// How long a node gets that is as high as the block, in milliseconds: it may never have seen the branch that we
    /// were on.
    static let patience: UInt64 = 60_000
    /// The same for a node that is lower, in milliseconds: nothing speaks against its coming to the block.
    static let lowerNodePatience: UInt64 = 900_000

    let url: String
    let isLower: Bool
    /// By the service's time, milliseconds.
    let since: UInt64

    /// What the node at `url` says now, after what was said `before`.
    ///
    /// Another node gets its own time, and so does one that has just come up to the block: it has it in a moment, if it
    /// ever has.
    init(after before: UnknownCursor?, url: String, isLower: Bool, now: UInt64) {
        self.url = url
        self.isLower = isLower
        since = if let before, before.url == url, isLower || !before.isLower { before.since } else { now }
    }

    /// Whether it has had its time.
    func isOver(now: UInt64) -> Bool { now >= end }

    /// What it is waited for, and for how long, at `now`.
    func sentence(at now: UInt64) -> String {
        "the node does not know the last block that was read: it gets \(secondsLeft(at: now)) s more to find it, then "
            + "the chain is read again from the node's pruning point"
    }

    /// Seconds that it still has, rounded up.
    func secondsLeft(at now: UInt64) -> UInt64 { (end - min(end, now) + 999) / 1_000 }

    private var end: UInt64 { since.later(by: isLower ? UnknownCursor.lowerNodePatience : UnknownCursor.patience) }
}
