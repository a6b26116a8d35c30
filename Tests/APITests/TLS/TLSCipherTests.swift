import Foundation
import HummingbirdTesting
import NIOCore
import NIOPosix
import NIOSSL
import TestCertificates
import Testing

@testable import API

/// What a client must be able to do to be served, tried by real handshakes.
@Suite("Ciphers on the REST port", .timeLimit(.minutes(10)))
struct TLSCipherTests {
    struct Offer: Sendable, CustomTestStringConvertible {
        let name: String
        let ciphers: [NIOTLSCipher]
        var newest = TLSVersion.tlsv12
        let isTaken: Bool

        var testDescription: String { name }
    }

    /// Whether a client with such a configuration completes a handshake and a request.
    private func isServed(_ offer: Offer, _ certificatePath: String, port: Int) async throws -> Bool {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(certificatePath))
        configuration.minimumTLSVersion = .tlsv1
        configuration.maximumTLSVersion = offer.newest
        if !offer.ciphers.isEmpty { configuration.cipherSuiteValues = offer.ciphers }
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
                try await outbound.write(ByteBuffer(string: "HEAD /health HTTP/1.1\r\nhost: localhost\r\n\r\n"))
                for try await buffer in inbound { return String(buffer: buffer).hasPrefix("HTTP/1.1 200 OK") }
                return false
            }
        } catch {
            return false
        }
    }

    private func expect(_ offers: [Offer], _ certificatePath: String, _ keyPath: String) async throws {
        let identity = try TLSIdentity(certificatePath: certificatePath, keyPath: keyPath)
        try await TestService(tls: identity).run(.live) { client in
            let port = try #require(client.port)
            for offer in offers {
                #expect(try await isServed(offer, certificatePath, port: port) == offer.isTaken, "\(offer.name)")
            }
        }
    }

    private static let old = [
        Offer(name: "TLS 1.3", ciphers: [], newest: .tlsv13, isTaken: true),
        Offer(name: "all of TLS 1.2", ciphers: [], isTaken: true),
        Offer(name: "TLS 1.1", ciphers: [], newest: .tlsv11, isTaken: false),
    ]

    @Test("With a key on a curve: TLS 1.3, and TLS 1.2 with ECDHE and AEAD, and no CBC")
    func curve() async throws {
        let files = try TestCertificate("curve")
        let offers = [
            Offer(name: "AES-128-GCM", ciphers: [.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256], isTaken: true),
            Offer(name: "AES-256-GCM", ciphers: [.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384], isTaken: true),
            Offer(name: "ChaCha20", ciphers: [.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256], isTaken: true),
            Offer(name: "AES-128-CBC", ciphers: [.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA], isTaken: false),
            Offer(name: "AES-256-CBC", ciphers: [.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA], isTaken: false),
        ]
        try await expect(Self.old + offers, files.certificatePath, files.keyPath)
    }

    @Test("With an RSA key: the same, and no exchange by that key itself")
    func rsa() async throws {
        let folder = NSTemporaryDirectory() + "/kasia-rsa-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (certificatePath, keyPath) = (folder + "/cert.pem", folder + "/key.pem")
        try Self.certificate.write(toFile: certificatePath, atomically: true, encoding: .utf8)
        try Self.key.write(toFile: keyPath, atomically: true, encoding: .utf8)
        let offers = [
            Offer(name: "AES-128-GCM", ciphers: [.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256], isTaken: true),
            Offer(name: "AES-256-GCM", ciphers: [.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384], isTaken: true),
            Offer(name: "ChaCha20", ciphers: [.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256], isTaken: true),
            Offer(name: "ECDHE, AES-128-CBC", ciphers: [.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA], isTaken: false),
            Offer(name: "RSA, AES-128-GCM", ciphers: [.TLS_RSA_WITH_AES_128_GCM_SHA256], isTaken: false),
            Offer(name: "RSA, AES-256-GCM", ciphers: [.TLS_RSA_WITH_AES_256_GCM_SHA384], isTaken: false),
            Offer(name: "RSA, AES-128-CBC", ciphers: [.TLS_RSA_WITH_AES_128_CBC_SHA], isTaken: false),
            Offer(name: "RSA, AES-256-CBC", ciphers: [.TLS_RSA_WITH_AES_256_CBC_SHA], isTaken: false),
        ]
        try await expect(Self.old + offers, certificatePath, keyPath)
    }

    /// For localhost, made for this test with `openssl req -x509`, valid for a hundred years; the key is good for
    /// nothing else.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIDITCCAgmgAwIBAgIUdIJJSGwo8k7CHKYaycufsL2XaEYwDQYJKoZIhvcNAQEL
        BQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzIxNDIyMFoYDzIxMjYx
        MDMwMjE0MjIwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwggEiMA0GCSqGSIb3DQEB
        AQUAA4IBDwAwggEKAoIBAQDILlAfWYjl8TNbraIl1KjnoEolTttLIvVx6z/wrCZL
        hgG7wWBiJ4or/2AZiI28Z8jfRmv7ALp0jBoB5lgN4zHAGwPWKNH6TJPEBWJVVaef
        BqdFZlqPIexJ613zYqr38sNp+dw/MjGmhY2xU5re6QrNDHGMiz0Hr6/g8ZOm1C0T
        o57RMF6ynE3e66QOdpnBes03ZBQ9FKTA2brzfIxy4vsS0CJxf5KqXhEz2MOWBEAW
        iqNgAUYvnwmeK7QWQkbJXFrQIOWkyc458u+FhZtdX3VaicSy4ei2ltTM3HeAEgq0
        iXoWBeISfF9q5S3CZXX53dulWsB2oRPuuh3ZGV9W+05VAgMBAAGjaTBnMB0GA1Ud
        DgQWBBQ6I9Uw9sNc7n4dGSVYcmonkacN5zAfBgNVHSMEGDAWgBQ6I9Uw9sNc7n4d
        GSVYcmonkacN5zAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWxvY2FsaG9z
        dDANBgkqhkiG9w0BAQsFAAOCAQEAqTrvzgaZpKmXnS/RFaQnw6fPqZ6WBgomuU6g
        +8+jLNWg0N4znDNGanAERpoWWEYtL38l9zuZ3keSs+ndazGQCcfog764WY5scWvP
        25mB9d144G5238wZ2fcsLzsEgEK0f8K5NG0G2SDfiTygI0QmxT74EINHI7/z4m85
        naI89QdDSnS9kMyDHMMxHdF/jfHJDQizRyDlAaD1njTsxBGWiB36ettwZVt/Qb2v
        bLTP1P49gMMZpnMzpgIWrvrlLP+zg9rROusiG1AhTYPIpDkh9XeNtVp1KiI+AMSa
        f1FIk5njcGdb5va8E7CcOXlPz5hyNdW1ab/m2i8kOtR9FHkFiA==
        -----END CERTIFICATE-----

        """
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDILlAfWYjl8TNb
        raIl1KjnoEolTttLIvVx6z/wrCZLhgG7wWBiJ4or/2AZiI28Z8jfRmv7ALp0jBoB
        5lgN4zHAGwPWKNH6TJPEBWJVVaefBqdFZlqPIexJ613zYqr38sNp+dw/MjGmhY2x
        U5re6QrNDHGMiz0Hr6/g8ZOm1C0To57RMF6ynE3e66QOdpnBes03ZBQ9FKTA2brz
        fIxy4vsS0CJxf5KqXhEz2MOWBEAWiqNgAUYvnwmeK7QWQkbJXFrQIOWkyc458u+F
        hZtdX3VaicSy4ei2ltTM3HeAEgq0iXoWBeISfF9q5S3CZXX53dulWsB2oRPuuh3Z
        GV9W+05VAgMBAAECggEAKq6zT0fqOGsqQfc/DlVucTrcbGGIwRfSYUihkMnH/Yz0
        dCnqiOs42yI/xZn37K7tZewQTIvudbjEt9h7OHTTsAwikIiSIw4uaJqkSaEylSYY
        RuQo1YGMbgN1PBay8RzOXVuVAlWLwB+UY3W53SMv9iIb2PV8XRXxCKPB0Y3GkbvO
        KdZ27585eSdD0NFvSjT4EntKYOElX+4ekpdUIdKfdqPHyoICBNphW9kutzGwHrMJ
        xiwcr0vGRxfX6VA4Fu7BbgEwve8MVkCQZXqjSkLRlhgFAP7Rp0IDgG78Ow4H3K4n
        nJhpYP1JnYCHFOSLbUE41FndQG1oI3tVhbgC8rayiQKBgQDn4WolSPoNk20sP/wy
        pDYQvPWMrSohaJKtG/apAe+YIoWdVCZoPt+HAnK0MnS0FrTWONSNySvAv9qF46Ab
        R/fKic+jVZChxYudIOLcw9W7AL+tS63D5/xi326AkNj03SwYf93qc6zSCtxLzlop
        j3y2Hz9UKeirMYpZ0SF2/FwpjQKBgQDdAMqTKToGzLN5HD8uY2NtKGknuONxAndr
        Qt3cpEY4URgsUjgXyU8BKMYUN/AWffA82xNCDxB6hdaQboKdi4kradL3E2qwFVxl
        Uk95k4EOYcQP9KyqB3YNUuQRAyja8pMH3l0+E5kd6RpRNTqsQ+U8vkJXlo1IUbGx
        CpntXpux6QKBgFe2BoawAhYcjBFO6sDlKKZQM7nQzrzwZ3sftr/bQZwUguIuMJEC
        J19UZ7sN0uNEK4dU2+H+FJTGfYxju+5V3L86PdaUyS7IILWA+Q907GXeNKMCm2od
        WHS1+4CaSdblyoZB59mFg/u3q/jox2YtJollbHkTmTUYejLbToNJljsJAoGATBOZ
        qE7oyq5smaQ/m5hbAZiHmkTrBlvy/9lkxi9GfNxtldQ3uvhxWdTPWuZmn1d6+3fu
        iS7mXUb1NYLVM6Z08ZzcInFsqHCx/a737MH6CxlchKGVTnKDENMX70NHLReTxYGm
        V1gnvUQg6xOHvwUgRGi6LayFtf9pS6h6lFuc/QECgYEAlgVaWYL/CuC/9uVH0Joj
        jwjBlTn7kGzQvcO8qPIrzncuuw8yF0vQU0NGco6ZHLLCP5z6VLhU+pP49DmnN7xm
        GsjtlD90LBwEyZfNeiKsUis82AIhPkgLxG/ULrdvFVOPFk7P6n5r6iUTPpxvYOMI
        dESFQwPIW26h+iqCR5JVTuc=
        -----END PRIVATE KEY-----

        """
}
