import Postgres
import Store

/// Where the rows stand that almost every transaction changes: that of the process that writes, and `meta`'s.
///
/// While somebody holds a snapshot, each change leaves a version behind that nobody may tidy up, and whoever looks for
/// such a row by its key passes them all. At its place it is found at once. A place that is not right any more, as after
/// `vacuum full`, costs time and nothing else.
struct RowPlaces {
    /// In PostgreSQL's words; nil: not known.
    var writer: String?
    private var meta: [RowKey: String] = [:]

    /// The first statements of the transaction `number`: they hold the writer's place, and put the rows of `meta` that
    /// `writes` has.
    func calls(
        _ incarnation: [UInt8], _ number: UInt64, _ writes: [RowKey: [UInt8]?]
    ) -> [(Statement, [Parameter])] {
        let who: [Parameter] = [.uuid(incarnation), .int64(Int64(clamping: number))]
        var calls: [(Statement, [Parameter])] =
            writer.map { [(WriterStatements.holdAt, who + [.text($0)])] }
            ?? [(WriterStatements.hold, who), (WriterStatements.place, [])]
        let puts = writes.compactMap { key, record in record.map { (key: key, record: $0) } }
        if !puts.isEmpty {
            calls.append(
                (
                    WriterStatements.putMeta,
                    [
                        .bytesArray(puts.map(\.key.bytes)), .bytesArray(puts.map(\.record)),
                        .textArray(puts.map { meta[$0.key] ?? "" }),
                    ]
                ))
        }
        return calls
    }

    /// The places after the answers to `calls`.
    func after(_ answers: ArraySlice<Rows>) throws(PostgresError) -> RowPlaces {
        var new = self
        var answers = answers
        if writer == nil { answers.removeFirst() }
        if let place = try answers.popFirst()?.text(0, 0) { new.writer = place.isEmpty ? nil : place }
        if let rows = answers.popFirst() {
            for row in 0..<rows.count { new.meta[RowKey(rows.bytes(row, 0))] = try rows.text(row, 1) }
        }
        return new
    }
}
