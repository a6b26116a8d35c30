import NIOCore
import NIOSSL
import Synchronization

/// The certificate chain and key of the REST port, from two PEM files that can be read again.
///
/// New connections use what was read last. Open connections keep what they have.
package final class TLSIdentity: Sendable {
    /// Why the files cannot be used: one sentence that names the file.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private struct Material {
        let chain: [NIOSSLCertificate]
        let key: NIOSSLPrivateKey
    }

    /// The cipher suites of TLS 1.2: forward secrecy (ECDHE) and authenticated encryption (AEAD).
    ///
    /// TLS 1.3 has no others.
    private static let cipherSuites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    ]

    private let certificatePath: String
    private let keyPath: String
    private let material: Mutex<Material>

    /// Reads both files.
    package init(certificatePath: String, keyPath: String) throws(Failure) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
        material = Mutex(try TLSIdentity.read(certificatePath, keyPath))
    }

    /// Reads both files again.
    ///
    /// If they cannot be used, the identity stays as it was.
    package func reload() throws(Failure) {
        let new = try TLSIdentity.read(certificatePath, keyPath)
        material.withLock { $0 = new }
    }

    /// A server's configuration that asks for the identity at each handshake.
    var serverConfiguration: TLSConfiguration {
        let current = override
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: current.certificateChain ?? [],
            privateKey: current.privateKey ?? .privateKey(material.withLock { $0.key }))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = TLSIdentity.cipherSuites
        configuration.applicationProtocols = ["http/1.1"]
        configuration.sslContextCallback = { [self] _, promise in promise.succeed(override) }
        return configuration
    }

    private var override: NIOSSLContextConfigurationOverride {
        let material = material.withLock { $0 }
        var override = NIOSSLContextConfigurationOverride()
        override.certificateChain = material.chain.map { .certificate($0) }
        override.privateKey = .privateKey(material.key)
        return override
    }

    private static func read(_ certificatePath: String, _ keyPath: String) throws(Failure) -> Material {
        let chain: [NIOSSLCertificate]
        do {
            chain = try NIOSSLCertificate.fromPEMFile(certificatePath)
        } catch {
            throw Failure(description: "http.tls_cert_path \(certificatePath) holds no certificates in PEM form")
        }
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(file: keyPath, format: .pem)
        } catch {
            throw Failure(description: "http.tls_key_path \(keyPath) holds no private key in PEM form")
        }
        do {
            // BoringSSL refuses a key that does not match the certificate.
            _ = try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
        } catch {
            throw Failure(
                description: "the key in http.tls_key_path \(keyPath) is not that of the certificate in "
                    + "http.tls_cert_path \(certificatePath)")
        }
        return Material(chain: chain, key: key)
    }
}
