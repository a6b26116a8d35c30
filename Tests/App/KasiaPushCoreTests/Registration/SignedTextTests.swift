import Crypto
import KasiaPushSecp256k1
import Kaspa
import Testing

@testable import KasiaPushCore

@Suite("Signed texts")
struct SignedTextTests {
    private static let signed = RegistrationVector.all.filter(\.valid)

    @Test("All vectors are there")
    func count() throws {
        #expect(try RegistrationVector.load().count == 16)
        #expect(Self.signed.count == 11)
    }

    @Test("are those of the vectors, byte for byte, and their signatures verify", arguments: signed)
    func wallet(vector: RegistrationVector) throws {
        let auth = vector.request.auth
        let text = try vector.text().ofWallet(
            vector.lists, version: vector.version, key: auth.walletPubkey, address: auth.walletAddress)
        #expect(text == vector.preimage)
        let digest = Array(SHA256.hash(data: Array(text.utf8)))
        #expect(Hex.encode(digest) == vector.preimageSha256)
        #expect(
            LibSecp256k1().isValid(
                signature: hex(auth.signature), message: digest,
                publicKey: hex(auth.walletPubkey)))
    }

    @Test("of a device key are those of the vectors, and their signatures verify")
    func device() throws {
        let vectors = Self.signed.filter { $0.devicePreimage != nil }
        #expect(!vectors.isEmpty)
        for vector in vectors {
            let device = try #require(vector.request.auth.deviceAuth)
            let text = try vector.text().ofDevice(keyID: device.keyId, counter: device.counter)
            #expect(text == vector.devicePreimage)
            let key = try P256.Signing.PublicKey(
                x963Representation: base64(device.pubkey))
            let signature = try P256.Signing.ECDSASignature(
                derRepresentation: base64(device.signature))
            #expect(key.isValidSignature(signature, for: Array(text.utf8)))
        }
    }

    @Test("of a bad vector are not what was signed", arguments: RegistrationVector.all.filter { !$0.valid })
    func invalid(vector: RegistrationVector) throws {
        let auth = vector.request.auth
        let text = try vector.text().ofWallet(
            vector.lists, version: vector.version, key: auth.walletPubkey, address: auth.walletAddress)
        let key = hex(auth.walletPubkey)
        let isSigned = LibSecp256k1().isValid(
            signature: Hex.decode(auth.signature) ?? [], message: Array(SHA256.hash(data: Array(text.utf8))),
            publicKey: key)
        let isOfKey = try Address(parsing: auth.walletAddress).payload == key
        #expect(!isSigned || !isOfKey)
    }

    @Test("have the line for groups in version 1 only if the member is there, and always in version 2")
    func groupLine() throws {
        let text = try #require(Self.signed.first).text()
        let nothing = "watched_group_ids_hash=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        func lines(_ lists: SignedLists, _ version: SignatureVersion) -> [Substring] {
            text.ofWallet(lists, version: version, key: "k", address: "a").split(separator: "\n")
        }
        #expect(!lines(SignedLists(), .v1).contains { $0.hasPrefix("watched_group_ids_hash") })
        #expect(lines(SignedLists(watchedGroupIDs: []), .v1).contains { $0 == nothing })
        #expect(lines(SignedLists(), .v2).contains { $0 == nothing })
        #expect(lines(SignedLists(), .v1).count == 12)
        #expect(lines(SignedLists(watchedGroupIDs: []), .v1).count == 13)
        #expect(lines(SignedLists(), .v2).count == 15)
    }

    @Test("mean the same in any order, with repeats and spaces; only aliases keep their case")
    func lists() throws {
        let text = try #require(Self.signed.first).text()
        func signed(_ lists: SignedLists) -> String {
            text.ofWallet(lists, version: .v2, key: "k", address: "a")
        }
        let sorted = SignedLists(
            watchedAddresses: ["a", "b"], watchedGroupIDs: ["cc"], capabilities: ["group_v1"], aliases: ["x", "Y"],
            primaryAddress: "p")
        let mixed = SignedLists(
            watchedAddresses: ["B ", "\u{2003}A\n", "a", " "], watchedGroupIDs: ["CC", ""],
            capabilities: [" GROUP_V1"], aliases: [" Y", "x", "x"], primaryAddress: " P\t")
        #expect(signed(sorted) == signed(mixed))
        var other = sorted
        other.aliases = ["X", "Y"]
        #expect(signed(sorted) != signed(other))
    }

    @Test("name no token where the call is about a wallet")
    func withoutToken() {
        let challenge = PushChallenge(nonce: "00", issuedAt: 1, expiresAt: 2)
        let text = SignedText(
            domain: .kasia, method: "POST", path: "/v1/push/devices", token: nil, challenge: challenge)
        let line = "device_token_hash=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let signed = text.ofWallet(.empty, version: .v2, key: "k", address: "a")
        #expect(signed.split(separator: "\n").contains { $0 == line })
    }
}
