import Carriers
import Kaspa
import SampleOperations
import SignedPushes
import Store
import TestRandom
import Testing

@testable import FCM

@Suite("Signed FCM messages")
struct SignedMessageTests {
    private static let now: UInt64 = 1_700_000_000
    private static let memberBytes = "sig".utf8.count + PushSigner.signatureLength

    private let key = SigningKey.make()

    /// The message without and with a key; what differs is checked here.
    private func messages(
        _ push: OutgoingPush, maximumPayloadBytes: Int = 3_500
    ) throws -> (plain: FCMMessage, signed: FCMMessage) {
        let plain = FCMMessageEncoder(maximumPayloadBytes: maximumPayloadBytes).message(push, now: Self.now)
        let signed = FCMMessageEncoder(maximumPayloadBytes: maximumPayloadBytes, signer: PushSigner(key))
            .message(push, now: Self.now)
        let fits = plain.payloadBytes + Self.memberBytes <= FCMMessage.maximumPayloadBytes
        try #require((signed["sig"] != nil) == fits, "\(plain.payloadBytes)")
        if fits {
            let members = Dictionary(uniqueKeysWithValues: signed.data.map { ($0.key, $0.value) })
            try #require(SignedPush(members).isSigned(by: key.publicKey.bytes, for: Samples.registrationToken))
        }
        var rest = signed
        rest.data.removeAll { $0.key == "sig" }
        try #require(rest == plain)
        try #require(signed.payloadBytes <= FCMMessage.maximumPayloadBytes)
        return (plain, signed)
    }

    @Test("each golden message is signed, its signature last", arguments: GoldenMessage.all)
    func golden(message: GoldenMessage) throws {
        #expect(try messages(message.push).signed.data.last?.key == "sig")
    }

    @Test("a message takes the signature up to 4,096 bytes, and no payload is left out for it")
    func limit() throws {
        let limit = FCMMessage.maximumPayloadBytes - Self.memberBytes
        var sizes: Set<Int> = []
        // Base64 comes in fours; the amount's digits make the sizes between.
        for amount in [1, 10, 100, 1_000] as [UInt64] {
            func push(_ count: Int) -> OutgoingPush {
                let body = String(repeating: "Q", count: count)
                return Samples.push(.payment, payload: Samples.payment(body), amount: amount)
            }
            let least = try messages(push(4), maximumPayloadBytes: 4_096).plain.payloadBytes - 4
            for fours in (limit - least) / 4 - 1...(limit - least) / 4 + 1 {
                let plain = try messages(push(4 * fours), maximumPayloadBytes: 4_096).plain
                #expect(plain["enc_payload"] != nil)
                sizes.insert(plain.payloadBytes)
            }
        }
        #expect(sizes.isSuperset(of: [limit - 1, limit, limit + 1]))
    }

    @Test("a broadcast's preview goes before the signature")
    func broadcast() throws {
        for count in [10, 600, 1_800, 1_900, 1_960, 2_000, 3_000] {
            let text = "e" + String(repeating: "\u{301}", count: count / 2)
            _ = try messages(Samples.push(.broadcast, payload: Samples.broadcast(text, channel: "kaspa")))
        }
        let odd = Samples.push(.broadcast, payload: Samples.broadcast("x", channel: "a b"))
        #expect(try messages(odd).signed["sig"] != nil)
    }

    @Test("random messages are the plain ones, with a good signature if it fits")
    func random() throws {
        var random = SeededRandom()
        print("SignedMessageTests.random: TEST_SEED=\(random.seed)")
        for _ in 0..<300 {
            let body = String(repeating: "Q", count: Int.random(in: 0...4_200, using: &random))
            let push = Samples.push(
                .payment, payload: Samples.payment(body), sender: Bool.random(using: &random) ? Samples.known : nil,
                amount: .random(in: 0 ... .max, using: &random), seq: .random(in: 0 ... .max, using: &random),
                omitsPayload: Int.random(in: 0..<8, using: &random) == 0)
            _ = try messages(push, maximumPayloadBytes: Int.random(in: 0...4_096, using: &random))
        }
    }
}
