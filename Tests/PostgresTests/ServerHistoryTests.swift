import PostgresServer
import Testing

@testable import Postgres

@Suite("What the connections of a process learn of servers", .timeLimit(.minutes(5)))
struct ServerHistoryTests {
    private let history = ServerHistory()

    private func settings(_ servers: PostgresServer...) -> ConnectionSettings {
        let hosts = servers.map { $0.url(database: "postgres").dropFirst("postgresql://postgres@".count) }
            .map { $0.prefix { $0 != "/" } }
        var settings = ConnectionSettings(url: "postgresql://postgres@\(hosts.joined(separator: ","))/postgres")
        settings.history = history
        return settings
    }

    private func identifier(_ connection: Connection) throws -> String {
        try connection.query("select system_identifier::text from pg_control_system()", []).text(0, 0)
    }

    @Test("A server whose successor has been seen is passed over, and says so when there is no other")
    func replaced() throws {
        let server = try PostgresServer.shared()
        #expect(try Connection(settings(server)).timeline == 1)
        #expect(history.timeline == 1)
        #expect(history.admit(2, host: 0))
        let error = #expect(throws: PostgresError.self) { _ = try Connection(settings(server)) }
        let words = error?.message ?? ""
        #expect(words.hasSuffix(" is a server that another has replaced (timeline 1, and there was 2)"), "\(words)")
        #expect(error?.losesConnection == true)
    }

    @Test("An attempt begins with the host that was taken last, or with the next one if that was not well")
    func order() throws {
        let servers = (try PostgresServer.shared(), try PostgresServer())
        let settings = settings(servers.0, servers.1)
        let first = try identifier(try Connection(settings))
        #expect(try identifier(try Connection(settings)) == first)
        history.passOver()
        let second = try identifier(try Connection(settings))
        #expect(second != first)
        #expect(try identifier(try Connection(settings)) == second)
        history.passOver()
        #expect(try identifier(try Connection(settings)) == first)
    }

    @Test("Without a history nothing is asked")
    func without() throws {
        var settings = settings(try PostgresServer.shared())
        settings.history = nil
        #expect(try Connection(settings).timeline == 0)
        #expect(history.timeline == 0)
    }
}
