import Dispatch
import PostgresServer
import Testing

@testable import Postgres

/// Servers that are paused or killed; each test has its own.
@Suite struct DeadlineTests {
    static let deadline = Duration.milliseconds(200)
    /// What a loaded machine may add.
    static let slack = Duration.seconds(5)
    private static let twoHeadStarts = DispatchTimeInterval.milliseconds(500)

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

    @Test func aPausedFirstHostCostsItsHeadStart() throws {
        let paused = try PostgresServer(isOnTCP: true)
        paused.pause()
        let place = try place(of: PostgresServer.shared())
        let places = try "127.0.0.1:\(#require(paused.port)),\(place)"
        let begin = ContinuousClock.now
        // Far beyond what the machine may add: nobody waits for it.
        let deadline = ConnectionAttempt.headStart + Self.slack * 4
        let connection = try Connection(
            ConnectionSettings(url: "postgresql://postgres@\(places)/postgres", deadline: deadline))
        let elapsed = ContinuousClock.now - begin
        #expect(elapsed >= ConnectionAttempt.headStart && elapsed < ConnectionAttempt.headStart + Self.slack)
        #expect(try connection.query("select 1", []).count == 1)
    }

    @Test func aHostThatAnswersLateIsStillTaken() throws {
        let (late, paused) = (try PostgresServer(isOnTCP: true), try PostgresServer(isOnTCP: true))
        let places = try "127.0.0.1:\(#require(late.port)),127.0.0.1:\(#require(paused.port))"
        late.pause()
        paused.pause()
        // By then the second one is asked, too, which never answers. On a thread of its own: the test's waits.
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.twoHeadStarts) { late.resume() }
        let connection = try Connection(
            ConnectionSettings(url: "postgresql://postgres@\(places)/postgres", deadline: .seconds(60)))
        #expect(try connection.query("select 1", []).count == 1)
    }

    @Test func aHostThatRefusedIsAskedAgainWhileAnotherIsSilent() throws {
        let (paused, other) = (try PostgresServer(isOnTCP: true), try PostgresServer(isOnTCP: true))
        let places = try "127.0.0.1:\(#require(paused.port)),127.0.0.1:\(#require(other.port))"
        paused.pause()
        other.kill()
        // By then it has refused.
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.twoHeadStarts) { try? other.start() }
        let connection = try Connection(
            ConnectionSettings(url: "postgresql://postgres@\(places)/postgres", deadline: .seconds(60)))
        #expect(try connection.query("select 1", []).count == 1)
    }

    @Test func whereAllHostsArePausedTheErrorNamesEach() throws {
        let servers = [try PostgresServer(isOnTCP: true), try PostgresServer(isOnTCP: true)]
        let places = try servers.map { try "127.0.0.1:\(#require($0.port))" }
        servers.forEach { $0.pause() }
        let error = postgresError {
            try Connection(
                ConnectionSettings(
                    url: "postgresql://postgres@\(places.joined(separator: ","))/postgres", deadline: Self.deadline))
        }
        #expect(error?.kind == .deadline)
        for place in places { #expect(error?.message.contains("\(place): no connection within") == true) }
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
