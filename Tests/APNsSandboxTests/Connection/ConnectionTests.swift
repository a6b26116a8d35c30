import APNsSandbox
import Logging
import NIOCore
import NIOSSL
import Testing

@Suite("Connections", .timeLimit(.minutes(5)))
struct ConnectionTests {
    @Test("carry thousands of requests on many streams, each answered and filed once")
    func load() async throws {
        try await withSandbox { fixture in
            let connections = [try await fixture.connect(), try await fixture.connect()]
            let body = Array(#"{"aps":{},"x":"\#(String(repeating: "x", count: 3000))"}"#.utf8)
            let pending = (0..<4000).map { connections[$0 % 2].start(fixture.push(body: body)) }
            for response in pending { #expect(try await response.get().status == 200) }
            let entries = fixture.sandbox.notifications
            #expect(Set(entries.map { $0.connection * 100_000 + $0.stream }).count == 4000)
            #expect(entries.map(\.number) == Array(1...4000))
        }
    }

    @Test("need TLS 1.2 and trust in the sandbox's authority")
    func needTLS() async throws {
        try await withSandbox { fixture in
            let port = fixture.sandbox.boundPort
            let authority = fixture.sandbox.certificateAuthorityPEM
            await #expect(throws: (any Error).self) {
                _ = try await TestConnection.open(port: port, trusting: authority, maximumTLS: .tlsv11)
            }
            let other = try APNsSandbox(
                configuration: SandboxConfiguration(credentials: .generate()), logger: Logger(label: "test"))
            await #expect(throws: (any Error).self) {
                _ = try await TestConnection.open(port: port, trusting: other.certificateAuthorityPEM)
            }
            _ = try await TestConnection.open(port: port, trusting: authority, maximumTLS: .tlsv12)
        }
    }

    @Test("that offer HTTP/1.1 only are closed", arguments: [["http/1.1"], []])
    func needHTTP2(protocols: [String]) async throws {
        try await withSandbox { fixture in
            await #expect(throws: (any Error).self) {
                _ = try await TestConnection.open(
                    port: fixture.sandbox.boundPort, trusting: fixture.sandbox.certificateAuthorityPEM,
                    protocols: protocols)
            }
        }
    }

    @Test("are turned away for a while, and let in again", arguments: [SandboxRefusal.Manner.close, .alert])
    func refuse(manner: SandboxRefusal.Manner) async throws {
        try await withSandbox { fixture in
            let open = try await fixture.connect()
            fixture.sandbox.refuseConnections(SandboxRefusal(for: .seconds(3600), by: manner))
            await #expect(throws: (any Error).self) { _ = try await fixture.connect() }
            #expect(try await open.send(fixture.push()).status == 200)
            fixture.sandbox.refuseConnections(SandboxRefusal(for: .zero))
            #expect(try await fixture.connect().send(fixture.push()).status == 200)
        }
    }

    @Test("may be met with silence, which ends with the sandbox")
    func silence() async throws {
        try await withSandbox { fixture in
            fixture.sandbox.refuseConnections(SandboxRefusal(for: .seconds(3600), by: .silence))
            let connection = Task { try await fixture.connect() }
            await fixture.sandbox.stop()
            await #expect(throws: (any Error).self) { _ = try await connection.value }
        }
    }

    @Test("are cut on command, and requests in flight with them")
    func cut() async throws {
        try await withSandbox { fixture in
            fixture.sandbox.addRule(SandboxRule(.silence))
            let connection = try await fixture.connect()
            let pending = connection.start(fixture.push())
            try await fixture.sandbox.waitForRequests(count: 1)
            fixture.sandbox.closeConnections()
            #expect(try await pending.get().ending == .closed)
            #expect(try await !fixture.connect().streamLimits(count: 1).isEmpty)
        }
    }

    @Test("are told when the sandbox stops, and what is open is answered")
    func stop() async throws {
        try await withSandbox { fixture in
            fixture.sandbox.addRule(SandboxRule(.accept, delay: .milliseconds(50), delivered: true))
            let connection = try await fixture.connect()
            let pending = connection.start(fixture.push())
            try await fixture.sandbox.waitForNotifications(count: 1)
            await fixture.sandbox.stop()
            #expect(try await pending.get().status == 200)
            #expect(try await connection.goAway().debug == #"{"reason":"Shutdown"}"#)
            #expect(fixture.sandbox.boundPort == 0)
            await #expect(throws: SandboxError.self) { try await fixture.sandbox.start() }
        }
    }

    @Test("on a port that is taken are refused with a clear error")
    func portTaken() async throws {
        try await withSandbox { fixture in
            var configuration = SandboxConfiguration(credentials: .generate())
            configuration.port = fixture.sandbox.boundPort
            let second = try APNsSandbox(configuration: configuration, logger: Logger(label: "test"))
            await #expect {
                try await second.start()
            } throws: { error in
                (error as? SandboxError)?.code == .cannotListen
                    && "\(error)".contains("127.0.0.1:\(configuration.port)")
            }
        }
    }

    @Test("are served by run() until it is cancelled")
    func run() async throws {
        let sandbox = try APNsSandbox(
            configuration: SandboxConfiguration(credentials: .generate()), logger: Logger(label: "test"))
        try await sandbox.start()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sandbox.run() }
            let connection = try await TestConnection.open(
                port: sandbox.boundPort, trusting: sandbox.certificateAuthorityPEM)
            group.cancelAll()
            try await connection.closed()
            try await group.waitForAll()
        }
        #expect(sandbox.boundPort == 0)
    }
}
