import Crypto
import FoundationEssentials
import NIOCore
import NIOSSL
import SwiftASN1
import X509

/// A certificate authority for the life of the process, and the one server certificate that it signs.
struct CertificateAuthority: Sendable {
    /// The authority's certificate, which a client must trust.
    let certificatePEM: String
    private let serverCertificatePEM: String
    private let serverKeyPEM: String

    /// The lifetime of certificates: longer than any test run, and short enough that a leaked file soon has no value.
    private static let lifetimeSeconds: Double = 30 * 24 * 3600
    /// How far in the past certificates begin, so that a client whose clock is behind accepts them.
    private static let headStartSeconds: Double = 24 * 3600

    /// Makes both key pairs and signs both certificates.
    ///
    /// - Parameter name: a further DNS name for the server besides `localhost`, 127.0.0.1 and ::1.
    /// - Throws: What swift-certificates says of a certificate that cannot be encoded or signed.
    init(serverName name: String?) throws {
        let authorityKey = P256.Signing.PrivateKey()
        let serverKey = P256.Signing.PrivateKey()
        let issuer = try DistinguishedName { CommonName("apns-sandbox certificate authority") }
        let now = Date()
        let start = now.addingTimeInterval(-Self.headStartSeconds)
        let end = now.addingTimeInterval(Self.lifetimeSeconds)

        let authority = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(authorityKey.publicKey), notValidBefore: start,
            notValidAfter: end, issuer: issuer, subject: issuer,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            },
            issuerPrivateKey: .init(authorityKey))
        let server = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(serverKey.publicKey), notValidBefore: start,
            notValidAfter: end, issuer: issuer,
            subject: DistinguishedName { CommonName("apns-sandbox") },
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(Self.names(name))
            },
            issuerPrivateKey: .init(authorityKey))

        certificatePEM = try authority.serializeAsPEM().pemString + "\n"
        serverCertificatePEM = try server.serializeAsPEM().pemString
        serverKeyPEM = serverKey.pemRepresentation
    }

    private static func names(_ further: String?) -> [GeneralName] {
        let loopback6 = [UInt8](repeating: 0, count: 15) + [1]
        var names: [GeneralName] = [
            .dnsName("localhost"),
            .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
            .ipAddress(ASN1OctetString(contentBytes: loopback6[...])),
        ]
        // An address is not a DNS name; of addresses, only loopback is in the certificate.
        if let further, further.first?.isLetter == true, further != "localhost", !further.contains(":") {
            names.append(.dnsName(further))
        }
        return names
    }

    /// The server's TLS settings: 1.2 or later, HTTP/2 only.
    func makeServerContext() throws -> NIOSSLContext {
        let certificate = try NIOSSLCertificate(bytes: Array(serverCertificatePEM.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(serverKeyPEM.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2"]
        // A client that is idle in its poll does not answer close_notify: do not wait seconds for it.
        configuration.shutdownTimeout = .milliseconds(200)
        return try NIOSSLContext(configuration: configuration)
    }
}
