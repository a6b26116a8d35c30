import HummingbirdTesting
import NIOCore
import NIOPosix
import Testing

@Suite("Stopping the REST server", .timeLimit(.minutes(10)))
struct GracefulStopTests {
    @Test("it stops in order while clients come", arguments: 0..<10)
    func whileClientsCome(round: Int) async throws {
        try await TestService().run(.live) { client in
            let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            let port = try #require(client.port)
            let connecting = (0..<16).map { _ in bootstrap.connect(host: "localhost", port: port) }
            // Some connections are accepted and not yet looked after when the server stops.
            _ = try await connecting[8].get()
        }
    }
}
