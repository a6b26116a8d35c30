import Foundation
import Postgres
import PostgresServer
import Testing

/// Over TCP with a certificate that the client checks.
@Suite struct TLSTests {
    @Test(.timeLimit(.minutes(5))) func theServersCertificateIsVerified() throws {
        let own = try SelfSignedCertificate()
        let server = try PostgresServer(
            settings: ["ssl": "on", "ssl_cert_file": "server.crt", "ssl_key_file": "server.key"], isOnTCP: true,
            files: ["server.crt": own.certificate, "server.key": own.key])
        let port = try #require(server.port)
        func connect(_ root: SelfSignedCertificate, host: String = "localhost") throws -> Connection {
            let file = FileManager.default.temporaryDirectory.appending(path: "root-\(UUID()).pem")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(root.certificate.utf8).write(to: file)
            let place = "host=\(host) hostaddr=127.0.0.1 port=\(port) dbname=postgres user=postgres"
            return try Connection(
                ConnectionSettings(url: "\(place) sslmode=verify-full sslrootcert=\(file.path)"))
        }
        let connection = try connect(own)
        let isEncrypted = try connection.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()", [])
        #expect(try isEncrypted.bool(0, 0))

        let foreign = postgresError { try connect(SelfSignedCertificate()) }
        #expect(foreign?.kind == .connection)
        #expect(foreign?.message.contains("certificate verify failed") == true)
        let misnamed = postgresError { try connect(own, host: "elsewhere") }
        #expect(misnamed?.kind == .connection && misnamed?.message.contains("elsewhere") == true)

        // TLS keeps what of a record was not read where poll(2) does not see it: every size must come through.
        let bytes = Statement("bytes", "select repeat('x', $1)")
        for size in stride(from: 0, through: 70_000, by: 509) as StrideThrough<Int> {
            let answers = try connection.run([(bytes, [.int32(Int32(size))]), (bytes, [.int32(Int32(70_000 - size))])])
            #expect(answers.map { $0.withBytes(0, 0) { $0.count } } == [size, 70_000 - size])
        }
        let echo = Statement("echo", "select unnest($1)")
        let bodies = Parameter.bytesArray(Array(repeating: [UInt8](repeating: 5, count: 1000), count: 1000))
        let answers = try connection.run(Array(repeating: (echo, [bodies]), count: 20))
        #expect(answers.allSatisfy { $0.count == 1000 })
    }
}
