import KasiaPushCore
import KasiaPushSecp256k1
import Kaspa
import Testing

@Suite("libsecp256k1")
struct LibSecp256k1Tests {
    private let curve = LibSecp256k1()
    private static let order = Hex.decode("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141") ?? []

    @Test("signs as BIP-340's first vector")
    func signs() async throws {
        let secret = Array(repeating: UInt8(0), count: 31) + [3]
        let zeros: @Sendable () -> [UInt8] = { Array(repeating: 0, count: 32) }
        let key = try #require(Secp256k1WalletKey(secret: secret, auxiliaryRandomness: zeros))
        #expect(
            Hex.encode(key.publicKey) == "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9")
        let signature = try await key.signature(ofDigest: Array(repeating: 0, count: 32))
        #expect(
            Hex.encode(signature) == "e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215"
                + "25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0")
        #expect(curve.isValid(signature: signature, message: Array(repeating: 0, count: 32), publicKey: key.publicKey))
    }

    @Test("signs with new randomness each time")
    func randomness() async throws {
        let key = Person("random").key
        let digest = [UInt8](repeating: 4, count: 32)
        let (first, second) = (try await key.signature(ofDigest: digest), try await key.signature(ofDigest: digest))
        #expect(first != second)
        for signature in [first, second] {
            #expect(curve.isValid(signature: signature, message: digest, publicKey: key.publicKey))
        }
    }

    @Test("signs digests of 32 bytes and nothing else", arguments: [0, 31, 33])
    func digests(count: Int) async {
        await #expect(throws: Secp256k1WalletKey.WrongDigestLength.self) {
            try await Person("digest").key.signature(ofDigest: Array(repeating: 0, count: count))
        }
    }

    @Test("does not verify when anything was changed, or has another length")
    func verifies() async throws {
        let key = Person("verify").key
        let digest = [UInt8](repeating: 4, count: 32)
        let signature = try await key.signature(ofDigest: digest)
        for index in [0, 31, 32, 63] {
            var changed = signature
            changed[index] ^= 1
            #expect(!curve.isValid(signature: changed, message: digest, publicKey: key.publicKey))
        }
        #expect(!curve.isValid(signature: signature, message: digest.dropLast(), publicKey: key.publicKey))
        #expect(!curve.isValid(signature: signature, message: [], publicKey: key.publicKey))
        #expect(!curve.isValid(signature: signature, message: digest, publicKey: Person("x").key.publicKey))
        #expect(!curve.isValid(signature: signature.dropLast(), message: digest, publicKey: key.publicKey))
        #expect(!curve.isValid(signature: signature + [0], message: digest, publicKey: key.publicKey))
        for count in [0, 31, 33] {
            #expect(!curve.isValid(signature: signature, message: digest, publicKey: Array(repeating: 1, count: count)))
        }
        #expect(!curve.isValid(signature: signature, message: digest, publicKey: Array(repeating: .max, count: 32)))
    }

    @Test("the shared x coordinate is the same from both sides, for either form of key")
    func shared() throws {
        let (alice, bob) = (Person("alice"), Person("bob"))
        let shared = try #require(curve.sharedX(secret: alice.secret, publicKey: bob.key.publicKey))
        #expect(shared.count == 32)
        for marker: UInt8 in [2, 3] {
            #expect(curve.sharedX(secret: bob.secret, publicKey: [marker] + alice.key.publicKey) == shared)
        }
    }

    @Test("there is no shared coordinate for what is no secret or no key")
    func noShared() {
        let person = Person("alice")
        for secret in [
            [], Array(repeating: 0, count: 32), Self.order, Array(repeating: .max, count: 32), person.secret + [0],
        ] {
            #expect(curve.sharedX(secret: secret, publicKey: person.key.publicKey) == nil)
            #expect(Secp256k1WalletKey(secret: secret) == nil)
        }
        let keys: [[UInt8]] = [
            [], [2], Array(repeating: .max, count: 32), [4] + person.key.publicKey, [0] + person.key.publicKey,
            person.key.publicKey + [0, 0],
        ]
        for key in keys { #expect(curve.sharedX(secret: person.secret, publicKey: key) == nil) }
        var largest = Self.order
        largest[31] -= 1
        #expect(Secp256k1WalletKey(secret: largest) != nil)
    }

    @Test("a key has an address on every network")
    func address() throws {
        let vector = try #require(try MessageVectors.load().sealed.first)
        let key = try #require(Secp256k1WalletKey(secret: hex(vector.receiverSecret)))
        #expect(key.address() == vector.receiverAddress)
        #expect(key.address(prefix: "kaspatest")?.hasPrefix("kaspatest:q") == true)
        #expect(key.address(prefix: "bitcoin") == nil)
    }
}
