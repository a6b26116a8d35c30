import Foundation
import Kaspa
import Testing

@testable import KasiaPushCore

@Suite("Shapes of pushes")
struct PushShapeTests {
    private static let flat = PushAlert(title: Pushes.sender, body: "New message")

    /// An alert of Apple's nested shape.
    private static func nested(
        _ title: String, _ body: String, _ category: String? = "KASIA_MESSAGE", thread: String? = Pushes.sender
    ) -> PushAlert {
        PushAlert(title: title, body: body, threadID: thread, category: category)
    }

    /// Reads JSON as such and as iOS gives it; both must be the same.
    private func read(_ json: String) throws -> PushPayload {
        let payload = try Pushes.read(json)
        #expect(try PushPayload(userInfo: Pushes.userInfo(json)) == payload)
        return payload
    }

    // MARK: Messages

    @Test("nested: a message has what stands behind its alias on the chain")
    func nestedMessage() throws {
        let payload = Hex.encode(Array("ciph_msg:1:comm:a:b:c".utf8))
        let alert = Self.nested("New Message", "From kaspa:qp...f5k28l")
        #expect(
            try read(Pushes.kasia("contextual_message", payload: payload))
                == .message(
                    Pushes.details("contextual_message", alert), sealed: Pushes.sealed("b:c"), isInbox: false))
        let inbox = Hex.encode(Array("kchat:1:dm:91c2716cef3e35fd08bb763ca20ebeff:a:b".utf8))
        let json = Pushes.kasia("contextual_message", payload: inbox)
            .replacing(#""type":"contextual_message""#, with: #""type":"contextual_message","inbox":true"#)
        #expect(
            try read(json)
                == .message(Pushes.details("contextual_message", alert), sealed: Pushes.sealed("b"), isInbox: true))
    }

    @Test("nested: without a payload it has to be fetched, and is then filled")
    func fetched() throws {
        let push = try read(Pushes.kasia("contextual_message", payload: nil))
        #expect(push.needsFetching && push.sealed == nil)
        let sealed = try #require(SealedBody(Array("kchat:1:comm:a:b".utf8)))
        let filled = push.filled(with: sealed)
        #expect(!filled.needsFetching && filled.sealed == Pushes.sealed("b") && filled.details == push.details)
        let broadcast = PushPayload.broadcast(Pushes.details("broadcast", PushAlert()), channel: "c")
        #expect(broadcast.filled(with: sealed) == broadcast && !broadcast.needsFetching)
    }

    @Test("flat: a message's payload is text, or hex of raw bytes")
    func flatMessage() throws {
        for (payload, sealed) in [("b", "b"), ("007fff", "007fff"), (#"a\"b\\c/d"#, #"a"b\c/d"#)] {
            #expect(
                try read(Pushes.kachat("contextual", payload: payload))
                    == .message(Pushes.details("contextual", Self.flat), sealed: Pushes.sealed(sealed), isInbox: false))
            #expect(
                try Pushes.read(Pushes.web("contextual", payload: payload))
                    == .message(Pushes.details("contextual", Self.flat), sealed: Pushes.sealed(sealed), isInbox: false))
        }
        let inbox = Pushes.kachat("contextual", flags: #""inbox":true,"#, payload: "00ff:sealed")
        #expect(
            try read(inbox)
                == .message(
                    Pushes.details("contextual", Self.flat), sealed: Pushes.sealed("00ff:sealed"), isInbox: true))
        #expect(try read(Pushes.kachat("contextual", payload: nil)).needsFetching)
    }

    @Test("FCM: a message's sealed bytes are in base64, and every value is text")
    func fcmMessage() {
        #expect(
            PushPayload(data: Pushes.fcm("contextual", extra: ["enc_payload": "AP+A", "inbox": "true"]))
                == .message(
                    Pushes.details("contextual", Self.flat), sealed: SealedBody([0x00, 0xff, 0x80]), isInbox: true))
        #expect(PushPayload(data: Pushes.fcm("contextual")).needsFetching)
    }

    // MARK: Payments

    @Test("a payment has its amount in every shape; the nested one has a plain memo")
    func payment() throws {
        let chain = Hex.encode(Array("ciph_msg:1:payment:f00d".utf8))
        let alert = Self.nested("Payment Received", "1.25 KAS from kaspa:qp...f5k28l", "KASIA_PAYMENT")
        let json = Pushes.kasia(
            "payment", title: "Payment Received", body: "1.25 KAS from kaspa:qp...f5k28l", category: "KASIA_PAYMENT",
            extra: #""amount":125000000,"memo":"für \"dich\"\u000a","#, payload: chain, wakes: false)
        #expect(
            try read(json)
                == .payment(
                    Pushes.details("payment", alert), sealed: Pushes.sealed("f00d"), amount: 125_000_000,
                    memo: "für \"dich\"\n"))
        let flat = PushAlert(title: Pushes.sender, body: "Payment received")
        let expected = PushPayload.payment(
            Pushes.details("payment", flat), sealed: Pushes.sealed("f00d"), amount: .max, memo: nil)
        let amount = #""amount":18446744073709551615,"#
        #expect(
            try read(Pushes.kachat("payment", body: "Payment received", flags: amount, payload: "f00d")) == expected)
        #expect(try read(Pushes.web("payment", body: "Payment received", flags: amount, payload: "f00d")) == expected)
        #expect(
            PushPayload(
                data: Pushes.fcm(
                    "payment", body: "Payment received",
                    extra: ["amount": "18446744073709551615", "enc_payload": "8A0="]))
                == expected.filled(with: try #require(SealedBody([0xf0, 0x0d]))))
    }

    @Test("an unknown sender is null, left out, or in older pushes empty")
    func unknownSender() throws {
        let chain = Hex.encode(Array("ciph_msg:1:payment:f00d".utf8))
        let nested = try read(
            Pushes.kasia(
                "payment", category: "KASIA_PAYMENT", sender: nil, thread: nil, extra: #""amount":700000000,"#,
                payload: chain))
        let flat = try read(Pushes.kachat("payment", title: "Unknown sender", sender: nil, payload: nil))
        let empty = try read(Pushes.kachat("payment", title: "Unknown sender", sender: "", payload: nil))
        for push in [nested, flat, empty] {
            #expect(push.details != nil && push.details?.sender == nil)
        }
    }

    // MARK: Groups, requests

    @Test("a group message has the writer's blinded id, and everything after `gcomm:`")
    func groupMessage() throws {
        let group = try #require(try MessageVectors.load().groups.first)
        let body = Pushes.sealed(String(group.payload.dropFirst("ciph_msg:1:gcomm:".count)))
        let nested = Pushes.kasia(
            "group_message", title: "New Group Message", extra: #""groupId":"\#(group.blindedGroupId)","#,
            payload: Hex.encode(Array(group.payload.utf8)))
        #expect(
            try read(nested)
                == .groupMessage(
                    Pushes.details("group_message", Self.nested("New Group Message", "From kaspa:qp...f5k28l")),
                    sealed: body, groupID: group.blindedGroupId))
        let alert = PushAlert(title: Pushes.sender, body: "New group message")
        let expected = PushPayload.groupMessage(
            Pushes.details("group_message", alert), sealed: body, groupID: group.blindedGroupId)
        let text = String(decoding: try #require(body).bytes, as: UTF8.self)
        let end = #","blinded_group_id":"\#(group.blindedGroupId)""#
        #expect(
            try read(Pushes.kachat("group_message", body: "New group message", payload: text, end: end)) == expected)
        #expect(try read(Pushes.web("group_message", body: "New group message", payload: text, end: end)) == expected)
        let fcm = Pushes.fcm(
            "group_message", body: "New group message",
            extra: ["blinded_group_id": group.blindedGroupId, "enc_payload": Base64.encode(Array(text.utf8))])
        #expect(PushPayload(data: fcm) == expected)
    }

    @Test("handshakes and group updates have their sealed part")
    func others() throws {
        let handshake = Hex.encode(Array("ciph_msg:1:handshake:hi".utf8))
        let nested = try read(
            Pushes.kasia(
                "handshake", title: "New Contact Request", category: "KASIA_CONTACT_REQUEST", payload: handshake))
        #expect(nested.details?.alert.category == "KASIA_CONTACT_REQUEST")
        guard case .handshake(_, let sealed) = nested else {
            Issue.record("no handshake")
            return
        }
        #expect(sealed == Pushes.sealed("hi"))
        let key = String(repeating: "22", count: 32)
        let control = Hex.encode(Array("ciph_msg:1:gctl:\(key):beef".utf8))
        guard case .groupControl(_, let body) = try read(Pushes.kasia("group_control", payload: control)),
            case .groupControl(_, let same) = try read(Pushes.kachat("group_control", payload: "beef"))
        else {
            Issue.record("no control")
            return
        }
        #expect(body == Pushes.sealed("beef") && same == body)
    }

    // MARK: Coins and broadcasts

    @Test("funds name the address that is paid, and in the flat shapes no sender")
    func funds() throws {
        let thread = "funds:\(Pushes.other)"
        let nested = Pushes.kasia(
            "address_activity", title: "Funds received", body: "Received 1.25 KAS", category: nil, thread: thread,
            extra: #""address":"\#(Pushes.other)","amount":125000000,"#, payload: nil, wakes: false)
        #expect(
            try read(nested)
                == .addressActivity(
                    Pushes.details(
                        "address_activity", Self.nested("Funds received", "Received 1.25 KAS", nil, thread: thread)),
                    address: Pushes.other, amount: 125_000_000))
        let flags = #""address":"\#(Pushes.other)","amount":125000000,"#
        let alert = PushAlert(title: "Funds received", body: "Received 1.25 KAS")
        #expect(
            try read(
                Pushes.web(
                    "address_activity", title: "Funds received", body: "Received 1.25 KAS", sender: nil, flags: flags,
                    payload: nil))
                == .addressActivity(
                    Pushes.details("address_activity", alert, sender: nil), address: Pushes.other, amount: 125_000_000))
        let kachat = Pushes.kachat(
            "address_activity", title: "Funds received", body: "Received 1.25 KAS", sender: nil,
            aps: #""sound":"default","thread-id":"\#(thread)","#, flags: flags, payload: nil)
        #expect(try read(kachat).details?.alert.threadID == thread)
        let fcm = Pushes.fcm(
            "address_activity", title: "Funds received", body: "Received 1.25 KAS", sender: nil,
            extra: ["address": Pushes.other, "amount": "125000000"])
        #expect(
            PushPayload(data: fcm)
                == .addressActivity(
                    Pushes.details("address_activity", alert, sender: nil), address: Pushes.other, amount: 125_000_000))
    }

    @Test("a payment taken back names its amount")
    func reverted() throws {
        let nested = Pushes.kasia(
            "payment_reverted", title: "Payment Reversed", category: "KASIA_PAYMENT", extra: #""amount":7,"#,
            payload: nil, wakes: false)
        let flat = Pushes.kachat(
            "payment_reverted", body: "Payment reversed", sender: nil, aps: #""sound":"default","#,
            flags: #""amount":7,"#, payload: nil)
        let fcm = Pushes.fcm("payment_reverted", body: "Payment reversed", sender: nil, extra: ["amount": "7"])
        for push in [try read(nested), try read(flat), PushPayload(data: fcm)] {
            guard case .paymentReverted(_, let amount) = push else {
                Issue.record("\(push) is no payment taken back")
                continue
            }
            #expect(amount == 7 && !push.needsFetching)
        }
    }

    @Test("a broadcast has its channel, by name or by its thread")
    func broadcast() throws {
        let aps =
            ##"{"aps":{"alert":{"title":"#kachat-bugs","subtitle":"kaspa:qp...f5k28l","body":"say \"hi\""},"##
            + #""sound":"default","thread-id":"broadcast:kachat-bugs","mutable-content":1},"#
        let alert = PushAlert(
            title: "#kachat-bugs", subtitle: "kaspa:qp...f5k28l", body: "say \"hi\"",
            threadID: "broadcast:kachat-bugs")
        let expected = PushPayload.broadcast(
            Pushes.details("broadcast", alert, sender: nil, hasBlock: false), channel: "kachat-bugs")
        let id = Pushes.transaction
        #expect(try read(aps + #""kasia":{"type":"broadcast","txId":"\#(id)","seq":17}}"#) == expected)
        #expect(try read(aps + #""type":"broadcast","tx_id":"\#(id)","seq":17}"#) == expected)
        let web = Pushes.web(
            "broadcast", title: "#news", body: "hello", sender: nil, flags: #""channel":"news","#, payload: nil)
        let flat = PushAlert(title: "#news", body: "hello")
        #expect(
            try read(web) == .broadcast(Pushes.details("broadcast", flat, sender: nil), channel: "news"))
        let fcm = Pushes.fcm("broadcast", title: "#news", body: "hello", sender: nil, extra: ["channel": "news"])
        #expect(
            PushPayload(data: fcm) == .broadcast(Pushes.details("broadcast", flat, sender: nil), channel: "news"))
    }
}
