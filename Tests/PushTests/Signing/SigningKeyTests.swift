import Carriers
import Crypto
import Foundation
import Kaspa
import Testing

@Suite("Signing key")
struct SigningKeyTests {
    /// As OpenSSL writes the key of the seed 00 01 02 … 1f.
    static let pem = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
        -----END PRIVATE KEY-----
        """

    @Test("a key that OpenSSL wrote is read, and written in the same form")
    func openSSL() throws {
        let key = try SigningKey(pem: Self.pem)
        // What OpenSSL says of it.
        #expect(
            Hex.encode(key.publicKey.bytes) == "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8")
        #expect(key.publicKey.text == "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg")
        #expect(key.publicKey.keyID == "56475aa75463474c")
        #expect(key.privateKeyPEM == Self.pem)
    }

    @Test("a new key survives its PEM, with line breaks written either way")
    func roundTrip() throws {
        let key = SigningKey.make()
        #expect(try SigningKey(pem: key.privateKeyPEM) == key)
        #expect(try SigningKey(pem: key.privateKeyPEM.replacingOccurrences(of: "\n", with: "\\n")) == key)
        #expect(try SigningKey(pem: "a note\n" + key.privateKeyPEM + "\n\n") == key)
        #expect(SigningKey.make() != key)
    }

    private static func pem(_ bytes: [UInt8], label: String = "PRIVATE KEY") -> String {
        "-----BEGIN \(label)-----\n\(Data(bytes).base64EncodedString())\n-----END \(label)-----"
    }

    @Test("what is no Ed25519 private key is refused, and never repeated")
    func bad() throws {
        let body = try #require(Data(base64Encoded: String(Self.pem.split(separator: "\n")[1]))).map(\.self)
        var otherVersion = body
        otherVersion[4] = 1
        let cases: [(String, SigningKeyError)] = [
            ("", .notPEM), (Data(body).base64EncodedString(), .notPEM), (Self.pem(body, label: "PUBLIC KEY"), .notPEM),
            (Self.pem(body, label: "EC PRIVATE KEY"), .notPEM),
            (String(Self.pem.dropLast(3)), .notPEM), (Self.pem([]), .otherKey),
            (P256.Signing.PrivateKey().pemRepresentation, .otherKey), (Self.pem(Array(body.dropFirst(16))), .otherKey),
            (Self.pem(body.dropLast()), .damaged), (Self.pem(body + [0]), .damaged), (Self.pem(otherVersion), .damaged),
        ]
        for (text, error) in cases {
            #expect(throws: error, "\(text)") { try SigningKey(pem: text) }
            #expect(!error.description.contains("BAgMEBQYH"))
        }
    }

    @Test("its descriptions show the public half alone")
    func descriptions() throws {
        let key = try SigningKey(pem: Self.pem)
        for text in ["\(key)", String(reflecting: key)] { #expect(text == "signing key 56475aa75463474c") }
    }
}
