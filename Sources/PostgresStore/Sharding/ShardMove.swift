import Foundation
import Kaspa
import Postgres
import Store

/// Changes how many shards a store has: makes and drops schemas, and moves what waits to where it belongs; all of it or
/// nothing.
///
/// For the process that writes to the store, while none works on another shard.
struct ShardMove {
    /// Tables whose keys begin with a device's name.
    private static let byDevice = ["device_states", "deliveries", "recent_funds", "delivery_log"]
    /// Tables whose keys have the device after eight bytes of time.
    private static let byTime = ["dead_letters", "delivery_log_by_time"]
    /// How often a lock is tried, and seconds in between: two seconds in all.
    private static let (lockAttempts, lockPause) = (100, 0.02)
    /// It takes as long as the log is long.
    private static let deadline = Duration.seconds(3_600)

    private let connection: Connection
    private let main: String
    private let network: Network
    private let old: ShardPlan
    private let new: ShardPlan

    init(_ connection: Connection, main: String, network: Network, from old: Int, to new: Int) {
        self.connection = connection
        self.main = main
        self.network = network
        self.old = ShardPlan(count: old)
        self.new = ShardPlan(count: new)
    }

    /// Takes the store over by `takeOver`, in the transaction that changes it: until it is committed, nobody hears of it.
    ///
    /// Errors: those of `takeOver`; `.unsupported` while a process works on another shard, `.unfinished` while an event is
    /// half-way.
    func run(_ takeOver: () throws(StoreError) -> UInt64) throws(StoreError) -> UInt64 {
        let before = connection.deadline
        connection.deadline = ShardMove.deadline
        defer { connection.deadline = before }
        // The locks of the session go with it, or here.
        defer { for shard in old.others { try? script("select pg_advisory_unlock(\(lockKey(shard)))") } }
        for shard in old.others where try !takeLock(shard) {
            throw StoreError(
                .unsupported,
                "a process still works on shard \(shard) of the store: to change store.shards, stop all of them first")
        }
        try script("begin; set local synchronous_commit = on")
        do throws(StoreError) {
            let last = try takeOver()
            try move()
            try script("commit")
            return last
        } catch {
            try? script("rollback")
            throw error
        }
    }

    /// Takes the lock of a shard; a process that ends leaves its connection behind for a moment.
    private func takeLock(_ shard: Int) throws(StoreError) -> Bool {
        for _ in 0..<ShardMove.lockAttempts {
            if try number("select pg_try_advisory_lock(\(lockKey(shard)))::int") { return true }
            Thread.sleep(forTimeInterval: ShardMove.lockPause)
        }
        return false
    }

    private func move() throws(StoreError) {
        try checkNothingIsHalfWay()
        for shard in new.others where shard >= old.count { try makeSchema(shard) }
        for source in 0..<old.count {
            for target in 0..<new.count where target != source { try moveRows(from: source, to: target) }
        }
        try copyRegistrations()
        try settleBooks()
        try raiseEventNumbers()
        for shard in old.others where shard >= new.count {
            try script("drop schema \(schema(shard)) cascade")
            try deleteMeta(MetaKey.lastOrder(toShard: shard))
        }
        try script(
            """
            \(ShardCount.table)
            delete from shards;
            insert into shards (count) values (\(new.count));
            update store_layout set version = \(new.count > 1 ? SchemaScript.sharedLayout : SchemaScript.layout);
            """)
    }

    /// An event that was walked in part was walked by the old ranges.
    private func checkNothingIsHalfWay() throws(StoreError) {
        for shard in old.others {
            // Whoever was paused there finds itself replaced.
            try script(
                "update \(schema(shard)).writer set incarnation = gen_random_uuid(), is_released = true where one")
            for table in ["orders", "events", "reports"]
            where try number("select exists(select from \(schema(shard)).\(table))::int") { throw halfWay(shard) }
        }
        let rows = try checked { () throws(PostgresError) in try connection.query("select record from events", []) }
        for row in 0..<rows.count where try ShardBooks.hasBegun(rows.bytes(row, 0), network: network) {
            throw halfWay(0)
        }
    }

    private func halfWay(_ shard: Int) -> StoreError {
        StoreError(
            .unfinished,
            "shard \(shard) of the store still has events to hand out: start the processes with store.shards = "
                + "\(old.count) until none waits, stop them, and change it then")
    }

    private func makeSchema(_ shard: Int) throws(StoreError) {
        try script(ShardSchema(main: main, shard: shard).script)
        try checked { () throws(PostgresError) in
            let rows: [Parameter] = [
                .bytesArray([MetaKey.schemaVersion, MetaKey.network]),
                .bytesArray([SchemaVersion.encoded, Array(network.description.utf8)]),
            ]
            _ = try connection.query("insert into meta (key, record) select * from unnest($1, $2)", rows)
        }
        try script("set local search_path = \(ShardSchema.quote(main))")
    }

    private func moveRows(from source: Int, to target: Int) throws(StoreError) {
        let (bytes, partitions) = (new.firstBytes(of: target), new.partitions(of: target))
        let places = Int(partitions.lowerBound)..<Int(partitions.upperBound) + 1
        let tables =
            ShardMove.byDevice.map { ($0, ShardMove.range("key", bytes)) }
            + ShardMove.byTime.map { ($0, ShardMove.range("substr(key, 9)", bytes)) }
            + [("schedule", ShardMove.range("key", places))]
        for (table, condition) in tables {
            try script(
                """
                with moved as (delete from \(schema(source)).\(table) where \(condition) returning *)
                insert into \(schema(target)).\(table) select * from moved
                """)
        }
    }

    private func copyRegistrations() throws(StoreError) {
        for shard in new.others {
            try script(
                """
                delete from \(schema(shard)).devices;
                insert into \(schema(shard)).devices (key, record)
                select key, record from \(schema(0)).devices where \(ShardMove.range("key", new.firstBytes(of: shard)))
                """)
        }
    }

    /// What a device was told lately is kept by event numbers, which are each shard's own: none may come again.
    private func raiseEventNumbers() throws(StoreError) {
        let key = "decode('\(Hex.encode(MetaKey.lastEvent))', 'hex')"
        let present = (0..<max(old.count, new.count)).map { "select record from \(schema($0)).meta where key = \(key)" }
        for shard in 0..<new.count {
            try script(
                """
                insert into \(schema(shard)).meta (key, record)
                select \(key), record from (\(present.joined(separator: " union all "))) m order by record desc limit 1
                on conflict (key) do update set record = excluded.record
                """)
        }
    }

    private func settleBooks() throws(StoreError) {
        var total = try booksBefore
        for shard in new.others {
            let rows = try within(shard) { (reading) throws(StoreError) in
                let books = try ShardBooks(ofRowsIn: reading, waiting: try count("deliveries"), network: network)
                try write(books, WriteTransaction(reading), devices: try count("devices"))
                return books
            }
            total.add(rows, times: -1)
        }
        try write(total, WriteTransaction(ServerReading(connection, cache: nil)), devices: nil)
    }

    /// What all shards have counted together.
    private var booksBefore: ShardBooks {
        get throws(StoreError) {
            var total = try ShardBooks(of: ServerReading(connection, cache: nil))
            for shard in old.others {
                total.add(try within(shard) { (reading) throws(StoreError) in try ShardBooks(of: reading) })
            }
            return total
        }
    }

    /// Reads and writes a shard's own rows.
    private func within<Result>(
        _ shard: Int, _ body: (ServerReading) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try script("set local search_path = \(schema(shard))")
        let result = try body(ServerReading(connection, cache: nil))
        try script("set local search_path = \(schema(0))")
        return result
    }

    /// Writes the books of the shard that the session is in.
    private func write(_ books: ShardBooks, _ transaction: WriteTransaction, devices: UInt64?) throws(StoreError) {
        try books.write(
            transaction, waiting: try count("deliveries"), deadLetters: try count("dead_letters"), devices: devices)
        let rows = transaction.writes(to: .meta)
        try checked { () throws(PostgresError) in
            _ = try connection.query(
                """
                insert into meta (key, record) select * from unnest($1, $2)
                on conflict (key) do update set record = excluded.record
                """,
                [.bytesArray(rows.map(\.key.bytes)), .bytesArray(rows.map { $0.value ?? [] })])
        }
    }

    private func count(_ table: String) throws(StoreError) -> UInt64 {
        try checked { () throws(PostgresError) in
            UInt64(clamping: try connection.query("select count(*) from \(table)", []).int64(0, 0))
        }
    }

    private func deleteMeta(_ key: [UInt8]) throws(StoreError) {
        _ = try checked { () throws(PostgresError) in
            try connection.query("delete from meta where key = $1", [.bytes(key)])
        }
    }

    /// Where the first byte of `text` is one of these.
    private static func range(_ text: String, _ bytes: Range<Int>) -> String {
        func literal(_ byte: Int) -> String { "'\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))'::bytea" }
        let end = bytes.upperBound == 256 ? "" : " and \(text) < \(literal(bytes.upperBound))"
        return "\(text) >= \(literal(bytes.lowerBound))\(end)"
    }

    private func schema(_ shard: Int) -> String {
        shard == 0 ? ShardSchema.quote(main) : ShardSchema(main: main, shard: shard).quoted
    }

    private func lockKey(_ shard: Int) -> String {
        "hashtextextended(\(ShardSchema(main: main, shard: shard).literal), \(WriterStatements.lockKey))"
    }

    private func script(_ text: String) throws(StoreError) {
        try checked { () throws(PostgresError) in try connection.execute(script: text) }
    }

    /// Whether the one number that a query answers with is not 0.
    private func number(_ query: String) throws(StoreError) -> Bool {
        try checked { () throws(PostgresError) in try connection.query(query, []).int32(0, 0) != 0 }
    }
}
