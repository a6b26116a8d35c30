import Carriers
import Foundation
import SampleOperations
import SignedPushes
import Testing

@Suite("Signatures of pushes")
struct PushSignerTests {
    private static let token = String(repeating: "5a", count: 28) + "00000001"

    /// The push of OpenSSL's signature.
    private let statement = PushStatement(
        transactionID: String(repeating: "ab", count: 24) + "0000000000000001", type: "contextual_message",
        sender: "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l", seq: 17, deviceToken: token)

    @Test("the text names the push and the device, line by line")
    func text() {
        #expect(
            statement.text == """
                domain=kasia-push:v1
                tx_id=abababababababababababababababababababababababab0000000000000001
                type=contextual_message
                sender=kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l
                seq=17
                device_token_hash=45fbbd4b7289a28b250b4c9bfc667f6747d3208d68efcc33ff7e931f70faccd3
                """)
        let least = PushStatement(transactionID: "x", type: "test", sender: nil, seq: nil, deviceToken: Self.token)
        #expect(
            least.text == """
                domain=kasia-push:v1
                tx_id=x
                type=test
                sender=
                seq=
                device_token_hash=45fbbd4b7289a28b250b4c9bfc667f6747d3208d68efcc33ff7e931f70faccd3
                """)
    }

    @Test("our signature and OpenSSL's over the same text are both good, and no other is")
    func openSSL() throws {
        let signer = PushSigner(try SigningKey(pem: SigningKeyTests.pem))
        let theirs = "e4eltJT/FWsehATq8fpNaqAEP6g+/2drIi/IVsTSXTP0f0W6Vxh4vqJICgbOTEP+aaaBKfNz+SHjsfc4VwKXCA=="
        let ours = try #require(signer.signature(of: statement))
        #expect(ours.utf8.count == PushSigner.signatureLength)
        #if os(Linux)
        // Elsewhere the library signs with randomness.
        #expect(ours == theirs)
        #endif
        let key = signer.publicKey.bytes
        for signature in [ours, theirs] {
            var members: [String: Any] = [
                "tx_id": statement.transactionID, "type": statement.type, "sender": statement.sender ?? "", "seq": 17,
                "sig": signature,
            ]
            #expect(SignedPush(members).isSigned(by: key, for: Self.token))
            #expect(!SignedPush(members).isSigned(by: key, for: Self.token + "00"))
            #expect(!SignedPush(members).isSigned(by: SigningKey.make().publicKey.bytes, for: Self.token))
            members["seq"] = 18
            #expect(!SignedPush(members).isSigned(by: key, for: Self.token))
        }
    }

    @Test("another key signs from its moment on")
    func replaced() throws {
        let (first, second) = (SigningKey.make(), SigningKey.make())
        let signer = PushSigner(first)
        #expect(signer.publicKey == first.publicKey)
        signer.replaceKey(second)
        #expect(signer.publicKey == second.publicKey)
        var push = Array(#"{"tx_id":"a","type":"b","seq":1}"#.utf8)
        let statement = PushStatement(transactionID: "a", type: "b", sender: nil, seq: 1, deviceToken: Self.token)
        signer.sign(&push, endingObjects: 1, limit: 1_000, statement)
        let signed = try #require(SignedPush(json: push))
        #expect(signed.isSigned(by: second.publicKey.bytes, for: Self.token))
        #expect(!signed.isSigned(by: first.publicKey.bytes, for: Self.token))
    }

    @Test("the member is the last of the innermost object, if it fits", arguments: [-1, 0, 1])
    func place(difference: Int) throws {
        let signer = PushSigner(SigningKey.make())
        for (text, depth) in [(#"{"a":1}"#, 1), (#"{"a":{"b":"}"}}"#, 2)] {
            var push = Array(text.utf8)
            let limit = push.count + PushSigner.memberBytes + difference
            signer.sign(&push, endingObjects: depth, limit: limit, statement)
            guard difference >= 0 else {
                #expect(push == Array(text.utf8))
                continue
            }
            #expect(push.count == text.utf8.count + PushSigner.memberBytes)
            let start = text.utf8.count - depth
            #expect(push.starts(with: text.utf8.prefix(start)))
            #expect(push.dropFirst(start).starts(with: #","sig":""#.utf8))
            #expect(push.suffix(depth + 1).elementsEqual(("\"" + String(repeating: "}", count: depth)).utf8))
        }
    }
}
