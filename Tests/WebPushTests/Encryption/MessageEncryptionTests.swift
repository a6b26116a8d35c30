import Carriers
import Crypto
import Store
import TestRandom
import Testing

@testable import WebPush

@Suite("Message encryption")
struct MessageEncryptionTests {
    /// RFC 8291, appendix A.
    private enum Vector {
        static let message = "When I grow up, I want to be a watermelon"
        static let sender = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
        static let receiver = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
        static let receiverPublic =
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
        static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
        static let sealed =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK"
            + "6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    }

    @Test("seals the example of RFC 8291 as the RFC has it")
    func vector() throws {
        let keys = DeviceRecord.SubscriptionKeys(
            publicKey: try base64URL(Vector.receiverPublic), secret: try base64URL(Vector.secret))
        let sealed = try MessageEncryption.seal(
            Array(Vector.message.utf8), for: keys,
            from: P256.KeyAgreement.PrivateKey(rawRepresentation: try base64URL(Vector.sender)),
            salt: try base64URL(Vector.salt))
        #expect(sealed == (try base64URL(Vector.sealed)))
        #expect(Base64URL.encode(sealed) == Vector.sealed)
    }

    @Test("the tests' browser opens the example of RFC 8291")
    func browser() throws {
        let browser = Browser(
            key: try .init(rawRepresentation: try base64URL(Vector.receiver)), secret: try base64URL(Vector.secret))
        #expect(browser.keys.publicKey == (try base64URL(Vector.receiverPublic)))
        #expect(try browser.open(try base64URL(Vector.sealed)) == Array(Vector.message.utf8))
    }

    @Test("what is sealed, the browser opens, whatever it is")
    func roundTrip() throws {
        var random = SeededRandom()
        for _ in 0..<50 {
            let count = Int.random(in: 0...MessageEncryption.maximumPlaintextBytes, using: &random)
            let message = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let browser = Browser()
            let sealed = try MessageEncryption.seal(message, for: browser.keys)
            #expect(sealed.count == count + 103, "seed \(random.seed)")
            #expect(try browser.open(sealed) == message, "seed \(random.seed)")
        }
    }

    @Test("each message has a salt and a key of its own")
    func fresh() throws {
        let keys = Browser().keys
        let sealed = try (0..<20).map { _ in try MessageEncryption.seal([1], for: keys) }
        #expect(Set(sealed.map { Array($0[..<16]) }).count == 20)
        #expect(Set(sealed.map { Array($0[21..<86]) }).count == 20)
    }

    @Test("the longest message makes a body of 4,096 bytes, and one byte more is refused")
    func sizes() throws {
        let browser = Browser()
        for count in [3_992, 3_993] {
            let sealed = try MessageEncryption.seal([UInt8](repeating: 7, count: count), for: browser.keys)
            #expect(sealed.count == count + 103)
            #expect(try browser.open(sealed).count == count)
        }
        #expect(throws: MessageEncryptionError.tooLong) {
            try MessageEncryption.seal([UInt8](repeating: 7, count: 3_994), for: browser.keys)
        }
    }

    @Test("keys that are no point of the curve, or of another length, are refused")
    func badKeys() {
        let good = Browser().keys
        var offCurve = good.publicKey
        offCurve[64] ^= 1
        let compressed = Array(P256.KeyAgreement.PrivateKey().publicKey.compressedRepresentation)
        for publicKey in [
            [], offCurve, Array(good.publicKey.dropLast()), good.publicKey + [0], [5] + good.publicKey.dropFirst(),
            [UInt8](repeating: 0, count: 65), [4] + [UInt8](repeating: 0, count: 64), compressed,
        ] {
            #expect(throws: MessageEncryptionError.unusableKeys) {
                try MessageEncryption.seal([1], for: .init(publicKey: publicKey, secret: good.secret))
            }
        }
        for count in [0, 15, 17] {
            #expect(throws: MessageEncryptionError.unusableKeys) {
                try MessageEncryption.seal(
                    [1], for: .init(publicKey: good.publicKey, secret: [UInt8](repeating: 1, count: count)))
            }
        }
    }
}
