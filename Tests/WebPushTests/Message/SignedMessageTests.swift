import Carriers
import SampleOperations
import SignedPushes
import Store
import Testing

@testable import WebPush

@Suite("Signed Web Push messages")
struct SignedMessageTests {
    private let key = SigningKey.make()

    /// The message without and with a key; what differs is checked here.
    private func messages(
        _ push: OutgoingPush, maximumPayloadBytes: Int = 3_500
    ) throws -> (plain: [UInt8], signed: SignedPush) {
        let plain = WebPushMessage(maximumPayloadBytes: maximumPayloadBytes).encode(push)
        let bytes = WebPushMessage(maximumPayloadBytes: maximumPayloadBytes, signer: PushSigner(key)).encode(push)
        let signed = try #require(SignedPush(json: bytes))
        let fits = plain.count + PushSigner.memberBytes <= WebPushMessage.maximumBytes
        try #require((signed.signature != nil) == fits, "\(plain.count)")
        if let signature = signed.signature {
            try #require(signed.isSigned(by: key.publicKey.bytes, for: Samples.endpoint))
            let without = String(decoding: bytes, as: UTF8.self).replacing(#","sig":"\#(signature)""#, with: "")
            try #require(without == String(decoding: plain, as: UTF8.self))
        } else {
            try #require(bytes == plain)
        }
        try #require(bytes.count <= WebPushMessage.maximumBytes)
        return (plain, signed)
    }

    @Test("every kind is signed as it names its type and its sender", arguments: PushKind.allCases)
    func kinds(kind: PushKind) throws {
        for sender in [Samples.known, nil] {
            for payload in [Samples.message(), Samples.broadcast("hi"), Samples.groupMessage(by: Samples.alice), []] {
                let push = Samples.push(
                    kind, payload: payload, sender: sender, amount: 5, seq: .max, address: Samples.alice)
                #expect(try messages(push).signed.signature != nil)
            }
        }
    }

    @Test("a message takes the signature up to 3,993 bytes, and no payload is left out for it")
    func limit() throws {
        func size(_ count: Int) throws -> Int {
            let push = Samples.push(payload: Samples.message(String(repeating: "a", count: count)))
            return try messages(push, maximumPayloadBytes: 10_000).plain.count
        }
        let rest = try size(1) - 1
        let limit = WebPushMessage.maximumBytes - PushSigner.memberBytes
        for total in [limit - 1, limit, limit + 1, WebPushMessage.maximumBytes] {
            #expect(try size(total - rest) == total)
        }
    }
}
