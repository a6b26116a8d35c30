/// How the whole service is, as its status page shows it.
///
/// Counters count from the service's start.
public struct ServiceStatus: Hashable, Sendable, Codable {
    /// The moment, milliseconds since 1970.
    public var time: UInt64
    /// When the service started, milliseconds since 1970.
    public var startedAt: UInt64
    /// The network's name, such as `mainnet`.
    public var network: String
    /// The program's version, with its revision and Swift's version.
    public var version: String
    /// Whether every part is ready.
    public var isReady: Bool
    /// How the service is, in a sentence.
    public var summary: Summary
    /// Each part, as `/ready` has it.
    public var parts: [String: Readiness.Part]
    /// The node that is followed.
    public var node: Node
    /// How far the chain has been read.
    public var chain: Chain
    /// The pushes.
    public var push: Push
    /// The devices.
    public var devices: Devices
    /// The disk.
    public var store: Store
    /// The process.
    public var process: Process
    /// The processes that share a store in PostgreSQL, this one among them; nil from an older service.
    public var members: [Member]?
    /// The last warnings and errors of the log, one for each kind, the newest first; at most 50.
    public var events: [Event]
    /// The last hour; nil in the events of a stream, which sends it by itself.
    public var history: StatusHistory?

    private enum CodingKeys: String, CodingKey {
        case time, network, version, summary, parts, node, chain, push, devices, store, process, members, events
        case history
        case startedAt = "started_at"
        case isReady = "ready"
    }

    /// How the service is, in a sentence.
    public struct Summary: Hashable, Sendable, Codable {
        /// `good`, `warning` or `bad`.
        public var level: String
        /// The sentence.
        public var text: String
        /// Where the operator guide helps, relative to `/status.json`.
        public var guide: String?
    }

    /// The node that is followed.
    public struct Node: Hashable, Sendable, Codable {
        /// Its address; nil while none is followed.
        public var connectedURL: String?
        /// Why none is followed.
        public var reason: String?
        /// Its version.
        public var version: String?
        /// Whether it is in step with the network.
        public var isSynced: Bool
        /// The DAA score of its virtual block.
        public var virtualDAAScore: UInt64?

        private enum CodingKeys: String, CodingKey {
            case reason, version
            case connectedURL = "connected_url"
            case isSynced = "is_synced"
            case virtualDAAScore = "virtual_daa_score"
        }
    }

    /// How far the chain has been read.
    public struct Chain: Hashable, Sendable, Codable {
        /// The last chain block applied, 64 hex digits.
        public var block: String?
        /// Its DAA score.
        public var daaScore: UInt64
        /// Its time, milliseconds since 1970; 0 before the first.
        public var blockTime: UInt64
        /// Its age.
        public var lagSeconds: Double?
        /// How far the node's virtual block is ahead.
        public var daaBehind: UInt64?
        /// Whether the service catches up.
        public var isCatchingUp: Bool
        /// The pace of the catch-up.
        public var daaPerSecond: Double?
        /// What is left of the catch-up.
        public var secondsLeft: UInt64?
        /// Whether reading waits until pushes are dispatched.
        public var waitsForDispatcher: Bool
        /// Blocks read.
        public var blocks: Double
        /// Transactions accepted.
        public var accepted: Double
        /// Transactions reverted.
        public var reverted: Double
        /// Reorganisations.
        public var reorganizations: Double
        /// Gaps in what was read.
        public var gaps: Double

        private enum CodingKeys: String, CodingKey {
            case block, blocks, accepted, reverted, reorganizations, gaps
            case daaScore = "daa_score"
            case blockTime = "block_time"
            case lagSeconds = "lag_seconds"
            case daaBehind = "daa_behind"
            case isCatchingUp = "catching_up"
            case daaPerSecond = "daa_per_second"
            case secondsLeft = "seconds_left"
            case waitsForDispatcher = "waits_for_dispatcher"
        }
    }

    /// The pushes.
    public struct Push: Hashable, Sendable, Codable {
        /// Delivered a second, over the last minute.
        public var perSecond: Double?
        /// Pushes that wait.
        public var queued: Double?
        /// Pushes that are being sent.
        public var inFlight: Double?
        /// The age of the oldest that waits.
        public var oldestSeconds: Double?
        /// Pushes given up.
        public var deadLetters: Double?
        /// What became of pushes.
        public var deliveries: [Delivery]
        /// What pushes were about.
        public var events: [EventCount]

        private enum CodingKeys: String, CodingKey {
            case queued, deliveries, events
            case perSecond = "per_second"
            case inFlight = "in_flight"
            case oldestSeconds = "oldest_seconds"
            case deadLetters = "dead_letters"
        }
    }

    /// How many pushes had one outcome for one reason.
    public struct Delivery: Hashable, Sendable, Codable {
        /// The outcome, such as `delivered`.
        public var outcome: String
        /// The reason; empty when there is none.
        public var reason: String
        /// How many.
        public var count: Double
    }

    /// How many events of one kind were to be pushed.
    public struct EventCount: Hashable, Sendable, Codable {
        /// The kind, such as `payment`.
        public var kind: String
        /// How many.
        public var count: Double
    }

    /// The devices.
    public struct Devices: Hashable, Sendable, Codable {
        /// Devices that are registered.
        public var registered: Double?
        /// What they watch.
        public var watchEntries: Double?

        private enum CodingKeys: String, CodingKey {
            case registered
            case watchEntries = "watch_entries"
        }
    }

    /// The disk.
    public struct Store: Hashable, Sendable, Codable {
        /// What the store takes.
        public var bytes: Double
        /// What is free on its disk.
        public var freeBytes: Double?
        /// Whether the store holds writes back.
        public var isWriteStalled: Bool
        /// What each column family takes.
        public var families: [Family]

        private enum CodingKeys: String, CodingKey {
            case bytes, families
            case freeBytes = "free_bytes"
            case isWriteStalled = "write_stalled"
        }
    }

    /// A column family of the store.
    public struct Family: Hashable, Sendable, Codable {
        /// Its name.
        public var columnFamily: String
        /// What it takes.
        public var bytes: Double

        private enum CodingKeys: String, CodingKey {
            case bytes
            case columnFamily = "column_family"
        }
    }

    /// The service's process.
    public struct Process: Hashable, Sendable, Codable {
        /// Its resident memory.
        public var residentBytes: Double?
        /// Files and sockets that it has open.
        public var openFiles: Double?
        /// How many it may have open.
        public var fileLimit: Double?
        /// HTTP requests answered.
        public var httpRequests: Double

        private enum CodingKeys: String, CodingKey {
            case residentBytes = "resident_bytes"
            case openFiles = "open_files"
            case fileLimit = "file_limit"
            case httpRequests = "http_requests"
        }
    }

    /// A process of those that share a store.
    public struct Member: Hashable, Sendable, Codable {
        /// Its host and REST port.
        public var name: String
        /// `working`, `standing_by` or `silent`.
        public var state: String
        /// The version of its program.
        public var version: String
        /// The time since its start, seconds, as of its last sign of life.
        public var uptimeSeconds: UInt64
        /// The time since its last sign of life, seconds.
        public var silentSeconds: UInt64
        /// The parts of the devices that it sends to; nil of an older indexer.
        public var shards: [Int]?

        private enum CodingKeys: String, CodingKey {
            case name, state, version, shards
            case uptimeSeconds = "uptime_seconds"
            case silentSeconds = "silent_seconds"
        }
    }

    /// Warnings or errors of one kind.
    public struct Event: Hashable, Sendable, Codable {
        /// When the last one came, milliseconds since 1970.
        public var time: UInt64
        /// When the first one came, milliseconds since 1970.
        public var since: UInt64
        /// How many there were.
        public var count: UInt64
        /// `warning`, `error` or `critical`.
        public var level: String
        /// The part of the service that logged it.
        public var label: String
        /// The log's message.
        public var message: String
        /// The last one's metadata.
        public var metadata: [String: String]
        /// Where the operator guide helps, relative to `/status.json`.
        public var guide: String?
    }
}
