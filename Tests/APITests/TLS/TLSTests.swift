import Foundation
import HummingbirdTesting
import NIOCore
import NIOPosix
import NIOSSL
import TestCertificates
import Testing

@testable import API

@Suite("TLS on the REST port")
struct TLSTests {
    /// A client that trusts one certificate file as it is now.
    private func connect(trusting path: String, port: Int) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
        let context = try NIOSSLContext(configuration: configuration)
        return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connectTimeout(.seconds(60))
            .connect(host: "localhost", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                }
            }
    }

    /// Answered in one piece: HEAD has no body.
    private static let request = ByteBuffer(string: "HEAD /health HTTP/1.1\r\nhost: localhost\r\n\r\n")

    @Test("new connections get the new certificate, open ones go on", .timeLimit(.minutes(10)))
    func reload() async throws {
        let files = try TestCertificate("first")
        let identity = try TLSIdentity(certificatePath: files.certificatePath, keyPath: files.keyPath)
        try await TestService(tls: identity).run(.live) { client in
            let port = try #require(client.port)
            let first = try await connect(trusting: files.certificatePath, port: port)
            try await first.executeThenClose { inbound, outbound in
                var answers = inbound.makeAsyncIterator()
                try await outbound.write(TLSTests.request)
                let before = try await answers.next().map { String(buffer: $0) }
                #expect(before?.hasPrefix("HTTP/1.1 200 OK") == true)
                try files.write("second")
                try identity.reload()
                // Trusts the second alone.
                let second = try await connect(trusting: files.certificatePath, port: port)
                try await second.executeThenClose { inbound, outbound in
                    var answers = inbound.makeAsyncIterator()
                    try await outbound.write(TLSTests.request)
                    let answer = try await answers.next().map { String(buffer: $0) }
                    #expect(answer?.hasPrefix("HTTP/1.1 200 OK") == true)
                }
                try await outbound.write(TLSTests.request)
                let after = try await answers.next().map { String(buffer: $0) }
                #expect(after?.hasPrefix("HTTP/1.1 200 OK") == true, "still the first connection")
            }
        }
    }

    @Test("files that cannot be used are refused by name, and what was read before stays", .timeLimit(.minutes(10)))
    func unusable() async throws {
        let files = try TestCertificate("first")
        let other = try TestCertificate("other")
        let identity = try TLSIdentity(certificatePath: files.certificatePath, keyPath: files.keyPath)
        func failure(_ certificate: String, _ key: String) -> String {
            do {
                _ = try TLSIdentity(certificatePath: certificate, keyPath: key)
                return "none"
            } catch {
                return "\(error)"
            }
        }
        #expect(failure("/nowhere", files.keyPath) == "http.tls_cert_path /nowhere holds no certificates in PEM form")
        #expect(failure(files.keyPath, files.keyPath).hasPrefix("http.tls_cert_path \(files.keyPath) holds no"))
        #expect(
            failure(files.certificatePath, "/nowhere") == "http.tls_key_path /nowhere holds no private key in PEM form")
        #expect(failure(files.certificatePath, other.keyPath).contains("is not that of the certificate"))
        let trusted = try String(contentsOfFile: files.certificatePath, encoding: .utf8)
        try "nothing".write(toFile: files.certificatePath, atomically: true, encoding: .utf8)
        #expect(throws: TLSIdentity.Failure.self) { try identity.reload() }
        try trusted.write(toFile: files.certificatePath, atomically: true, encoding: .utf8)
        try await TestService(tls: identity).run(.live) { client in
            let channel = try await connect(trusting: files.certificatePath, port: try #require(client.port))
            try await channel.executeThenClose { inbound, outbound in
                var answers = inbound.makeAsyncIterator()
                try await outbound.write(TLSTests.request)
                let answer = try await answers.next().map { String(buffer: $0) }
                #expect(answer?.hasPrefix("HTTP/1.1 200 OK") == true)
            }
        }
    }
}
