import Postgres
import Store

/// One family's table, and every statement that touches it.
///
/// All tables but the watch index are alike: the key and the record as RocksDB has them, in bytes that sort alike. So a
/// statement's plan can be one thing only: a walk along the primary key.
///
/// The log's tables are partitioned by day: what is inserted names its partition, what is looked for by key alone is
/// looked for in each.
struct Table: Sendable {
    let family: ColumnFamily
    /// Whether rows are written with their partition (`LogSlots`) as one more parameter.
    let isByDay: Bool
    /// The rows under some keys.
    ///
    /// `$1`: the keys.
    let rows: Statement
    /// Rows in key order.
    ///
    /// `$1`: the first key; `$2`: what they are below; `$3`: how many at most.
    let range: Statement
    /// The same against key order.
    let rangeBackwards: Statement
    /// Several such ranges at once, each row after its range's number from 1.
    ///
    /// `$1`, `$2`, `$3`: as above, for each.
    let ranges: Statement
    /// Writes rows that are not there; it fails if one is.
    ///
    /// `$1`: keys; `$2`: records; by day `$3`: partitions.
    let insert: Statement
    /// Writes rows, there or not: dearer by two thirds for one that is not.
    ///
    /// `$1`: keys; `$2`: records; by day `$3`: partitions.
    let put: Statement
    /// Deletes rows.
    ///
    /// `$1`: keys.
    let delete: Statement

    /// The statements for rows whose places are known (`RowPlaces`); nil: they are not kept.
    let byPlace: ByPlace?

    /// Statements that look for each row at its place first; both answer with places.
    struct ByPlace {
        /// The rows under some keys: key, record, place.
        ///
        /// `$1`: the keys; `$2`: places, empty where none is known.
        let rows: Statement
        /// Writes rows, there or not: key, new place.
        ///
        /// `$1`: keys; `$2`: records; `$3`: places, empty where none is known.
        let put: Statement
    }

    var statements: [Statement] {
        [rows, range, rangeBackwards, ranges, insert, put, delete] + (byPlace.map { [$0.rows, $0.put] } ?? [])
    }

    private init(_ family: ColumnFamily) {
        let table = family.rawValue
        self.family = family
        isByDay = family == .deliveryLog || family == .deliveryLogByTime
        let (columns, values, unique) =
            isByDay
            ? ("key, record, slot", "unnest($1, $2, $3)", "key, slot") : ("key, record", "unnest($1, $2)", "key")
        rows = Statement("\(table)_rows", "select key, record from \(table) where key = any($1)")
        range = Statement(
            "\(table)_range", "select key, record from \(table) where key >= $1 and key < $2 order by key limit $3")
        rangeBackwards = Statement(
            "\(table)_range_backwards",
            "select key, record from \(table) where key >= $1 and key < $2 order by key desc limit $3")
        ranges = Statement(
            "\(table)_ranges",
            """
            select r.number, t.key, t.record
            from unnest($1, $2, $3) with ordinality r(lower, upper, most, number)
            cross join lateral (
              select key, record from \(table) where key >= r.lower and key < r.upper order by key limit r.most) t
            """)
        insert = Statement(
            "\(table)_insert", "insert into \(table) (\(columns)) select * from \(values)")
        put = Statement(
            "\(table)_put",
            """
            insert into \(table) (\(columns)) select * from \(values)
            on conflict (\(unique)) do update set record = excluded.record
            """)
        delete = Statement("\(table)_delete", "delete from \(table) where key = any($1)")
        byPlace = RowPlaces.families.contains(family) ? ByPlace(table) : nil
    }

    /// Every family but the watch index, which is `WatchIndex`.
    static let all: [Table?] = ColumnFamily.allCases.map { $0 == .watchers ? nil : Table($0) }

    /// The table of any family but the watch index.
    static func of(_ family: ColumnFamily) -> Table {
        guard let table = all[family.index] else { preconditionFailure("the watch index is no such table") }
        return table
    }
}

extension Table.ByPlace {
    /// The keys are compared as expressions, so that they are not looked for in the index where the place is known.
    fileprivate init(_ table: String) {
        rows = Statement(
            "\(table)_rows_at",
            """
            with rows as (select * from unnest($1, $2) r(key, place)),
            found as (
              select t.key, t.record, t.ctid from rows r
              join \(table) t on t.ctid = nullif(r.place, '')::tid and t.key || '' = r.key)
            select key, record, ctid::text from found
            union all
            select key, record, ctid::text from \(table)
            where key = any(array(select r.key from rows r where r.key not in (select f.key from found f)))
            """)
        put = Statement(
            "\(table)_put_at",
            """
            with rows as (select * from unnest($1, $2, $3) r(key, record, place)),
            changed as (
              update \(table) t set record = r.record from rows r
              where t.ctid = nullif(r.place, '')::tid and t.key || '' = r.key returning t.key, t.ctid),
            added as (
              insert into \(table) (key, record)
              select key, record from rows r where r.key not in (select c.key from changed c)
              on conflict (key) do update set record = excluded.record returning key, ctid)
            select key, ctid::text from changed union all select key, ctid::text from added
            """)
    }
}
