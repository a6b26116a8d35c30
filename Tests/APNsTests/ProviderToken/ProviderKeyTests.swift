import Crypto
import Testing

@testable import APNs

@Suite("Provider keys")
struct ProviderKeyTests {
    private let pem = P256.Signing.PrivateKey().pemRepresentation

    @Test("are read with real line breaks and with written ones, and have one fingerprint")
    func read() throws {
        let plain = try ProviderKey(pem: pem)
        #expect(try ProviderKey(pem: pem.replacing("\n", with: "\\n")).fingerprint == plain.fingerprint)
        #expect(plain.fingerprint.utf8.count == 64)
        #expect(try ProviderKey(pem: P256.Signing.PrivateKey().pemRepresentation).fingerprint != plain.fingerprint)
    }

    @Test(
        "that are something else are refused by name",
        arguments: [
            ("", "empty"), (" \n\t", "empty"), ("hello", "not PEM"),
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----", "encrypted"),
            ("-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----", "certificate"),
            ("-----BEGIN RSA PRIVATE KEY-----\nAA==\n-----END RSA PRIVATE KEY-----", "RSA"),
            ("-----BEGIN WHATEVER-----\nAA==\n-----END WHATEVER-----", "does not begin"),
            ("-----BEGIN PRIVATE KEY-----\nAA==\n", "cut short"),
            ("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----", "P-256"),
            ("-----BEGIN ", "does not begin"),
            ("-----BEGIN EC PARAMETERS-----\nAA==\n-----END EC PARAMETERS-----", "EC PARAMETERS"),
        ])
    func refused(text: String, hint: String) throws {
        let error = try #require(throws: ProviderTokenError.self) { try ProviderKey(pem: text) }
        #expect(error.code == .invalidKey)
        #expect(error.description.contains(hint), "\(error)")
    }

    @Test("of another kind are refused by name")
    func otherKinds() throws {
        let key = P256.Signing.PrivateKey()
        for (text, hint) in [
            (key.publicKey.pemRepresentation, "public"), (P384.Signing.PrivateKey().pemRepresentation, "P-384"),
            (P521.Signing.PrivateKey().pemRepresentation, "P-521"), (Self.secp256k1, "secp256k1"),
            (Self.ed25519, "Ed25519"), (Self.rsa, "RSA"),
        ] {
            let error = try #require(throws: ProviderTokenError.self) { try ProviderKey(pem: text) }
            #expect(error.description.contains(hint), "\(error)")
        }
    }

    /// Made with OpenSSL for this test, and good for nothing.
    private static let secp256k1 = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgLsqRsBU3GcvxLnfSDRCJ
        YM5qUek4rZhA6BOz5fiKXe6hRANCAARi5KnCKnKRi+bPUTUHz+ueOti0KX3kVt/K
        RsyD6OySZxQeaQ3ptXKeXN8ykm2HiCavmYHQcaqAiP1GyI8ideqe
        -----END PRIVATE KEY-----
        """
    private static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIFy87RFHSXymZcs6v6WexLd2ZQvqPDTW91sNN17BrKkX
        -----END PRIVATE KEY-----
        """
    /// The head of one: what tells its kind.
    private static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ==
        -----END PRIVATE KEY-----
        """

    @Test("are never repeated in the error about them")
    func secret() throws {
        let secret = pem.split(separator: "\n")[1]
        for text in [pem.replacing("-----END", with: "-----FIN"), pem.replacing("MIG", with: "MIX")] {
            let error = try #require(throws: ProviderTokenError.self) { try ProviderKey(pem: text) }
            #expect(!error.description.contains(secret.prefix(8)))
        }
    }
}
