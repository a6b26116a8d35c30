import Kaspa
import Postgres
import Store

/// Finds out what a database is, makes it a store if it is empty, and takes it over.
struct StoreOpening {
    private let network: Network
    private let connection: Connection
    /// Whether a store is opened that a copy has only partly filled.
    private let acceptsPartialCopy: Bool
    /// The heartbeat after which it takes over; nil: any.
    private let expired: Heartbeat?
    /// How many shards the store is to have; nil: as many as it has.
    private let shards: Int?
    /// The shard that is opened; nil: the store itself.
    private let shard: ShardSchema?
    /// How the store is shared out, once it was begun.
    private(set) var plan = ShardPlan.single
    /// The schema of the store itself, once it was begun.
    private(set) var mainSchema = ""
    /// The schemas of the shards besides the store itself, once it was begun; none for another shard.
    var otherShards: [Int: ShardSchema] {
        guard shard == nil else { return [:] }
        return Dictionary(uniqueKeysWithValues: plan.others.map { ($0, ShardSchema(main: mainSchema, shard: $0)) })
    }
    /// nil: it is only read.
    private(set) var writer: WriterConnection?

    /// With `expired` it takes over only if that is still the last heartbeat.
    init(
        _ settings: ConnectionSettings, network: Network, readOnly: Bool, acceptsPartialCopy: Bool,
        after expired: Heartbeat?, shards: Int? = nil, shard: ShardSchema? = nil
    ) throws(StoreError) {
        self.network = network
        self.shards = shards
        self.shard = shard
        self.acceptsPartialCopy = acceptsPartialCopy
        self.expired = expired
        writer = readOnly ? nil : try WriterConnection(settings, after: expired)
        let reader = writer == nil ? try checked { () throws(PostgresError) in try Connection(settings) } : nil
        guard let connection = writer?.connection ?? reader else {
            throw StoreError(.engine, "PostgreSQL: no connection")
        }
        self.connection = connection
        guard connection.serverVersion / 10_000 >= PostgresStore.oldestServer else {
            throw StoreError(
                .unsupported,
                "PostgreSQL \(connection.serverVersion / 10_000) is too old: \(PostgresStore.oldestServer) or later is "
                    + "needed")
        }
    }

    /// Checks whose store it is, makes its tables if there are none, and takes over from the process that wrote before;
    /// returns the number of the last transaction.
    mutating func begin() throws(StoreError) -> UInt64 {
        if try !hasTables() {
            guard writer != nil else {
                throw StoreError(.inputOutput, "there is no store in the database \(connection.target)")
            }
            try makeTables()
        }
        let layout = try checkLayout()
        let isOlder = try checkIdentity()
        if writer != nil, shard == nil {
            try makeMemberList()
            if layout < SchemaScript.layout { try migrate(from: layout) }
        }
        if writer != nil, isOlder { try putVersion() }
        return try takeOver()
    }

    /// Finds out how the store is shared out, shares it out anew if it is to be another way, and takes it over.
    private mutating func takeOver() throws(StoreError) -> UInt64 {
        let (count, main) = try checked { () throws(PostgresError) in try ShardCount.find(connection) }
        if let shard {
            mainSchema = shard.main
            plan = ShardPlan(count: count, own: shard.shard)
            return try writer?.takeOver(from: expired) ?? 0
        }
        mainSchema = main
        plan = ShardPlan(count: count)
        guard let writer else { return 0 }
        guard let shards, shards != count else { return try writer.takeOver(from: expired) }
        let move = ShardMove(connection, main: main, network: network, from: count, to: shards)
        let last = try move.run { [expired] () throws(StoreError) in
            try writer.takeOver(from: expired, isWithinTransaction: true)
        }
        plan = ShardPlan(count: shards)
        return last
    }

    /// All rows of `meta`.
    func meta() throws(StoreError) -> [RowKey: [UInt8]] {
        try ServerReading(connection, cache: nil).allRows(of: .meta)
    }

    private func hasTables() throws(StoreError) -> Bool {
        try checked { () throws(PostgresError) in
            try connection.query("select to_regclass('store_layout') is not null", []).bool(0, 0)
        }
    }

    private func makeTables() throws(StoreError) {
        try checked { () throws(PostgresError) in
            try connection.execute(script: "begin;\n\(SchemaScript.tables)")
            let put = Table.of(.meta).put
            _ = try connection.run([
                (
                    put,
                    [
                        .bytesArray([MetaKey.schemaVersion, MetaKey.network]),
                        .bytesArray([SchemaVersion.encoded, Array(network.description.utf8)]),
                    ]
                ),
                (WriterStatements.durable, []), (WriterStatements.commit, []),
            ])
        }
    }

    /// Outside the layout's version: an older program has no use for it, and may go on standing by.
    private func makeMemberList() throws(StoreError) {
        try checked { () throws(PostgresError) in try connection.execute(script: MemberStatements.table) }
    }

    /// The version of the tables; a newer one is refused.
    private func checkLayout() throws(StoreError) -> Int64 {
        let layout = try checked { () throws(PostgresError) in
            try connection.query("select version from store_layout", []).int64(0, 0)
        }
        guard layout <= SchemaScript.sharedLayout else {
            throw StoreError(
                .newerSchema,
                "the store's tables have layout version \(layout), this program knows up to \(SchemaScript.sharedLayout): run "
                    + "the newer program")
        }
        return layout
    }

    /// Brings an older layout's tables to this program's, all of it or nothing; takes as long as the log is long.
    private func migrate(from layout: Int64) throws(StoreError) {
        let deadline = connection.deadline
        connection.deadline = StoreOpening.migrationDeadline
        defer { connection.deadline = deadline }
        try checked { () throws(PostgresError) in
            try connection.execute(
                script: "begin; set local synchronous_commit = on;\n\(SchemaScript.migration(from: layout))\ncommit")
        }
    }

    private static let migrationDeadline = Duration.seconds(3_600)

    /// Says that the rows are of this program's version from now on, as they are alike.
    private func putVersion() throws(StoreError) {
        try checked { () throws(PostgresError) in
            _ = try connection.run([
                (WriterStatements.begin, []), (WriterStatements.durable, []),
                (Table.of(.meta).put, [.bytesArray([MetaKey.schemaVersion]), .bytesArray([SchemaVersion.encoded])]),
                (WriterStatements.commit, []),
            ])
        }
    }

    /// Refuses a store that is not this program's to read; returns whether its rows are of an older version that is alike.
    private func checkIdentity() throws(StoreError) -> Bool {
        let meta = try meta()
        let version = meta[RowKey(MetaKey.schemaVersion)]
        let isOlder = version.map { KeyBytes.precedes($0, SchemaVersion.encoded) } ?? false
        let isAlike = version.map { !KeyBytes.precedes($0, SchemaVersion.encoded(SchemaVersion.oldestAlike)) } ?? false
        if isOlder, !isAlike {
            throw StoreError(
                .olderSchema,
                "the store's rows were written by an older version (their schema is not yet \(SchemaVersion.current))")
        }
        guard isOlder || version == SchemaVersion.encoded else {
            throw StoreError(
                .newerSchema,
                "the store's rows are of another schema version than this program's \(SchemaVersion.current): run the "
                    + "newer program")
        }
        let name = meta[RowKey(MetaKey.network)].map { String(decoding: $0, as: UTF8.self) }
        guard name == network.description else {
            throw StoreError(
                .otherNetwork,
                "the store belongs to \(name ?? "no network"), the configuration says \(network): choose another "
                    + "store.url")
        }
        if !acceptsPartialCopy, meta[RowKey(MetaKey.copyProgress)] != nil { throw .partlyCopied }
        return isOlder
    }
}
