import Postgres
import Testing

@Suite struct RowsTests {
    @Test(arguments: [
        "null::bigint", "1::integer", "1::smallint", "'1'::text", "''::bytea", "'\\x000000000000000001'::bytea",
    ])
    func whatHasNotEightBytesIsNoBigint(value: String) throws {
        let rows = try connection().query("select \(value) as this", [])
        let error = postgresError { try rows.int64(0, 0) }
        #expect(error?.kind == .value)
        #expect(error?.message.contains("this") == true)
    }

    @Test func wrongSizesAreRefusedForEveryType() throws {
        let rows = try connection().query("select 1::bigint, 1::smallint, null::text", [])
        #expect(postgresError { try rows.int32(0, 0) }?.kind == .value)
        #expect(postgresError { try rows.int32(0, 1) }?.kind == .value)
        #expect(postgresError { try rows.int16(0, 0) }?.kind == .value)
        #expect(postgresError { try rows.bool(0, 1) }?.kind == .value)
        #expect(postgresError { try rows.text(0, 2) }?.kind == .value)
        #expect(postgresError { try rows.bytesArray(0, 2) }?.kind == .value)
        #expect(rows.bytes(0, 2) == [])
    }

    @Test func bytesThatAreNotUTF8AreNoText() throws {
        let rows = try connection().query(#"select '\xff'::bytea, ''::text"#, [])
        #expect(postgresError { try rows.text(0, 0) }?.kind == .value)
        #expect(try rows.text(0, 1) == "")
    }

    @Test(arguments: [
        "'{{1,2},{3,4}}'::bigint[]", "array[1, null]", "'abc'::text", "''::text",
        // Counts and lengths that the bytes do not hold.
        #"'\x000000010000000000000011000fffff00000001'::bytea"#,
        #"'\x0000000100000000000000117fffffff00000001'::bytea"#,
        #"'\x000000010000000000000011ffffffff00000001'::bytea"#,
        #"'\x0000000100000000000000110000000100000001000000050102'::bytea"#, #"'\x00000000000000000000001100'::bytea"#,
    ])
    func whatIsNoPlainArrayIsRefused(value: String) throws {
        let rows = try connection().query("select \(value)", [])
        #expect(postgresError { try rows.bytesArray(0, 0) }?.kind == .value)
    }

    @Test func theRowsThatAStatementChangedAreCounted() throws {
        let connection = try connection(isFresh: true)
        try connection.execute(script: "create table numbers (number bigint)")
        let insert = try connection.query("insert into numbers select generate_series(1, 5)", [])
        #expect(insert.affected == 5 && insert.count == 0 && insert.columns == 0)
        #expect(try connection.query("update numbers set number = 0 where number > $1", [.int64(3)]).affected == 2)
        #expect(try connection.query("delete from numbers where number = 9", []).affected == 0)
        #expect(try connection.query("select * from numbers", []).affected == 5)
        #expect(try connection.query("set work_mem = '4MB'", []).affected == 0)
    }

    @Test func bytesAreLentWithoutACopy() throws {
        let rows = try connection().query(#"select '\x0102'::bytea, null::bytea"#, [])
        #expect(rows.withBytes(0, 0) { $0.reduce(0) { $0 + Int($1) } } == 3)
        #expect(rows.withBytes(0, 1) { $0.count } == 0)
    }

    @Test func rowsOutliveTheirConnection() throws {
        let connection = try connection()
        let rows = try connection.query("select 'still here'", [])
        connection.close()
        #expect(try rows.text(0, 0) == "still here")
    }
}
