import Foundation
import Postgres
import PostgresServer
import Testing

@Suite struct ConnectionTests {
    @Test func aConnectionTellsWhatItIsConnectedTo() throws {
        let server = try PostgresServer.shared()
        let connection = try Connection(
            ConnectionSettings(url: server.url(database: "postgres"), applicationName: "the tests"))
        #expect(connection.serverVersion / 10_000 == PostgresServer.version)
        #expect(connection.parameterStatus("client_encoding") == "UTF8")
        #expect(connection.parameterStatus("application_name") == "the tests")
        #expect(connection.parameterStatus("no_such") == nil)
        #expect(connection.target.contains("database postgres, user postgres"))
        connection.close()
        connection.close()
        #expect(connection.isLost && connection.parameterStatus("client_encoding") == nil)
        #expect(postgresError { try connection.run([]) }?.kind == .connection)
        #expect(postgresError { try connection.notifications() }?.kind == .connection)
    }

    @Test func theSessionBeginsWithItsSettings() throws {
        let connection = try connection(session: [
            ("synchronous_commit", "off"), ("search_path", #""a b\c", d"#),
            ("test.value", " two\twords\\ "), ("test.empty", ""),
        ])
        func setting(_ name: String) throws -> String {
            try connection.query("select current_setting($1)", [.text(name)]).text(0, 0)
        }
        #expect(try setting("synchronous_commit") == "off")
        #expect(try setting("search_path") == #""a b\c", d"#)
        #expect(try setting("test.value") == " two\twords\\ ")
        #expect(try setting("test.empty") == "")
    }

    @Test func settingsAreAddedToTheURLsOwn() throws {
        let url = try PostgresServer.shared().url(database: "postgres") + "?options=-c%20work_mem%3D5MB"
        let connection = try Connection(ConnectionSettings(url: url, session: [("temp_buffers", "1MB")]))
        #expect(try connection.query("select current_setting('work_mem')", []).text(0, 0) == "5MB")
        #expect(try connection.query("select current_setting('temp_buffers')", []).text(0, 0) == "1MB")
    }

    @Test func aDatabaseThatIsNotThereIsTheServersRefusal() throws {
        let url = try PostgresServer.shared().url(database: "not there")
        let error = postgresError { try Connection(ConnectionSettings(url: url)) }
        #expect(error?.kind == .server(sqlState: "3D000"))
        #expect(error?.message.contains("\"not there\" does not exist") == true)
        #expect(error?.message.contains(".c:") == false && error?.isRetryable == false)
    }

    @Test func aRefusedConnectionNamesEachHost() {
        let url = "postgresql://u:secret@127.0.0.1:1,/db?host=%2Ftmp%2Fnothing-there&port=1"
        #expect(postgresError { try Connection(ConnectionSettings(url: url)) }?.kind == .connection)
        let error = postgresError {
            try Connection(ConnectionSettings(url: "postgresql://u:secret@127.0.0.1:1,%2Fno%2Fdir:2/db"))
        }
        #expect(error?.kind == .connection && error?.isRetryable == true)
        #expect(error?.message.contains("127.0.0.1:1: ") == true && error?.message.contains("/no/dir:2: ") == true)
        #expect(error?.message.contains("secret") == false)
    }

    @Test func aDeadFirstHostIsPassedOver() throws {
        let place = try place(of: PostgresServer.shared())
        let url = "postgresql://postgres@127.0.0.1:1,\(place)/postgres"
        #expect(try Connection(ConnectionSettings(url: url)).query("select 1", []).int32(0, 0) == 1)
    }

    @Test func aServerThatTakesNoWritesIsPassedOverUnlessTheURLSaysOtherwise() throws {
        let readOnly = try PostgresServer(settings: ["default_transaction_read_only": "on"])
        let writable = try PostgresServer.shared()
        let places = "\(place(of: readOnly)),\(place(of: writable))"
        func isReadOnly(_ url: String) throws -> String {
            try Connection(ConnectionSettings(url: url)).query("show transaction_read_only", []).text(0, 0)
        }
        #expect(try isReadOnly("postgresql://postgres@\(places)/postgres") == "off")
        #expect(try isReadOnly("postgresql://postgres@\(places)/postgres?target_session_attrs=any") == "on")
        let alone = postgresError { try isReadOnly(readOnly.url(database: "postgres")) }
        #expect(alone?.kind == .connection && alone?.message.contains("read-only") == true)
    }

    @Test func thePasswordIsTheFirstLineOfItsFile() throws {
        let password = "pa ss'\\wörd"
        let server = try PostgresServer(password: password)
        let url = server.url(database: "postgres")
        let file = FileManager.default.temporaryDirectory.appending(path: "password-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        func connect(_ contents: String) throws -> Connection {
            try Data(contents.utf8).write(to: URL(filePath: file))
            return try Connection(ConnectionSettings(url: url, passwordFile: file))
        }
        for contents in [password, password + "\n", password + "\r\n", password + "\nmore\n"] {
            #expect(try connect(contents).query("select 1", []).count == 1)
        }
        let wrong = postgresError { try connect("not it") }
        #expect(wrong?.kind == .server(sqlState: "28P01"))
        #expect(wrong?.message.contains("not it") == false)
        let none = postgresError {
            try Connection(ConnectionSettings(url: url, passwordFile: "/no/such/file"))
        }
        #expect(none?.message == "The password file /no/such/file cannot be read.")
    }

    @Test(arguments: [
        "postgresql://user:se/cret@host/db", "postgresql://user:secret@host:port/db", "password=secret sec",
        "postgresql://user:secret@host/db?secret=1", "secret", "postgresql://[secret", "host=a,b port=1,2,3",
        "postgresql://user:%secret@host/db", "host=a port=99999", "password='secret",
    ])
    func aURLThatCannotBeReadIsNotQuoted(url: String) {
        let error = postgresError { try Connection(ConnectionSettings(url: url)) }
        #expect(error?.kind == .connection)
        #expect(error?.message.contains("cret") == false && error?.message.contains("connection URL") == true)
        #expect(ConnectionSettings(url: url).target == "an unreadable connection URL")
    }

    @Test(arguments: [
        ("postgresql://me:secret@one:1,two:2/data", "one:1,two:2, database data, user me"),
        ("host=one,two port=5 user=me password=secret", "one:5,two:5, user me"),
        ("postgresql://me@%2Frun%2Fpostgresql:5/data", "/run/postgresql:5, database data, user me"),
        ("hostaddr=10.0.0.1 port=6 dbname=data", "10.0.0.1:6, database data"),
    ])
    func theTargetHasNoPassword(url: String, target: String) {
        #expect(ConnectionSettings(url: url).target == target)
    }
}

/// The host and port of a server as a URL has them.
func place(of server: PostgresServer) -> String {
    String(server.url(database: "x").dropFirst("postgresql://postgres@".count).dropLast("/x".count))
}
