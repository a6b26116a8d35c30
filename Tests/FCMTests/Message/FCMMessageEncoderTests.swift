import Carriers
import Foundation
import Kaspa
import SampleOperations
import Store
import Testing

@testable import FCM

/// One push, and exactly the message that goes to Google.
struct GoldenMessage: Sendable, CustomTestStringConvertible {
    let name: String
    let push: OutgoingPush
    let json: String

    var testDescription: String { name }

    private static let sender = "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"

    private static func json(
        _ type: String, _ body: String, title: String = sender, sender: String? = sender, address: String? = nil,
        extra: String = "", end: String = "", notification: String = "", android: String = ""
    ) -> String {
        #"{"message":{"token":"\#(Samples.registrationToken)","android":{"priority":"HIGH","ttl":"86400s"\#(android)},"#
            + #"\#(notification)"data":{"type":"\#(type)","# + (sender.map { #""sender":"\#($0)","# } ?? "")
            + #""tx_id":"\#(Samples.transactionText)","timestamp":"1704067200000","daa_score":"12345678","#
            + #""title":"\#(title)","body":"\#(body)"\#(extra)\#(end),"seq":"17"}}}"#
    }

    private static func payload(_ base64: String) -> String { #","enc_payload":"\#(base64)""# }

    static let all: [GoldenMessage] = [
        GoldenMessage(
            name: "contextual message", push: Samples.push(.contextualMessage, payload: Samples.message()),
            json: json("contextual", "New message", end: payload("c2VhbGVk"))),
        GoldenMessage(
            name: "contextual message, raw body",
            push: Samples.push(.contextualMessage, payload: Samples.message("") + [0x00, 0xff, 0x80]),
            json: json("contextual", "New message", end: payload("AP+A"))),
        GoldenMessage(
            name: "message to an inbox", push: Samples.push(.contextualMessage, payload: Samples.inboxMessage()),
            json: json("contextual", "New message", extra: #","inbox":"true""#, end: payload("c2VhbGVk"))),
        GoldenMessage(
            name: "payment",
            push: Samples.push(.payment, payload: Samples.payment("f00d"), amount: .max),
            json: json(
                "payment", "Payment received", extra: #","amount":"18446744073709551615""#, end: payload("8A0="))),
        GoldenMessage(
            name: "handshake", push: Samples.push(.handshake, payload: Samples.handshake("aGVsbG8")),
            json: json("handshake", "Started a conversation", end: payload("aGVsbG8="))),
        GoldenMessage(
            name: "handshake, unknown sender",
            push: Samples.push(.handshake, payload: Samples.handshake("aGVsbG8"), sender: nil),
            json: json(
                "handshake", "Started a conversation", title: "Unknown sender", sender: nil, end: payload("aGVsbG8="))),
        GoldenMessage(
            name: "group message",
            push: Samples.push(.groupMessage, payload: Samples.groupMessage(by: Samples.alice)),
            json: json(
                "group_message", "New group message",
                extra: #","blinded_group_id":"\#(String(repeating: "11", count: 32))""#,
                end: payload(
                    Data(Samples.groupMessage(by: Samples.alice).dropFirst("ciph_msg:1:gcomm:".count))
                        .base64EncodedString()))),
        GoldenMessage(
            name: "group control", push: Samples.push(.groupControl, payload: Samples.groupControl(to: Samples.bob)),
            json: json("group_control", "Group update", end: payload("vu8="))),
        GoldenMessage(
            name: "self-stash", push: Samples.push(.selfStash, payload: Array("ciph_msg:1:self_stash:s:YQ==".utf8)),
            json: json("self_stash", "New message", end: payload("YQ=="))),
        GoldenMessage(
            name: "funds",
            push: Samples.push(.addressActivity, amount: 125_000_000, address: Samples.known),
            json: json(
                "address_activity", "Received 1.25 KAS", title: "Funds received", sender: nil,
                extra: #","address":"\#(sender)","amount":"125000000""#,
                notification: #""notification":{"title":"Funds received","body":"Received 1.25 KAS"},"#)),
        GoldenMessage(
            name: "payment reverted", push: Samples.push(.paymentReverted, amount: 7),
            json: json(
                "payment_reverted", "Payment reversed", sender: nil, extra: #","amount":"7""#,
                notification: #""notification":{"title":"\#(sender)","body":"Payment reversed"},"#,
                android: #","collapse_key":"\#(Samples.transactionText)""#)),
        GoldenMessage(
            name: "broadcast",
            push: Samples.push(.broadcast, payload: Samples.broadcast("say \"hi\"", channel: "KaChat")),
            json: #"{"message":{"token":"\#(Samples.registrationToken)","android":{"priority":"HIGH","ttl":"86400s"},"#
                + ##""notification":{"title":"#kachat","body":"say \"hi\""},"data":{"type":"broadcast","##
                + #""channel":"kachat","tx_id":"\#(Samples.transactionText)","timestamp":"1704067200000","#
                + ##""title":"#kachat","body":"say \"hi\"","seq":"17"}}}"##),
    ]
}

@Suite("FCM messages")
struct FCMMessageEncoderTests {
    private let encoder = FCMMessageEncoder(maximumPayloadBytes: 3_500)
    private static let now: UInt64 = 1_700_000_000

    @Test("are written byte for byte as the Android app reads them", arguments: GoldenMessage.all)
    func golden(message: GoldenMessage) throws {
        let bytes = encoder.message(message.push, now: Self.now).encoded()
        #expect(String(decoding: bytes, as: UTF8.self) == message.json)
        let read = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: [String: Any]])
        let data = try #require(read["message"]?["data"] as? [String: Any])
        #expect(data.values.allSatisfy { $0 is String })
    }

    @Test("have a golden example of every kind")
    func everyKind() {
        #expect(Set(GoldenMessage.all.map(\.push.delivery.kind)) == Set(PushKind.allCases))
    }

    @Test("can be checked without being sent")
    func dryRun() {
        let text = String(
            decoding: encoder.message(GoldenMessage.all[0].push, now: Self.now).encoded(isDryRun: true), as: UTF8.self)
        #expect(text == #"{"validate_only":true,"# + GoldenMessage.all[0].json.dropFirst())
    }

    @Test("leave the payload out once Google called the message too large")
    func omitsPayload() {
        let push = Samples.push(.handshake, payload: Samples.handshake(), omitsPayload: true)
        #expect(!encoder.message(push, now: Self.now).data.contains { $0.key == "enc_payload" })
    }

    @Test(
        "live until the push expires, for 28 days at most",
        arguments: [
            (0, 0), (1_699_999_999, 0), (1_700_000_000, 0), (1_700_000_001, 1), (1_702_419_199, 2_419_199),
            (1_702_419_200, 2_419_200), (1_702_419_201, 2_419_200), (.max, 2_419_200),
        ] as [(UInt64, UInt64)])
    func timeToLive(expiration: UInt64, seconds: UInt64) {
        let push = Samples.push(.handshake, payload: Samples.handshake(), expiration: expiration)
        #expect(encoder.message(push, now: Self.now).timeToLive == seconds)
    }

    @Test("of a broadcast that cannot be read are shown without its content")
    func oddBroadcast() {
        let push = Samples.push(.broadcast, payload: Samples.broadcast("x", channel: "a b"))
        let message = encoder.message(push, now: Self.now)
        #expect(message.notification?.body == "New message")
        #expect(!message.data.contains { $0.key == "enc_payload" || $0.value.contains("x ") })
    }
}
