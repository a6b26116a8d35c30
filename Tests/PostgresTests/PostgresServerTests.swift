import Foundation
import Postgres
import PostgresServer
import Testing

@Suite struct PostgresServerTests {
    @Test func aDatabaseIsCopiedFromItsTemplateAndDropped() throws {
        let server = try PostgresServer.shared()
        let template = try server.makeDatabase()
        try server.run("create table mark (number bigint); insert into mark values (5)", database: template)
        let first = try server.makeDatabase(template: template)
        let second = try server.makeDatabase(template: template)
        #expect(Set([template, first, second]).count == 3)
        let connection = try Connection(ConnectionSettings(url: server.url(database: first)))
        #expect(try connection.query("select number from mark", []).int64(0, 0) == 5)
        server.dropDatabase(first)
        #expect(postgresError { try connection.query("select 1", []) }?.losesConnection == true)
        #expect(
            postgresError { try Connection(ConnectionSettings(url: server.url(database: first))) }?.kind
                == .server(sqlState: "3D000"))
        server.dropDatabase(first)
    }

    @Test func aServerLeavesNothingBehind() throws {
        var server: PostgresServer? = try PostgresServer()
        let url = try #require(server?.url(database: "postgres"))
        let connection = try Connection(ConnectionSettings(url: url))
        let folder = try connection.query("show data_directory", []).text(0, 0)
        #expect(FileManager.default.fileExists(atPath: folder))
        server?.pause()
        server = nil
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(postgresError { try connection.query("select 1", []) }?.losesConnection == true)
    }

    @Test func theSharedServerIsOne() throws {
        #expect(try PostgresServer.shared() === PostgresServer.shared())
        #expect(PostgresServer.isAvailable)
        #expect(postgresError { try PostgresServer.shared().run("select 1/0") } == nil)
        #expect(throws: (any Error).self) { try PostgresServer.shared().run("select 1/0") }
    }
}
