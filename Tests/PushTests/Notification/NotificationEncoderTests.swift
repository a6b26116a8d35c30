import KasiaProtocol
import Kaspa
import SampleOperations
import Store
import Testing

@testable import APNs

/// One notification, and exactly the bytes that go to Apple.
struct GoldenNotification: CustomTestStringConvertible, Sendable {
    let name: String
    let kind: PushKind
    let payload: [UInt8]
    var amount: UInt64 = 0
    var hasSender = true
    let kasia: String
    let kachat: String

    var testDescription: String { name }

    private static let sender = "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"
    private static let transaction = "abababababababababababababababababababababababab0000000000000001"
    private static let end = #""timestamp":1704067200000,"daaScore":12345678,"seq":17}}"#
    private static let flatEnd = #""timestamp":1704067200000,"daa_score":12345678,"seq":17"#

    private static func kasia(
        _ title: String, _ body: String, _ category: String = "KASIA_MESSAGE", wakes: Bool, type: String,
        sender: String? = sender, extra: String = "", payload: [UInt8]
    ) -> String {
        #"{"aps":{"alert":{"title":"\#(title)","body":"\#(body)"},"sound":"default","#
            + (sender.map { #""thread-id":"\#($0)","# } ?? "")
            + #""category":"\#(category)","mutable-content":1"# + (wakes ? #","content-available":1"# : "")
            + #"},"kasia":{"type":"\#(type)","txId":"\#(transaction)","#
            + #""sender":\#(sender.map { "\"\($0)\"" } ?? "null"),\#(extra)"#
            + #""payload":"\#(Hex.encode(payload))",\#(end)"#
    }

    private static func kachat(
        _ body: String, title: String = sender, type: String, sender: String? = sender, amount: String = "",
        payload: String, extra: String = ""
    ) -> String {
        #"{"aps":{"alert":{"title":"\#(title)","body":"\#(body)"},"mutable-content":1,"content-available":1},"#
            + #""tx_id":"\#(transaction)","# + (sender.map { #""sender":"\#($0)","# } ?? "")
            + #""type":"\#(type)",\#(amount)"payload":"\#(payload)","# + flatEnd + extra + "}"
    }

    static let all: [GoldenNotification] = [
        GoldenNotification(
            name: "contextual message", kind: .contextualMessage, payload: Samples.message("b"),
            kasia: #"{"aps":{"alert":{"title":"New Message","body":"From kaspa:qp...f5k28l"},"sound":"default","#
                + #""thread-id":"\#(sender)","category":"KASIA_MESSAGE","mutable-content":1,"content-available":1},"#
                + #""kasia":{"type":"contextual_message","txId":"\#(transaction)","sender":"\#(sender)","#
                + #""payload":"636970685f6d73673a313a636f6d6d3a613a62",\#(end)"#,
            kachat: kachat("New message", type: "contextual", payload: "b")),
        GoldenNotification(
            name: "contextual message, raw body", kind: .contextualMessage,
            payload: Samples.message("") + [0x00, 0x7f, 0xff],
            kasia: kasia(
                "New Message", "From kaspa:qp...f5k28l", wakes: true, type: "contextual_message",
                payload: Samples.message("") + [0x00, 0x7f, 0xff]),
            kachat: kachat("New message", type: "contextual", payload: "007fff")),
        GoldenNotification(
            name: "contextual message, text that JSON escapes", kind: .contextualMessage,
            payload: Samples.message(#"a"b\c/d"#),
            kasia: kasia(
                "New Message", "From kaspa:qp...f5k28l", wakes: true, type: "contextual_message",
                payload: Samples.message(#"a"b\c/d"#)),
            kachat: kachat("New message", type: "contextual", payload: #"a\"b\\c/d"#)),
        GoldenNotification(
            name: "payment, sealed memo", kind: .payment, payload: Samples.payment("f00d"), amount: 125_000_000,
            kasia: kasia(
                "Payment Received", "1.25 KAS from kaspa:qp...f5k28l", "KASIA_PAYMENT", wakes: false, type: "payment",
                extra: #""amount":125000000,"#, payload: Samples.payment("f00d")),
            kachat: kachat(
                "Payment received", type: "payment", amount: #""amount":125000000,"#, payload: "f00d")),
        GoldenNotification(
            name: "payment, plain memo", kind: .payment, payload: Samples.payment(#"{"message":"für \"dich\"\n"}"#),
            amount: 1_000_000_000,
            kasia: kasia(
                "Payment Received", "10 KAS from kaspa:qp...f5k28l", "KASIA_PAYMENT", wakes: false, type: "payment",
                extra: #""amount":1000000000,"memo":"für \"dich\"\u000a","#,
                payload: Samples.payment(#"{"message":"für \"dich\"\n"}"#)),
            kachat: kachat(
                "Payment received", type: "payment", amount: #""amount":1000000000,"#,
                payload: Hex.encode(Array(#"{"message":"für \"dich\"\n"}"#.utf8)))),
        GoldenNotification(
            name: "handshake", kind: .handshake, payload: Samples.handshake("hi"),
            kasia: kasia(
                "New Contact Request", "From kaspa:qp...f5k28l", "KASIA_CONTACT_REQUEST", wakes: false,
                type: "handshake",
                payload: Samples.handshake("hi")),
            kachat: kachat("Started a conversation", type: "handshake", payload: "hi")),
        GoldenNotification(
            name: "group message", kind: .groupMessage, payload: Samples.groupMessage(by: Samples.alice),
            kasia: kasia(
                "New Group Message", "From kaspa:qp...f5k28l", wakes: true, type: "group_message",
                extra: #""groupId":"\#(String(repeating: "11", count: 32))","#,
                payload: Samples.groupMessage(by: Samples.alice)),
            kachat: kachat(
                "New group message", type: "group_message",
                payload: String(
                    decoding: Samples.groupMessage(by: Samples.alice).dropFirst("ciph_msg:1:gcomm:".count),
                    as: UTF8.self),
                extra: #","blinded_group_id":"\#(String(repeating: "11", count: 32))""#)),
        GoldenNotification(
            name: "group control, addressed", kind: .groupControl, payload: Samples.groupControl(to: Samples.bob),
            kasia: kasia(
                "Group Update", "From kaspa:qp...f5k28l", wakes: true, type: "group_control",
                payload: Samples.groupControl(to: Samples.bob)),
            kachat: kachat("Group update", type: "group_control", payload: "beef")),
        GoldenNotification(
            name: "handshake, unknown sender", kind: .handshake, payload: Samples.handshake("hi"), hasSender: false,
            kasia: kasia(
                "New Contact Request", "From unknown sender", "KASIA_CONTACT_REQUEST", wakes: false,
                type: "handshake", sender: nil, payload: Samples.handshake("hi")),
            kachat: kachat(
                "Started a conversation", title: "Unknown sender", type: "handshake", sender: nil, payload: "hi")),
        GoldenNotification(
            name: "payment, unknown sender", kind: .payment, payload: Samples.payment("f00d"), amount: 700_000_000,
            hasSender: false,
            kasia: kasia(
                "Payment Received", "7 KAS from unknown sender", "KASIA_PAYMENT", wakes: false, type: "payment",
                sender: nil, extra: #""amount":700000000,"#, payload: Samples.payment("f00d")),
            kachat: kachat(
                "Payment received", title: "Unknown sender", type: "payment", sender: nil,
                amount: #""amount":700000000,"#, payload: "f00d")),
        GoldenNotification(
            name: "message to an inbox", kind: .contextualMessage, payload: Samples.inboxMessage("00ff:sealed"),
            kasia: #"{"aps":{"alert":{"title":"New Message","body":"From kaspa:qp...f5k28l"},"sound":"default","#
                + #""thread-id":"\#(sender)","category":"KASIA_MESSAGE","mutable-content":1,"content-available":1},"#
                + #""kasia":{"type":"contextual_message","inbox":true,"txId":"\#(transaction)","#
                + #""sender":"\#(sender)","payload":"\#(Hex.encode(Samples.inboxMessage("00ff:sealed")))",\#(end)"#,
            kachat: #"{"aps":{"alert":{"title":"\#(sender)","body":"New message"},"#
                + #""mutable-content":1,"content-available":1},"tx_id":"\#(transaction)","sender":"\#(sender)","#
                + #""type":"contextual","inbox":true,"payload":"00ff:sealed",\#(flatEnd)}"#),
    ]
}

@Suite("NotificationEncoder")
struct NotificationEncoderTests {
    private let encoder = NotificationEncoder(defaultFormat: .kasia, maximumPayloadBytes: 3500)

    private func text(_ golden: GoldenNotification, _ format: DeviceRecord.PayloadFormat?) -> String {
        let delivery = Samples.delivery(
            golden.kind, sender: golden.hasSender ? Samples.known : nil, amount: golden.amount)
        return String(decoding: encoder.encode(delivery, payload: golden.payload, format: format), as: UTF8.self)
    }

    @Test("The shape `kasia` is written byte for byte", arguments: GoldenNotification.all)
    func writesKasia(golden: GoldenNotification) throws {
        #expect(text(golden, .kasia) == golden.kasia)
        _ = try NotificationText(Array(golden.kasia.utf8))
    }

    @Test("The shape `kachat` is written byte for byte", arguments: GoldenNotification.all)
    func writesKachat(golden: GoldenNotification) throws {
        #expect(text(golden, .kachat) == golden.kachat)
        _ = try NotificationText(Array(golden.kachat.utf8))
    }

    @Test("A registration's format goes before the operator's default")
    func choosesFormat() {
        let golden = GoldenNotification.all[0]
        #expect(text(golden, nil) == golden.kasia)
        var flat = encoder
        flat.defaultFormat = .kachat
        let delivery = Samples.delivery(golden.kind)
        #expect(flat.encode(delivery, payload: golden.payload, format: nil) == Array(golden.kachat.utf8))
        #expect(flat.encode(delivery, payload: golden.payload, format: .kasia) == Array(golden.kasia.utf8))
    }

    @Test(
        "Amounts are exact, without trailing zeros",
        arguments: [
            (0, "0"), (1, "0.00000001"), (99_999_999, "0.99999999"), (100_000_000, "1"), (125_000_000, "1.25"),
            (UInt64.max, "184467440737.09551615"),
        ])
    func writesAmounts(amount: UInt64, kas: String) throws {
        let bytes = encoder.encode(
            Samples.delivery(.payment, amount: amount), payload: Samples.payment("f00d"), format: .kasia)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""body":"\#(kas) KAS from kaspa:qp...f5k28l""#))
        #expect(text.contains(#""amount":\#(amount),"#))
    }

    @Test("The largest seq is written as a whole number", arguments: [DeviceRecord.PayloadFormat.kasia, .kachat])
    func writesLargestSeq(format: DeviceRecord.PayloadFormat) throws {
        let bytes = encoder.encode(
            Samples.delivery(.handshake, seq: .max), payload: Samples.handshake(), format: format)
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""seq":18446744073709551615}"#))
        #expect(try NotificationText(bytes).seq == .max)
    }

    @Test(
        "After a 413 the payload stays out: null in one shape, absent in the other",
        arguments: [(DeviceRecord.PayloadFormat.kasia, true), (.kachat, false)])
    func omitsPayload(format: DeviceRecord.PayloadFormat, isNull: Bool) throws {
        let bytes = encoder.encode(
            Samples.delivery(.handshake, omitsPayload: true), payload: Samples.handshake(), format: format)
        #expect(try NotificationText(bytes).payload == nil)
        #expect(String(decoding: bytes, as: UTF8.self).contains("payload") == isNull)
    }
}
