import Postgres
import Store

/// Where rows stand that are written again and again: that of the process that writes, `meta`'s, and the states of the
/// devices that something was sent to last.
///
/// While somebody holds a snapshot, each change leaves a version behind that nobody may tidy up, and whoever looks for
/// such a row by its key passes them all. At its place it is found at once. A place that is not right any more, as after
/// `vacuum full` or a lost answer, costs time and nothing else.
final class RowPlaces {
    /// The families whose rows are read and written by place (`Table.byPlace`).
    static let families: Set<ColumnFamily> = [.meta, .deviceStates]
    /// Places of a family that are kept: at least as many as this, at most twice.
    ///
    /// Some 100 bytes each.
    static let capacity = 131_072

    /// Of the row of the process that writes, in PostgreSQL's words; nil: not known.
    var writer: String?
    /// Of `families`, in two generations: when the younger is full, it becomes the older, and the older's are forgotten.
    private var younger: [ColumnFamily: [RowKey: String]] = [:]
    private var older: [ColumnFamily: [RowKey: String]] = [:]
    private let capacity: Int

    init(capacity: Int = RowPlaces.capacity) { self.capacity = capacity }

    /// The place of a row; empty: not known.
    subscript(_ family: ColumnFamily, _ key: RowKey) -> String {
        younger[family]?[key] ?? older[family]?[key] ?? ""
    }

    /// Notes places: `rows` has keys in its first column and their places in the one of this number.
    func note(_ rows: Rows, of family: ColumnFamily, column: Int) throws(PostgresError) {
        for row in 0..<rows.count {
            younger[family, default: [:]][RowKey(rows.bytes(row, 0))] = try rows.text(row, column)
            guard younger[family, default: [:]].count >= capacity else { continue }
            older[family] = younger.removeValue(forKey: family)
        }
    }

    /// The first statements of the transaction `number`, which hold the writer's place.
    func hold(_ incarnation: [UInt8], _ number: UInt64) -> [(Statement, [Parameter])] {
        let who: [Parameter] = [.uuid(incarnation), .int64(Int64(clamping: number))]
        return writer.map { [(WriterStatements.holdAt, who + [.text($0)])] }
            ?? [(WriterStatements.hold, who), (WriterStatements.place, [])]
    }

    /// Notes the writer's place from the answer to the last statement of `hold`.
    func noteWriter(_ answer: Rows) throws(PostgresError) {
        let place = try answer.text(0, 0)
        writer = place.isEmpty ? nil : place
    }
}
