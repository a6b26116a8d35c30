import Crypto
import KasiaPushCore
import Testing

@Suite("Software device key")
struct SoftwareDeviceKeyTests {
    @Test("is the same again from its secret, and signs")
    func roundTrip() async throws {
        let key = SoftwareDeviceKey()
        let again = try SoftwareDeviceKey(secret: key.secret)
        #expect(again.publicKey == key.publicKey)
        #expect(key.publicKey.count == 65 && key.publicKey.first == 4)
        #expect(key.publicKey != SoftwareDeviceKey().publicKey)
        let signature = try await again.signature(of: [1, 2, 3])
        #expect((8...72).contains(signature.count))
        #expect(
            try P256.Signing.PublicKey(x963Representation: key.publicKey)
                .isValidSignature(P256.Signing.ECDSASignature(derRepresentation: signature), for: [1, 2, 3] as [UInt8]))
    }

    @Test(
        "is not made of what is no secret",
        arguments: [
            [], [1], Array(repeating: 0, count: 32), Array(repeating: 0xff, count: 32), Array(repeating: 1, count: 33),
        ] as [[UInt8]])
    func badSecrets(secret: [UInt8]) {
        #expect(throws: (any Error).self) { try SoftwareDeviceKey(secret: secret) }
    }
}
