/// The state of the parts beyond the metrics, for `/` and `/status.json`.
package struct StatusFacts: Sendable {
    /// The connection to the node.
    package struct Node: Sendable {
        /// nil while no node is followed.
        package var connectedURL: String?
        /// Why none is followed, in a sentence.
        package var reason: String?
        package var version: String?
        package var isSynced = false
        /// The greatest DAA score that the node reported; 0 before the first.
        package var virtualDAAScore: UInt64 = 0

        package init() {}
    }

    /// The state of the indexer.
    package struct Chain: Sendable {
        /// The last chain block applied, in hex.
        package var block: String?
        package var daaScore: UInt64 = 0
        /// That block's time, milliseconds since 1970; 0 before the first.
        package var blockTime: UInt64 = 0
        package var isCatchingUp = false
        /// The DAA scores a second during a catch-up.
        package var daaScoresPerSecond: Double?
        /// The estimated rest of a catch-up.
        package var secondsLeft: UInt64?
        /// Whether the indexer waits for the dispatcher.
        package var waitsForDispatcher = false

        package init() {}

        /// The age of the last block applied at `now`, milliseconds since 1970; nil before the first.
        ///
        /// Unlike the gauge `kasia_node_lag_seconds`, it grows while no node is followed.
        func lagSeconds(at now: UInt64) -> Double? {
            blockTime > 0 ? Double(now - min(now, blockTime)) / 1000 : nil
        }
    }

    /// A process of those that share a store.
    package struct Member: Sendable {
        /// Its host and REST port.
        package var name: String
        /// `working`, `standing_by` or `silent`.
        package var state: String
        package var version: String
        package var uptimeSeconds: UInt64
        /// The time since its last sign of life.
        package var silentSeconds: UInt64
        /// The parts of the devices that it sends to; empty where they are not shared out.
        package var shards: [Int]

        package init(
            name: String, state: String, version: String, uptimeSeconds: UInt64, silentSeconds: UInt64,
            shards: [Int] = []
        ) {
            self.name = name
            self.state = state
            self.version = version
            self.uptimeSeconds = uptimeSeconds
            self.silentSeconds = silentSeconds
            self.shards = shards
        }
    }

    package var readiness: Readiness
    package var node = Node()
    package var chain = Chain()
    /// The processes that share the store, this one among them; empty for a store in a directory.
    package var members: [Member] = []

    package init(readiness: Readiness) {
        self.readiness = readiness
    }
}
