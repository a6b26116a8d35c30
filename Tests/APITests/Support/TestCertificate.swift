import Crypto
import Foundation
import SwiftASN1
import X509

/// A self-signed certificate for localhost, in files of its own that go with it.
final class TestCertificate: Sendable {
    let certificatePath: String
    let keyPath: String
    private let folder: String

    init(_ name: String) throws {
        folder = NSTemporaryDirectory() + "/kasia-tls-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        certificatePath = folder + "/cert.pem"
        keyPath = folder + "/key.pem"
        try write(name)
    }

    /// Replaces both files by those of another key.
    func write(_ name: String) throws {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        let now = Date()
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: now.addingTimeInterval(-3600), notValidAfter: now.addingTimeInterval(3600),
            issuer: subject, subject: subject,
            extensions: Certificate.Extensions { SubjectAlternativeNames([.dnsName("localhost")]) },
            issuerPrivateKey: .init(key))
        try certificate.serializeAsPEM().pemString.write(toFile: certificatePath, atomically: true, encoding: .utf8)
        try key.pemRepresentation.write(toFile: keyPath, atomically: true, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}
