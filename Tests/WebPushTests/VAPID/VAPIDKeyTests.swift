import Crypto
import Foundation
import Testing

@testable import WebPush

@Suite("VAPID key")
struct VAPIDKeyTests {
    @Test("a new key survives its PEM, with line breaks written either way")
    func roundTrip() throws {
        let key = VAPIDKey.make()
        #expect(key.privateKeyPEM.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(try VAPIDKey(pem: key.privateKeyPEM) == key)
        #expect(try VAPIDKey(pem: key.privateKeyPEM.replacingOccurrences(of: "\n", with: "\\n")) == key)
        #expect(try VAPIDKey(pem: "a note\n" + key.privateKeyPEM + "\n\n") == key)
        #expect(VAPIDKey.make() != key)
    }

    @Test("the public key is the uncompressed point in base64url")
    func publicKey() throws {
        for _ in 0..<20 {
            let text = VAPIDKey.make().publicKeyText
            #expect(text.count == 87)
            let bytes = try base64URL(text)
            #expect(bytes.count == 65 && bytes.first == 4)
            _ = try P256.Signing.PublicKey(x963Representation: bytes)
        }
    }

    @Test("reads a key of SEC 1, as OpenSSL writes it")
    func sec1() throws {
        // Made for this test, and good for nothing.
        let pem = """
            -----BEGIN EC PARAMETERS-----
            BggqhkjOPQMBBw==
            -----END EC PARAMETERS-----
            -----BEGIN EC PRIVATE KEY-----
            MHcCAQEEIC2OBrj01jG/UK+GgOWdh+mlDhi63U/Yb/RyZ13zgkpNoAoGCCqGSM49
            AwEHoUQDQgAEpj25DTTh8X8KY9nogo6Ks9ILxbXt3skKDCnRVGegrVOvZffjSGBR
            oalxUQvHftIoAwC4qd+0R+OMXxsINt7llA==
            -----END EC PRIVATE KEY-----
            """
        #expect(
            try VAPIDKey(pem: pem).publicKeyText
                == "BKY9uQ004fF_CmPZ6IKOirPSC8W17d7JCgwp0VRnoK1Tr2X340hgUaGpcVELx37SKAMAuKnftEfjjF8bCDbe5ZQ")
    }

    @Test("refuses what is no private key of P-256, and never repeats it")
    func bad() throws {
        let good = VAPIDKey.make().privateKeyPEM
        let body = good.split(separator: "\n").dropFirst().dropLast().joined()
        let cases: [(String, VAPIDKeyError)] = [
            ("", .notPEM), (body, .notPEM), ("-----BEGIN PRIVATE KEY-----\n" + body, .notPEM),
            (P256.Signing.PrivateKey().publicKey.pemRepresentation, .notPEM),
            (P384.Signing.PrivateKey().pemRepresentation, .otherKey),
            (P521.Signing.PrivateKey().pemRepresentation, .otherKey),
            ("-----BEGIN PRIVATE KEY-----\n!\n-----END PRIVATE KEY-----", .notPEM),
            ("-----BEGIN PRIVATE KEY-----\n\n-----END PRIVATE KEY-----", .otherKey),
            (
                "-----BEGIN PRIVATE KEY-----\n" + body.prefix(100) + "\n-----END PRIVATE KEY-----", .damaged
            ),
        ]
        for (text, error) in cases {
            #expect(throws: error) { try VAPIDKey(pem: text) }
            #expect(!error.description.contains(body.suffix(20)))
        }
    }

    @Test("its descriptions show the public half alone")
    func descriptions() throws {
        let key = VAPIDKey.make()
        let secret = key.privateKeyPEM.split(separator: "\n")[1]
        for text in ["\(key)", String(reflecting: key)] {
            #expect(text == "VAPID key \(key.publicKeyText)")
            #expect(!text.contains(secret))
        }
    }
}
