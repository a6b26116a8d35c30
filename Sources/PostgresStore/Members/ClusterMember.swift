/// A process of those that share a store, as another one sees it.
public struct ClusterMember: Hashable, Sendable {
    /// What it does.
    public enum State: String, CaseIterable, Sendable {
        /// It follows the chain, sends, and answers everything.
        case working
        /// It waits to take over, and answers reads.
        case standingBy = "standing_by"
        /// It has given no sign of life for longer than a lease: it was killed, or is paused, or cut off.
        case silent
    }

    /// Its host and REST port.
    public var name: String
    /// What it does, or that it is silent.
    public var state: State
    /// The version of its program.
    public var version: String
    /// The time since its start, as of its last sign of life.
    public var uptime: Duration
    /// The shards that it sends to, besides that of a working one; nil: it takes none.
    public var shards: [Int]?
    /// How long the reader has seen no sign of life.
    public var silence: Duration

    /// Takes what a row says, and how long that has stood still.
    package init(
        name: String, state: State, version: String, uptime: Duration, shards: [Int]?, silence: Duration
    ) {
        self.name = name
        self.state = state
        self.version = version
        self.uptime = uptime
        self.shards = shards
        self.silence = silence
    }
}
