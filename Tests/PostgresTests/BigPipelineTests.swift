import Postgres
import Testing

/// Batches that fill both sides' socket buffers many times over.
@Suite struct BigPipelineTests {
    @Test(.timeLimit(.minutes(5))) func manyRowsUpAndDownDoNotHoldEachOtherUp() throws {
        let connection = try connection()
        let echo = Statement("echo", "select * from unnest($1, $2)")
        let bodies = (0..<1000).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 1000) }
        let numbers = (0..<1000).map { Int64($0) }
        let call = (echo, [Parameter.int64Array(numbers), .bytesArray(bodies)])
        let answers = try connection.run(Array(repeating: call, count: 100))
        #expect(answers.count == 100)
        for rows in answers {
            #expect(rows.count == 1000)
            #expect(try rows.int64(999, 0) == 999)
            #expect(rows.bytes(999, 1) == bodies[999])
        }
    }

    @Test(.timeLimit(.minutes(5))) func manySmallCallsFitInOnePipeline() throws {
        let connection = try connection()
        let echo = Statement("echo", "select $1, $2")
        let padding = Parameter.bytes([UInt8](repeating: 7, count: 200))
        let answers = try connection.run((0..<100_000).map { (echo, [.int64($0), padding]) })
        #expect(answers.count == 100_000)
        #expect(try answers.enumerated().allSatisfy { try $1.int64(0, 0) == Int64($0) })
    }

    @Test func anAnswerOfManyRowsIsReadWhole() throws {
        let rows = try connection().query(
            "select number, repeat('x', 100) from generate_series(1::bigint, 100000) number", [])
        #expect(rows.count == 100_000)
        #expect(try rows.int64(99_999, 0) == 100_000)
        #expect(try rows.text(99_999, 1).utf8.count == 100)
    }

    @Test func anErrorAmongManyCallsIsFound() throws {
        let connection = try connection()
        let divide = Statement("divide", "select 1 / $1, $2")
        let padding = Parameter.bytes([UInt8](repeating: 7, count: 2000))
        let calls = (0..<10_000).map { (divide, [Parameter.int32($0 == 5000 ? 0 : 1), padding]) }
        #expect(postgresError { try connection.run(calls) }?.kind == .server(sqlState: "22012"))
        #expect(try connection.run([(divide, [.int32(1), .null])])[0].int32(0, 0) == 1)
    }
}
