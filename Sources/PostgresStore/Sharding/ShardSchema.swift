import Postgres
import Store

/// The schema of a shard other than 0, beside the store's own, whose name it bears with `_shard_` and its number.
///
/// A connection of such a shard finds the tables of `SchemaScript.sender` there, and all others in the store's own.
struct ShardSchema: Sendable {
    let main: String
    let shard: Int

    private var name: String { "\(main)_shard_\(shard)" }

    /// As it stands in SQL.
    var quoted: String { ShardSchema.quote(name) }

    /// As it stands in the text of a query, to be looked up.
    var literal: String { "'" + name.replacing("'", with: "''") + "'" }

    /// What a session of the shard begins with.
    var searchPath: (String, String) { ("search_path", "\(quoted), \(ShardSchema.quote(main))") }

    /// What is told of orders.
    var channel: String { name }

    static func quote(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    /// Writes orders.
    ///
    /// `$1`: numbers; `$2`: kinds; `$3`: keys; `$4`: records.
    var insertOrders: Statement {
        Statement(
            "orders_insert_\(shard)",
            "insert into \(quoted).orders (number, kind, key, record) select * from unnest($1, $2, $3, $4)")
    }

    /// A row of `meta` of the store itself.
    ///
    /// `$1`: its key.
    var mainMeta: Statement {
        Statement("main_meta", "select record from \(ShardSchema.quote(main)).meta where key = $1")
    }

    /// Wakes the shard's process at the commit.
    ///
    /// `$1`: `channel`.
    static let notify = Statement("orders_notify", "select pg_notify($1, '')")

    /// Orders after a number, of the shard that the session is of.
    ///
    /// `$1`: the number; `$2`: how many at most.
    static let orders = Statement(
        "orders_after", "select number, kind, key, record from orders where number > $1 order by number limit $2")
    /// Deletes orders up to a number.
    static let deleteOrders = Statement("orders_delete", "delete from orders where number <= $1")
    /// Writes reports.
    ///
    /// `$1`: kinds; `$2`: devices; `$3`: records.
    static let insertReports = Statement(
        "reports_insert", "insert into reports (kind, device, record) select * from unnest($1, $2, $3)")
    /// The oldest reports.
    static let reports = Statement(
        "reports_oldest", "select number, kind, device, record from reports order by number limit $1")
    static let deleteReports = Statement("reports_delete", "delete from reports where number <= $1")

    func write(_ orders: [NumberedOrder]) -> (Statement, [Parameter]) {
        (
            insertOrders,
            [
                .int64Array(orders.map { Int64(clamping: $0.number) }), .int16Array(orders.map(\.order.kind.rawValue)),
                .bytesArray(orders.map(\.order.key)), .bytesArray(orders.map(\.order.record)),
            ]
        )
    }

    static func write(_ reports: [ShardReport]) -> (Statement, [Parameter]) {
        (
            insertReports,
            [
                .int16Array(reports.map(\.kind.rawValue)), .bytesArray(reports.map(\.device.bytes)),
                .bytesArray(reports.map(\.record)),
            ]
        )
    }

    /// Makes the schema and its tables; `search_path` is the shard's for the rest of the transaction.
    var script: String {
        """
        create schema \(quoted);
        set local search_path = \(quoted);
        \(SchemaScript.sender);
        create table orders (
          number bigint primary key, kind smallint not null, key bytea not null, record bytea not null
        ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
          autovacuum_vacuum_insert_threshold = -1);
        create table reports (
          number bigint generated always as identity primary key, kind smallint not null, device bytea not null,
          record bytea not null
        );
        """
    }
}

/// How many shards a store has.
enum ShardCount {
    /// Outside the layout's version: a store that is not shared out needs none of it.
    static let table = """
        create table if not exists shards (
          one boolean primary key default true check (one),
          count smallint not null
        );
        """
    private static let isListed = Statement("shards_listed", "select to_regclass('shards') is not null")
    private static let read = Statement("shards_read", "select coalesce((select count from shards), 1)::smallint")
    private static let schema = Statement("shards_schema", "select current_schema()")

    /// How many shards a store has, and the schema that a connection finds it in.
    static func find(_ connection: Connection) throws(PostgresError) -> (count: Int, main: String) {
        let answers = try connection.run([(isListed, []), (schema, [])])
        let count = try answers[0].bool(0, 0) ? Int(try connection.run([(read, [])])[0].int16(0, 0)) : 1
        return (count, try answers[1].text(0, 0))
    }
}
