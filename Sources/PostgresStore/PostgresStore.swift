public import Kaspa
import Postgres
public import Store

/// Opens stores whose rows are in a PostgreSQL database.
public enum PostgresStore {
    /// Where the database is.
    public struct Location: Sendable {
        /// A `postgresql://` URI, as libpq reads it; several hosts may be named.
        public var url: String
        /// A file whose first line is the password; nil: libpq's own means.
        public var passwordFile: String?

        /// Takes both as they are.
        public init(url: String, passwordFile: String? = nil) {
            self.url = url
            self.passwordFile = passwordFile
        }

        /// Whether a text is meant as such a URL.
        package static func isURL(_ text: String) -> Bool {
            text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
        }

        /// What is wrong with a URL that an operator gives; nil if nothing is.
        ///
        /// It quotes nothing of it.
        public static func complaint(about url: String) -> String? {
            guard isURL(url) else { return "it does not begin with postgresql://" }
            // Options of libpq that are secrets, besides the password.
            for option in ["sslpassword", "oauth_client_secret"] where url.contains(option + "=") {
                return "it holds a secret (\(option)), which would be shown"
            }
            do {
                let holdsPassword = try Location(url: url).settings(session: []).holdsPassword()
                return holdsPassword ? "it holds a password: put that into the file of store.password_path" : nil
            } catch {
                return error.message
            }
        }

        /// Hosts, ports, database and user, for people; never a password.
        public var target: String { settings(session: []).target }

        func settings(session: [(String, String)]) -> ConnectionSettings {
            ConnectionSettings(
                url: url, passwordFile: passwordFile, applicationName: PostgresStore.applicationName, session: session)
        }
    }

    static let applicationName = "kasia-push-indexer"
    /// The oldest version of the server that is known to do.
    public static let oldestServer = 14

    /// Opens the store in a database for `network`; makes its tables in an empty one.
    ///
    /// Blocks, for some seconds at most for each host. Errors, all for the operator: `.unavailable` (no connection),
    /// `.locked` (another process writes to it), `.newerSchema`, `.otherNetwork`, `.unsupported` (a server that is too
    /// old), `.engine` (the server's own words). With `readOnly` it changes nothing, also while a service writes to it,
    /// and is an error where there is no store yet. With `standby` it is also `.locked` while a process that has lost its
    /// connection may still be at work, and takes over from one whose heartbeat has stopped: for several processes that
    /// stand by for each other; one that only reads needs it to know which servers have been replaced.
    ///
    /// `shards` is into how many parts the devices are to be shared out (`ShardPlan`), nil: as they are. A change of it is
    /// `.unsupported` while a process works on another shard (`openShard`), and `.unfinished` while one has events to hand
    /// out.
    public static func open(
        _ location: Location, network: Network, limits: StoreLimits = StoreLimits(), readOnly: Bool = false,
        standby: StandbyWatch? = nil, shards: Int? = nil
    ) throws(StoreError) -> Store {
        try open(
            location, network: network, limits: limits, readOnly: readOnly, acceptsPartialCopy: false,
            standby: standby, shards: shards)
    }

    /// The same; with `acceptsPartialCopy` also a store that a copy has only partly filled, which else is
    /// `.unsupported`.
    package static func open(
        _ location: Location, network: Network, limits: StoreLimits, readOnly: Bool, acceptsPartialCopy: Bool = false,
        standby: StandbyWatch? = nil, times: ServerTimes = ServerTimes(), shards: Int? = nil
    ) throws(StoreError) -> Store {
        try open(
            location, network: network, limits: limits, readOnly: readOnly, acceptsPartialCopy: acceptsPartialCopy,
            standby: standby, times: times, upkeep: QueueUpkeep.Limits(), shards: shards)
    }

    static func open(
        _ location: Location, network: Network, limits: StoreLimits, readOnly: Bool, acceptsPartialCopy: Bool,
        standby: StandbyWatch?, times: ServerTimes, upkeep: QueueUpkeep.Limits, shards: Int? = nil,
        shard: ShardSchema? = nil
    ) throws(StoreError) -> Store {
        var settings = location.settings(session: session + (shard.map { [$0.searchPath] } ?? []))
        settings.deadline = times.deadline
        settings.history = standby?.history ?? ServerHistory()
        let main = settings
        var link: ShardLink?
        let pool = ConnectionPool(settings)
        let cache = RowCache(capacity: readOnly ? 0 : RowCache.capacity)
        let rows = ServerRows(pool: pool, rowCache: cache, isWriter: !readOnly)
        let engine = try StoreEngine(network: network, limits: limits, watchedScripts: WatchedScripts()) {
            (followers) throws(StoreError) in
            let expired = readOnly ? nil : try standby?.look(settings)
            var opening = try StoreOpening(
                settings, network: network, readOnly: readOnly, acceptsPartialCopy: acceptsPartialCopy, after: expired,
                shards: shards, shard: shard)
            let begun = ContinuousClock.now
            let batch = try opening.begin()
            if !readOnly { cache.begin(withMeta: try opening.meta()) }
            let (plan, schemas) = (opening.plan, opening.otherShards)
            if shard == nil, plan.count > 1 {
                link = ShardLink(schemas, main, lease: times.lease) { (schema) throws(StoreError) in
                    try open(
                        location, network: network, limits: limits, readOnly: true, acceptsPartialCopy: false,
                        standby: standby, times: times, upkeep: upkeep, shard: schema)
                }
            }
            let state = ServerState(lastWrite: batch, times)
            let writer = opening.writer.map {
                ServerWriter(
                    Handover($0), batch: batch, cache: cache, state: state,
                    lease: Lease(times.lease, begun: begun), times: times, limits: limits, shards: plan,
                    otherShards: schemas, followers: followers)
            }
            return PostgresBackend(
                rows, writer: writer,
                upkeep: readOnly ? nil : QueueUpkeep(settings, pool: pool, state: state, limits: upkeep),
                state: state, shards: plan,
                sharedValues: plan.count > 1 ? SharedRows(main: opening.mainSchema, settings) : nil)
        }
        // Another shard hears from this one of what concerns it.
        if !readOnly, shard == nil { try engine.beginWatching() }
        return Store(engine: engine, otherShards: link)
    }

    /// The key of the lock that the process which writes holds, with the schema's name hashed.
    package static var lockKey: Int64 { WriterStatements.lockKey }

    /// What holds for every statement: each has one plan, the walk along an index, whatever the server believes of how
    /// many rows there are.
    ///
    /// A plan made while a table was empty would otherwise be kept when it is full.
    static let session: [(String, String)] = [
        ("plan_cache_mode", "force_generic_plan"), ("enable_seqscan", "off"), ("enable_bitmapscan", "off"),
        ("enable_hashjoin", "off"), ("enable_mergejoin", "off"), ("enable_material", "off"), ("enable_memoize", "off"),
        ("enable_hashagg", "off"), ("jit", "off"), ("synchronous_commit", "off"),
        ("idle_in_transaction_session_timeout", "60s"), ("client_min_messages", "warning"),
    ]
}
