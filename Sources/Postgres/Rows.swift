import CLibpq

/// The answer to one statement, whole and in binary format.
///
/// Rows and columns count from 0; one that is not there is a programmer's fault and traps.
///
/// It may go to another thread, unchecked as the compiler cannot see it: nothing here or in libpq changes a `PGresult`
/// between its making and its freeing.
package final class Rows: @unchecked Sendable {
    private let result: OpaquePointer
    /// How many rows there are.
    package let count: Int
    /// How many columns each row has; 0 when the statement answers no rows.
    package let columns: Int

    /// Takes over a `PGresult` and frees it at the end.
    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
        columns = Int(PQnfields(result))
    }

    deinit {
        PQclear(result)
    }

    /// How many rows were inserted, updated, deleted or selected; 0 for other statements.
    package var affected: Int {
        PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// Whether the value is null.
    package func isNull(_ row: Int, _ column: Int) -> Bool {
        check(row, column)
        return PQgetisnull(result, Int32(row), Int32(column)) == 1
    }

    /// A copy of the value's bytes, whatever its type; of null, none.
    package func bytes(_ row: Int, _ column: Int) -> [UInt8] {
        withBytes(row, column) { [UInt8]($0) }
    }

    /// Calls `body` with the value's bytes, which are valid until it returns; null has none.
    package func withBytes<Result, Failure: Error>(
        _ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        check(row, column)
        let length = Int(PQgetlength(result, Int32(row), Int32(column)))
        let value = UnsafeRawPointer(PQgetvalue(result, Int32(row), Int32(column)))
        return try withExtendedLifetime(self) { () throws(Failure) -> Result in
            try body(UnsafeRawBufferPointer(start: value, count: length))
        }
    }

    /// A `bigint`, or another type of eight bytes such as `xid8`.
    ///
    /// - Throws: `value` for null and for other sizes; so do its siblings below.
    package func int64(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 {
        try integer(row, column)
    }

    /// An `integer`, or another type of four bytes such as `oid`.
    package func int32(_ row: Int, _ column: Int) throws(PostgresError) -> Int32 {
        try integer(row, column)
    }

    /// A `smallint`.
    package func int16(_ row: Int, _ column: Int) throws(PostgresError) -> Int16 {
        try integer(row, column)
    }

    /// A `boolean`.
    package func bool(_ row: Int, _ column: Int) throws(PostgresError) -> Bool {
        try integer(row, column) as UInt8 != 0
    }

    /// A `text`, or another type that is sent as text such as `name`.
    ///
    /// - Throws: `value` for null and for bytes that are not UTF-8.
    package func text(_ row: Int, _ column: Int) throws(PostgresError) -> String {
        try checkPresent(row, column)
        guard let text = withBytes(row, column, { String(validating: $0, as: UTF8.self) }) else {
            throw PostgresError(.value, "Column \(column) (\(name(column))) is not UTF-8.")
        }
        return text
    }

    /// The elements of an array of one dimension, each as its bytes: for `bytea[]`, `uuid[]`, `text[]`.
    ///
    /// - Throws: `value` for null, for elements that are null, and for what is not an array.
    package func bytesArray(_ row: Int, _ column: Int) throws(PostgresError) -> [[UInt8]] {
        try checkPresent(row, column)
        guard let elements = withBytes(row, column, { Self.elements($0) }) else {
            throw PostgresError(
                .value, "Column \(column) (\(name(column))) is not an array of one dimension without nulls.")
        }
        return elements
    }

    private static func elements(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]]? {
        var rest = bytes[...]
        func int32() -> Int? {
            guard rest.count >= 4 else { return nil }
            defer { rest = rest.dropFirst(4) }
            return Int(Int32(bigEndian: UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: Int32.self)))
        }
        guard let dimensions = int32(), int32() != nil, int32() != nil else { return nil }
        if dimensions == 0 { return rest.isEmpty ? [] : nil }
        // An element has four bytes at least, so a count beyond the rest is a lie and reserves nothing.
        guard dimensions == 1, let count = int32(), int32() != nil, count >= 0, count <= rest.count / 4 else {
            return nil
        }
        var elements: [[UInt8]] = []
        elements.reserveCapacity(count)
        for _ in 0..<count {
            guard let length = int32(), length >= 0, rest.count >= length else { return nil }
            elements.append([UInt8](rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return rest.isEmpty ? elements : nil
    }

    private func integer<Value: FixedWidthInteger>(_ row: Int, _ column: Int) throws(PostgresError) -> Value {
        try checkPresent(row, column)
        return try withBytes(row, column) { (bytes: UnsafeRawBufferPointer) throws(PostgresError) -> Value in
            guard bytes.count == MemoryLayout<Value>.size else {
                throw PostgresError(
                    .value,
                    """
                    Column \(column) (\(name(column))) has \(bytes.count) bytes \
                    where \(MemoryLayout<Value>.size) were expected.
                    """)
            }
            return Value(bigEndian: bytes.loadUnaligned(as: Value.self))
        }
    }

    private func checkPresent(_ row: Int, _ column: Int) throws(PostgresError) {
        if isNull(row, column) { throw PostgresError(.value, "Column \(column) (\(name(column))) is null.") }
    }

    private func name(_ column: Int) -> String {
        PQfname(result, Int32(column)).map { String(cString: $0) } ?? "?"
    }

    private func check(_ row: Int, _ column: Int) {
        precondition(row >= 0 && row < count, "row \(row) of \(count)")
        precondition(column >= 0 && column < columns, "column \(column) of \(columns)")
    }
}
