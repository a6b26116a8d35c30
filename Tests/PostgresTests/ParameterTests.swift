import Postgres
import TestRandom
import Testing

@Suite struct ParameterTests {
    static let identifier = [UInt8](0..<16)

    /// Each kind with the server's own text for it.
    @Test(arguments: [
        (Parameter.bytes([]), #"\x"#), (.bytes([0, 1, 255]), #"\x0001ff"#), (.text(""), ""),
        (.text("Grüße €"), "Grüße €"),
        (.int64(.min), "-9223372036854775808"), (.int64(.max), "9223372036854775807"), (.int64(-1), "-1"),
        (.int32(.min), "-2147483648"), (.int32(.max), "2147483647"), (.int16(.min), "-32768"), (.int16(.max), "32767"),
        (.bool(true), "true"), (.bool(false), "false"),
        (.uuid(identifier), "00010203-0405-0607-0809-0a0b0c0d0e0f"),
        (.bytesArray([]), "{}"), (.bytesArray([[]]), #"{"\\x"}"#),
        (.bytesArray([[1], [], [2, 3]]), #"{"\\x01","\\x","\\x0203"}"#),
        (.textArray([]), "{}"), (.textArray(["", "a,b", "NULL"]), #"{"","a,b","NULL"}"#),
        (.int64Array([]), "{}"), (.int64Array([.min, 0, .max]), "{-9223372036854775808,0,9223372036854775807}"),
        (.int16Array([]), "{}"), (.int16Array([.min, 0, .max]), "{-32768,0,32767}"),
        (.uuidArray([]), "{}"), (.uuidArray([identifier]), "{00010203-0405-0607-0809-0a0b0c0d0e0f}"),
    ])
    func theServerReadsWhatWasSent(parameter: Parameter, text: String) throws {
        let connection = try connection()
        #expect(try connection.query("select $1::text", [parameter]).text(0, 0) == text)
    }

    @Test func whatWasSentComesBack() throws {
        let connection = try connection()
        let rows = try connection.query(
            "select $1, $2, $3, $4, $5, $6, $7, $8, $9::bigint, $10, $11, $12",
            [
                .bytes([9, 0]), .text("ä"), .int64(-5), .int32(-6), .int16(-7), .bool(true), .uuid(Self.identifier),
                .bytesArray([[1], []]), .null, .textArray(["b", ""]), .uuidArray([Self.identifier]), .int64Array([3]),
            ])
        #expect(rows.count == 1 && rows.columns == 12)
        #expect(rows.bytes(0, 0) == [9, 0])
        #expect(try rows.text(0, 1) == "ä")
        #expect(try rows.int64(0, 2) == -5)
        #expect(try rows.int32(0, 3) == -6)
        #expect(try rows.int16(0, 4) == -7)
        #expect(try rows.bool(0, 5))
        #expect(rows.bytes(0, 6) == Self.identifier)
        #expect(try rows.bytesArray(0, 7) == [[1], []])
        #expect(rows.isNull(0, 8) && !rows.isNull(0, 0))
        #expect(try rows.bytesArray(0, 9) == [[UInt8(ascii: "b")], []])
        #expect(try rows.bytesArray(0, 10) == [Self.identifier])
        #expect(try rows.bytesArray(0, 11) == [[0, 0, 0, 0, 0, 0, 0, 3]])
    }

    @Test func anyArrayComesBack() throws {
        var random = SeededRandom()
        print("seed \(random.seed)")
        let connection = try connection()
        for _ in 0..<200 {
            let elements = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                (0..<Int.random(in: 0...100, using: &random)).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
            }
            let numbers = elements.map { _ in Int64.random(in: .min ... .max, using: &random) }
            let rows = try connection.query(
                "select $1, (select sum(number) from unnest($2) number)::text, cardinality($2)::bigint",
                [.bytesArray(elements), .int64Array(numbers)])
            #expect(try rows.bytesArray(0, 0) == elements, "seed \(random.seed)")
            let sum = numbers.reduce(Int128(0)) { $0 + Int128($1) }
            #expect(rows.isNull(0, 1) ? numbers.isEmpty : try rows.text(0, 1) == "\(sum)", "seed \(random.seed)")
            #expect(try rows.int64(0, 2) == Int64(numbers.count))
        }
    }

    @Test func sixteenMegabytesComeBack() throws {
        let bytes = [UInt8](unsafeUninitializedCapacity: 16 << 20) { buffer, count in
            for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: index &* 31 >> 3) }
            count = buffer.count
        }
        #expect(try connection().query("select $1", [.bytes(bytes)]).bytes(0, 0) == bytes)
    }

    @Test func theSizeOfAllParametersHasALimit() throws {
        let connection = try connection()
        func length(_ count: Int) throws -> Int32 {
            // Two parameters: it is the sum that counts.
            let half = [UInt8](repeating: 1, count: count / 2)
            let other = [UInt8](repeating: 1, count: count - half.count)
            return try connection.query("select length($1) + length($2)", [.bytes(half), .bytes(other)]).int32(0, 0)
        }
        #expect(try length(Parameter.maximumBytes - 1) == Int32(Parameter.maximumBytes - 1))
        #expect(try length(Parameter.maximumBytes) == Int32(Parameter.maximumBytes))
        #expect(postgresError { try length(Parameter.maximumBytes + 1) }?.kind == .value)
        #expect(try length(2) == 2)
    }

    @Test func theNumberOfParametersHasALimit() throws {
        let connection = try connection()
        func last(_ count: Int) throws -> Int64 {
            let parameters = (1...count).map { Parameter.int64(Int64($0)) }
            return try connection.query("select $\(count)", parameters).int64(0, 0)
        }
        #expect(try last(Parameter.maximumCount - 1) == 65_534)
        #expect(try last(Parameter.maximumCount) == 65_535)
        #expect(postgresError { try last(Parameter.maximumCount + 1) }?.kind == .value)
        #expect(try last(1) == 1)
    }

    @Test(arguments: [15, 17, 0])
    func aUUIDHasSixteenBytes(count: Int) throws {
        let connection = try connection()
        let wrong = [UInt8](repeating: 0, count: count)
        #expect(postgresError { try connection.query("select $1", [.uuid(wrong)]) }?.kind == .value)
        let array = Parameter.uuidArray([Self.identifier, wrong])
        #expect(postgresError { try connection.query("select $1", [array]) }?.kind == .value)
        #expect(!connection.isLost)
        #expect(try connection.query("select $1", [.uuid(Self.identifier)]).bytes(0, 0) == Self.identifier)
    }

    @Test func textWithANulByteIsRefusedByTheServer() throws {
        let connection = try connection()
        let error = postgresError { try connection.query("select $1", [.text("a\0b")]) }
        #expect(error?.kind == .server(sqlState: "22021"))
        #expect(try connection.query("select 1::bigint", []).int64(0, 0) == 1)
    }
}
