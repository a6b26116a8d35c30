import Foundation
import KaspadReplay
import NIOCore
import NIOPosix
import NIOSSL
import TestCertificates
import Testing

/// The executable's REST port over TLS.
@Suite("SIGHUP")
struct HangupTests {
    /// Whether a client that trusts one certificate file, as it is now, is answered.
    private func isAnswered(trusting path: String, port: Int) async throws -> Bool {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(60))
            .connect(host: "localhost", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        do {
            return try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(
                    ByteBuffer(string: "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"))
                for try await answer in inbound { return String(buffer: answer).hasPrefix("HTTP/1.1 200 OK") }
                return false
            }
        } catch is NIOSSLError {
            return false
        } catch is BoringSSLError {
            return false
        } catch is ChannelError {
            // The handshake failed before the request was written.
            return false
        }
    }

    @Test("makes the executable read its certificate again, and never ends it", .timeLimit(.minutes(10)))
    func reload() async throws {
        let files = try TestCertificate("first")
        try await World.with(Fixture.recording()) { world in
            let environment = world.environment.merging([
                "HTTP_TLS_CERT_PATH": files.certificatePath, "HTTP_TLS_KEY_PATH": files.keyPath,
            ]) { $1 }
            let indexer = try await IndexerProcess(environment: environment)
            #expect(try await isAnswered(trusting: files.certificatePath, port: indexer.rest.port))
            try files.write("second")
            #expect(try await isAnswered(trusting: files.certificatePath, port: indexer.rest.port) == false)
            try await eventually("the new certificate is served") {
                indexer.send(SIGHUP)
                return try await isAnswered(trusting: files.certificatePath, port: indexer.rest.port)
            }
            #expect(await indexer.end(SIGTERM) == 0)
            // Without TLS there is nothing to read, and nothing happens.
            let plain = try await IndexerProcess(environment: world.environment)
            plain.send(SIGHUP)
            #expect(try await plain.rest.send("GET", "/health").status == 200)
            #expect(await plain.end(SIGTERM) == 0)
        }
    }
}
