import Crypto
import Testing

@testable import KasiaPushCore

@Suite("Signatures of pushes")
struct PushSignatureTests {
    private let key = Curve25519.Signing.PrivateKey()

    private func token(_ first: UInt8 = 0) throws -> PushToken {
        try .apns([first] + Array(repeating: 7, count: 31))
    }

    private func verify(_ payload: PushPayload, token: PushToken? = nil) throws -> Bool {
        try PushSignature.verify(
            payload, token: token ?? self.token(), publicKey: Array(key.publicKey.rawRepresentation))
    }

    private func sign(_ text: String) throws -> String {
        Base64.encode(Array(try key.signature(for: Array(text.utf8))))
    }

    private func text(
        type: String = "contextual", sender: String = Pushes.sender, seq: String = "17",
        transaction: String = Pushes.transaction
    ) throws -> String {
        """
        domain=kasia-push:v1
        tx_id=\(transaction)
        type=\(type)
        sender=\(sender)
        seq=\(seq)
        device_token_hash=\(try token().hash)
        """
    }

    @Test("are over these six lines, with the type as the shape spells it")
    func good() throws {
        let flat = #","sig":"\#(try sign(text()))""#
        #expect(try verify(Pushes.read(Pushes.kachat("contextual", payload: "b", end: flat))))
        #expect(try verify(Pushes.read(Pushes.web("contextual", payload: "b", end: flat))))
        let nested = try sign(text(type: "contextual_message"))
        let inside = Pushes.kasia("contextual_message", extra: #""sig":"\#(nested)","#, payload: nil)
        #expect(try verify(Pushes.read(inside)))
        let outside = #"{"sig":"\#(nested)","# + Pushes.kasia("contextual_message", payload: nil).dropFirst()
        #expect(try verify(Pushes.read(outside)))
        #expect(try verify(PushPayload(data: Pushes.fcm("contextual", extra: ["sig": sign(text())]))))
    }

    @Test("have empty lines for what is not there, and cover types that are not known")
    func absent() throws {
        let signature = try sign(text(type: "poll", sender: "", seq: ""))
        let json = #"{"type":"poll","tx_id":"\#(Pushes.transaction)","sig":"\#(signature)"}"#
        #expect(try verify(Pushes.read(json)))
    }

    @Test("do not verify when a line is another")
    func altered() throws {
        let other = "cd" + Pushes.transaction.dropFirst(2)
        let texts = [
            try text(type: "contextual_message"), try text(sender: ""), try text(sender: Pushes.other),
            try text(seq: "16"), try text(seq: ""), try text(transaction: other), try text() + "\n",
            try text().replacing("v1", with: "v2"),
        ]
        for text in texts {
            let end = #","sig":"\#(try sign(text))""#
            #expect(try !verify(Pushes.read(Pushes.kachat("contextual", payload: "b", end: end))), "\(text)")
        }
        let good = #","sig":"\#(try sign(text()))""#
        let push = try Pushes.read(Pushes.kachat("contextual", payload: "b", end: good))
        #expect(try !verify(push, token: token(1)))
        let stranger = Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
        #expect(try !PushSignature.verify(push, token: token(), publicKey: stranger))
        #expect(try !PushSignature.verify(push, token: token(), publicKey: []))
        #expect(try !PushSignature.verify(push, token: token(), publicKey: stranger + [0]))
    }

    @Test("do not verify where there is none, or no whole one")
    func missing() throws {
        let whole = try sign(text())
        for signature in ["", "AAAA", "?", String(whole.dropLast(4)), whole + "AAAA", "=" + whole] {
            let end = #","sig":"\#(signature)""#
            #expect(try !verify(Pushes.read(Pushes.kachat("contextual", payload: "b", end: end))))
        }
        #expect(try !verify(Pushes.read(Pushes.kachat("contextual", payload: "b"))))
        #expect(try !verify(Pushes.read(#"{"title":"t","sig":"\#(whole)"}"#)))
    }

    @Test("are on calls, too, with the call's id and kind and without a number")
    func calls() throws {
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e"
        for (kind, isGood) in [("invite", true), ("request", false)] {
            let signature = try sign(text(type: kind, seq: "", transaction: id))
            let call = try Pushes.read(Pushes.call(payload: "", extra: #""sig":"\#(signature)","#))
            #expect(try verify(call) == isGood)
        }
        #expect(try !verify(Pushes.read(Pushes.call(payload: ""))))
    }
}
