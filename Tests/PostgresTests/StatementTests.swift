import Postgres
import PostgresServer
import Testing

@Suite struct StatementTests {
    static let insert = Statement("insert", "insert into names values ($1, $2)")
    static let count = Statement("count", "select count(*) from names")
    static let fail = Statement("fail", "select 1 / $1::integer")

    private func connectionWithTable() throws -> Connection {
        let connection = try connection(isFresh: true)
        try connection.execute(script: "create table names (id bigint primary key, name text)")
        return connection
    }

    @Test func aPipelineAnswersInOrder() throws {
        let connection = try connectionWithTable()
        for round in 0..<3 as Range<Int64> {
            let answers = try connection.run([
                (Self.count, []), (Self.insert, [.int64(2 * round), .text("a")]),
                (Self.insert, [.int64(2 * round + 1), .null]), (Self.count, []),
            ])
            #expect(answers.count == 4)
            #expect(try answers[0].int64(0, 0) == 2 * round)
            #expect(answers[1].affected == 1 && answers[2].affected == 1)
            #expect(try answers[3].int64(0, 0) == 2 * round + 2)
        }
        #expect(try connection.query("select count(*) from pg_prepared_statements", []).int64(0, 0) == 2)
        #expect(try connection.run([]).isEmpty)
    }

    @Test func whatOnePipelineDoesIsOneTransaction() throws {
        let connection = try connectionWithTable()
        let error = postgresError {
            try connection.run([
                (Self.insert, [.int64(1), .text("a")]), (Self.fail, [.int32(0)]), (Self.insert, [.int64(2), .null]),
            ])
        }
        #expect(error?.kind == .server(sqlState: "22012"))
        #expect(!connection.isLost)
        #expect(try connection.run([(Self.count, [])])[0].int64(0, 0) == 0)
        #expect(try connection.run([(Self.fail, [.int32(1)])])[0].int32(0, 0) == 1)
    }

    /// A statement whose preparing was skipped after an error is prepared when it is run again; so is one with an error.
    @Test func preparingBeginsAgainAfterAnError() throws {
        let connection = try connection(isFresh: true)
        #expect(
            postgresError { try connection.run([(Self.fail, [.int32(0)]), (Self.count, [])]) }?.kind
                == .server(sqlState: "22012"))
        #expect(postgresError { try connection.run([(Self.count, [])]) }?.kind == .server(sqlState: "42P01"))
        try connection.execute(script: "create table names (id bigint primary key, name text)")
        #expect(try connection.run([(Self.count, [])])[0].int64(0, 0) == 0)
    }

    @Test func anErrorRollsAnExplicitTransactionBack() throws {
        let connection = try connectionWithTable()
        let begin = Statement("begin", "begin")
        let commit = Statement("commit", "commit")
        #expect(
            postgresError {
                try connection.run([
                    (begin, []), (Self.insert, [.int64(1), .null]), (Self.insert, [.int64(1), .null]), (commit, []),
                ])
            }?.kind == .server(sqlState: "23505"))
        #expect(try connection.run([(Self.count, [])])[0].int64(0, 0) == 0)

        _ = try connection.run([(begin, []), (Self.insert, [.int64(1), .null])])
        #expect(postgresError { try connection.execute(script: "select 1/0") }?.kind == .server(sqlState: "22012"))
        #expect(try connection.run([(Self.count, [])])[0].int64(0, 0) == 0)

        _ = try connection.run([(begin, []), (Self.insert, [.int64(1), .null])])
        _ = try connection.run([(commit, [])])
        #expect(try connection.run([(Self.count, [])])[0].int64(0, 0) == 1)
    }

    /// What is checked at the commit fails after all statements have answered.
    @Test func anErrorAtTheCommitIsThrown() throws {
        let connection = try connection(isFresh: true)
        try connection.execute(
            script: "create table names (id bigint, name text, unique (id) deferrable initially deferred)")
        for _ in 0..<2 {
            let error = postgresError {
                try connection.run([
                    (Self.insert, [.int64(1), .null]), (Self.insert, [.int64(1), .null]), (Self.count, []),
                ])
            }
            #expect(error?.kind == .server(sqlState: "23505"))
            let alone = postgresError { try connection.query("insert into names values (2), (2)", []) }
            #expect(alone?.kind == .server(sqlState: "23505"))
            let script = postgresError { try connection.execute(script: "insert into names values (2), (2)") }
            #expect(script?.kind == .server(sqlState: "23505"))
            #expect(try connection.run([(Self.count, [])])[0].int64(0, 0) == 0)
        }
    }

    @Test func aSerializationFailureIsRetryable() throws {
        let first = try connectionWithTable()
        let database = try first.query("select current_database()::text", []).text(0, 0)
        let second = try Connection(ConnectionSettings(url: PostgresServer.shared().url(database: database)))
        for connection in [first, second] {
            try connection.execute(script: "begin isolation level serializable; select count(*) from names")
        }
        try first.execute(script: "insert into names values (1)")
        try second.execute(script: "insert into names values (2)")
        try first.execute(script: "commit")
        let error = postgresError { try second.run([(Statement("commit", "commit"), [])]) }
        #expect(error?.kind == .server(sqlState: "40001") && error?.isRetryable == true)
        #expect(try second.run([(Self.count, [])])[0].int64(0, 0) == 1)
    }

    @Test func aUniqueViolationTellsTheServersWords() throws {
        let connection = try connectionWithTable()
        _ = try connection.run([(Self.insert, [.int64(7), .text("a")])])
        let error = postgresError { try connection.run([(Self.insert, [.int64(7), .text("b")])]) }
        #expect(error?.kind == .server(sqlState: "23505"))
        #expect(error?.isRetryable == false)
        #expect(error?.message.contains("names_pkey") == true && error?.message.contains("Key (id)=(7)") == true)
    }

    @Test(arguments: ["KP001", "40001", "25006", "57P01"])
    func aStateThatTheDatabaseRaisesIsHandedOn(state: String) throws {
        let connection = try connection()
        let error = postgresError {
            try connection.query(
                "do $$begin raise exception 'gone' using errcode = '\(state)', hint = 'ask'; end$$", [])
        }
        #expect(error == PostgresError(.server(sqlState: state), "gone ask"))
        #expect(connection.isLost == error?.losesConnection)
        #expect(connection.isLost == ["25006", "57P01"].contains(state))
    }

    @Test func aLockThatIsNotToBeHadIsRetryable() throws {
        let first = try connectionWithTable()
        let server = try PostgresServer.shared()
        let database = try first.query("select current_database()::text", []).text(0, 0)
        let second = try Connection(ConnectionSettings(url: server.url(database: database)))
        try first.execute(script: "begin; lock table names")
        let refused = postgresError { try second.execute(script: "begin; lock table names nowait") }
        #expect(refused?.kind == .server(sqlState: "55P03"))
        #expect(refused?.isRetryable == true && !second.isLost)
        #expect(try second.query("select 1::bigint", []).int64(0, 0) == 1)
    }

    @Test func aConnectionThatTheServerEndsIsLost() throws {
        let first = try connection()
        let second = try connection()
        let process = try first.query("select pg_backend_pid()", []).int32(0, 0)
        #expect(try second.query("select pg_terminate_backend($1, 10000)", [.int32(process)]).bool(0, 0))
        let error = postgresError { try first.query("select 1", []) }
        #expect(error?.kind == .server(sqlState: "57P01"))
        #expect(error?.losesConnection == true && error?.isRetryable == true && first.isLost)
        #expect(postgresError { try first.query("select 1", []) }?.kind == .connection)
    }

    @Test func aPipelineThatTheServerEndsInItsMiddleTellsWhy() throws {
        let connection = try connection()
        let echo = Statement("echo", "select $1")
        let end = Statement("end", "select pg_terminate_backend(pg_backend_pid())")
        let padding = Array(repeating: (echo, [Parameter.bytes([UInt8](repeating: 1, count: 1000))]), count: 2000)
        let error = postgresError { try connection.run(padding + [(end, [])] + padding) }
        #expect(error?.kind == .server(sqlState: "57P01") || error?.kind == .connection)
        #expect(error?.losesConnection == true && connection.isLost)
    }

    /// A state that does not say so itself, of a server that then hangs up.
    @Test(.timeLimit(.minutes(5))) func aFatalErrorLosesTheConnectionWhateverItsState() throws {
        let connection = try connection()
        let other = try PostgresTests.connection()
        let process = try connection.query("select pg_backend_pid()", []).int32(0, 0)
        try connection.execute(script: "set idle_session_timeout = '1ms'")
        let isThere = "select exists (select from pg_stat_activity where pid = $1)"
        while try other.query(isThere, [.int32(process)]).bool(0, 0) {}
        let error = postgresError { try connection.query("select 1", []) }
        #expect(error?.kind == .connection && error?.message.contains("idle-session timeout") == true)
        #expect(connection.isLost)
    }

    @Test func aHangUpWhileWaitingLosesTheConnection() throws {
        let connection = try connection()
        try connection.execute(script: "set idle_in_transaction_session_timeout = '1ms'; begin")
        let waiting = postgresError { try connection.waitForNotification(for: .seconds(20)) }
        #expect(waiting?.kind == .connection)
        #expect(connection.isLost)
    }

    @Test func aScriptIsOneTransactionAndStopsAtItsFirstError() throws {
        let connection = try connectionWithTable()
        let error = postgresError {
            try connection.execute(script: "insert into names values (1); select 1/0; insert into names values (2)")
        }
        #expect(error?.kind == .server(sqlState: "22012"))
        #expect(try connection.run([(Self.count, [])])[0].int64(0, 0) == 0)
        try connection.execute(script: "insert into names values (1); select * from names; ;")
        try connection.execute(script: "")
        #expect(try connection.run([(Self.count, [])])[0].int64(0, 0) == 1)
        #expect(try connection.query("", []).count == 0)
    }

    @Test(arguments: ["copy (select 1) to stdout", "create temporary table t (a int); copy t from stdin"])
    func copyIsRefused(script: String) throws {
        let connection = try connection()
        #expect(postgresError { try connection.execute(script: script) }?.kind == .connection)
        #expect(connection.isLost)
    }

    @Test func copyInAPipelineIsRefused() throws {
        let connection = try connection()
        let error = postgresError { try connection.query("copy (select 1) to stdout", []) }
        #expect(error?.kind == .connection && connection.isLost)
    }

    @Test func aStatementKeepsItsTypesAndItsText() throws {
        let connection = try connection()
        let echo = Statement("echo", "select $1")
        #expect(try connection.run([(echo, [.int64(1)])])[0].int64(0, 0) == 1)
        #expect(try connection.run([(echo, [.null])])[0].isNull(0, 0))
        #expect(postgresError { try connection.run([(echo, [.int32(1)])]) }?.kind == .value)
        #expect(postgresError { try connection.run([(echo, [])]) }?.kind == .value)
        #expect(postgresError { try connection.run([(Statement("echo", "select 2"), [])]) }?.kind == .value)
        let other = Statement("other", "select $1")
        #expect(
            postgresError { try connection.run([(other, [.int64(1)]), (other, [.text("")])]) }?.kind == .value)
        #expect(try connection.run([(echo, [.int64(2)]), (other, [.text("a")])])[1].text(0, 0) == "a")
    }

    @Test func wrongNumbersOfParametersAreTheServersToRefuse() throws {
        let connection = try connection()
        let error = postgresError { try connection.query("select $1::bigint + $2::bigint", [.int64(1)]) }
        #expect(error?.kind == .server(sqlState: "08P01") || error?.kind == .server(sqlState: "42P02"))
    }
}
