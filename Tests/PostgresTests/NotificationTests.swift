import Postgres
import PostgresServer
import Testing

@Suite struct NotificationTests {
    /// Two connections to one database; the first listens.
    private func pair() throws -> (listener: Connection, other: Connection) {
        let server = try PostgresServer.shared()
        let url = server.url(database: try server.makeDatabase())
        let listener = try Connection(ConnectionSettings(url: url))
        try listener.execute(script: "listen wake")
        return (listener, try Connection(ConnectionSettings(url: url)))
    }

    @Test func aNotificationEndsTheWaitAndIsGivenOnce() throws {
        let (listener, other) = try pair()
        #expect(try listener.notifications().isEmpty)
        try other.execute(script: "notify wake, 'one'; notify wake, 'two'")
        #expect(try listener.waitForNotification(for: .seconds(20)))
        #expect(try listener.waitForNotification(for: .zero), "it waits to be asked for")
        let notifications = try listener.notifications()
        #expect(notifications.map(\.channel) == ["wake", "wake"])
        #expect(notifications.map(\.payload) == ["one", "two"])
        #expect(try listener.notifications().isEmpty)
    }

    @Test func aWaitWithoutANotificationEndsInTime() throws {
        let (listener, _) = try pair()
        let begin = ContinuousClock.now
        #expect(try !listener.waitForNotification(for: .milliseconds(30)))
        #expect(ContinuousClock.now - begin >= .milliseconds(30))
        #expect(try !listener.waitForNotification(for: .zero))
        #expect(!listener.isLost)
    }

    @Test func aNotificationAmongAnswersIsKept() throws {
        let (listener, other) = try pair()
        try other.execute(script: "notify wake, 'early'")
        _ = try listener.run([(Statement("one", "select 1"), [])])
        #expect(try listener.waitForNotification(for: .seconds(20)))
        #expect(try listener.notifications().map(\.payload) == ["early"])
    }

    @Test func theEndOfTheServersSideEndsTheWait() throws {
        let (listener, other) = try pair()
        let process = try listener.query("select pg_backend_pid()", []).int32(0, 0)
        _ = try other.query("select pg_terminate_backend($1)", [.int32(process)])
        #expect(postgresError { try listener.waitForNotification(for: .seconds(20)) }?.kind == .connection)
        #expect(listener.isLost)
    }
}
