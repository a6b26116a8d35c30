import Crypto
import Foundation
import SwiftASN1
import X509

/// A self-signed certificate, in files of its own that go with it.
package final class TestCertificate: Sendable {
    /// PEM; also the authority that signed it.
    package let certificatePath: String
    /// PEM.
    package let keyPath: String
    private let folder: String
    private let names: [GeneralName]

    /// `name` tells certificates apart; it is valid for the host names and the IPv4 addresses, four bytes each.
    package init(_ name: String, hosts: [String] = ["localhost"], addresses: [[UInt8]] = []) throws {
        folder = NSTemporaryDirectory() + "/kasia-tls-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        certificatePath = folder + "/cert.pem"
        keyPath = folder + "/key.pem"
        names =
            hosts.map { .dnsName($0) } + addresses.map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) }
        try write(name)
    }

    /// Replaces both files by those of another key.
    package func write(_ name: String) throws {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        let now = Date()
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: now.addingTimeInterval(-3600), notValidAfter: now.addingTimeInterval(3600),
            issuer: subject, subject: subject,
            extensions: Certificate.Extensions { SubjectAlternativeNames(names) },
            issuerPrivateKey: .init(key))
        try certificate.serializeAsPEM().pemString.write(toFile: certificatePath, atomically: true, encoding: .utf8)
        try key.pemRepresentation.write(toFile: keyPath, atomically: true, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}
