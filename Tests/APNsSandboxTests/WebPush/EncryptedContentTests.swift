import Crypto
import Testing

@testable import APNsSandbox

@Suite("Encrypted contents")
struct EncryptedContentTests {
    @Test("are decrypted as in RFC 8291, section 5")
    func vector() throws {
        let secret = try #require(Base64URL.decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
        let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: secret)
        let auth = try #require(Base64URL.decode("BTBZMqHH6r4Tts7J_aSIgg"))
        let text =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6"
            + "PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        let body = try #require(Base64URL.decode(text))
        let content = try #require(EncryptedContent(body))
        let subscription = Subscriptions.Known(key: key, auth: auth, applicationServerKey: nil)
        #expect(content.decrypted(for: subscription) == Array("When I grow up, I want to be a watermelon".utf8))
        let stranger = Subscriptions.Known(key: key, auth: auth.reversed(), applicationServerKey: nil)
        #expect(content.decrypted(for: stranger) == nil)
    }
}
