import Postgres
import PostgresServer
import Testing

/// Servers that are paused or killed; each test has its own.
@Suite struct DeadlineTests {
    static let deadline = Duration.milliseconds(200)
    /// What a loaded machine may add.
    static let slack = Duration.seconds(5)

    @Test func aPausedServerHitsTheDeadline() throws {
        let server = try PostgresServer()
        let url = server.url(database: "postgres")
        let connection = try Connection(ConnectionSettings(url: url))
        let other = try Connection(ConnectionSettings(url: url))
        connection.deadline = Self.deadline
        server.pause()
        defer { server.resume() }
        let begin = ContinuousClock.now
        let error = postgresError { try connection.query("select 1", []) }
        let elapsed = ContinuousClock.now - begin
        #expect(error?.kind == .deadline && connection.isLost)
        #expect(elapsed >= Self.deadline && elapsed < Self.deadline + Self.slack)
        #expect(postgresError { try connection.query("select 1", []) }?.kind == .connection)

        // As much as fills the socket's buffers is sent, and then nothing moves.
        other.deadline = Self.deadline
        let large = postgresError { try other.query("select $1", [.bytes([UInt8](repeating: 0, count: 8 << 20))]) }
        #expect(large?.kind == .deadline && other.isLost)

        let refused = postgresError { try Connection(ConnectionSettings(url: url, deadline: Self.deadline)) }
        #expect(refused?.kind == .deadline)
        server.resume()
        #expect(try Connection(ConnectionSettings(url: url)).query("select 1", []).count == 1)
    }

    @Test func aPausedFirstHostCostsOneDeadline() throws {
        let paused = try PostgresServer(isOnTCP: true)
        paused.pause()
        let place = try place(of: PostgresServer.shared())
        let places = try "127.0.0.1:\(#require(paused.port)),\(place)"
        let begin = ContinuousClock.now
        let connection = try Connection(
            ConnectionSettings(url: "postgresql://postgres@\(places)/postgres", deadline: .milliseconds(500)))
        let elapsed = ContinuousClock.now - begin
        #expect(elapsed >= .milliseconds(500) && elapsed < .milliseconds(500) + Self.slack)
        #expect(try connection.query("select 1", []).count == 1)
    }

    @Test func aStatementMayTakeLongerThanTheDeadlineWhileItsAnswerMoves() throws {
        let connection = try connection(deadline: .milliseconds(400))
        // Rows of 1 KB every 2 ms: the server sends each 8 KB.
        let rows = try connection.query(
            "select repeat('x', 1000), pg_sleep(0.002) from generate_series(1, 300)", [])
        #expect(rows.count == 300)
        let silent = postgresError { try connection.query("select pg_sleep(30)", []) }
        #expect(silent?.kind == .deadline)
    }

    @Test func aKilledServerLosesTheConnection() throws {
        let server = try PostgresServer()
        let url = server.url(database: "postgres")
        let idle = try Connection(ConnectionSettings(url: url))
        try idle.execute(script: "create table kept (number bigint); insert into kept values (1)")
        let waiting = try Connection(ConnectionSettings(url: url))
        try waiting.execute(script: "listen wake")
        server.kill()
        #expect(postgresError { try idle.query("select 1", []) }?.kind == .connection)
        #expect(postgresError { try waiting.waitForNotification(for: .seconds(20)) }?.kind == .connection)
        #expect(idle.isLost && waiting.isLost)
        #expect(postgresError { try Connection(ConnectionSettings(url: url)) }?.kind == .connection)
        try server.start()
        let again = try Connection(ConnectionSettings(url: url))
        #expect(try again.query("select count(*) from kept", []).int64(0, 0) == 1)
    }

    @Test func aServerThatStopsSaysSo() throws {
        let server = try PostgresServer()
        let connection = try Connection(ConnectionSettings(url: server.url(database: "postgres")))
        try server.stop()
        let error = postgresError { try connection.query("select 1", []) }
        #expect(error?.losesConnection == true && error?.isRetryable == true && connection.isLost)
        try server.start()
    }
}
