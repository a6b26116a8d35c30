import Carriers
import Foundation
import Kaspa
import KasiaProtocol
import SampleOperations
import Store
import Testing

@testable import WebPush

@Suite("Web Push message")
struct WebPushMessageTests {
    private static let transaction = "abababababababababababababababababababababababab0000000000000001"
    private static let sender = "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"

    private func text(_ push: OutgoingPush, maximum: Int = 3_500) -> String {
        String(
            decoding: WebPushMessage(maximumPayloadBytes: maximum).encode(push),
            as: UTF8.self)
    }

    @Test("a message has title, body and what the flat shape has, with its payload as text")
    func contextual() {
        #expect(
            text(Samples.push()) == """
                {"title":"\(Self.sender)","body":"New message","type":"contextual","tx_id":"\(Self.transaction)",\
                "sender":"\(Self.sender)","payload":"c2VhbGVk","timestamp":1704067200000,"daa_score":12345678,"seq":17}
                """)
    }

    @Test("a payload that is not printable is in hex")
    func hex() {
        let payload = Samples.message() + [0x00, 0xff]
        #expect(text(Samples.push(payload: payload)).contains(#""payload":"633256686247566b00ff""#))
    }

    @Test("a payment names its amount, a message to an inbox says so, a group its id")
    func kinds() {
        let payment = text(Samples.push(.payment, payload: Samples.payment(), amount: 150_000_000))
        #expect(payment.contains(#""body":"Payment received","type":"payment""#))
        #expect(payment.contains(#""amount":150000000,"payload":"f00d""#))
        #expect(text(Samples.push(payload: Samples.inboxMessage())).contains(#""inbox":true"#))
        let group = text(Samples.push(.groupMessage, payload: Samples.groupMessage(by: Samples.alice)))
        #expect(group.contains(#""blinded_group_id":"\#(String(repeating: "11", count: 32))""#))
        let handshake = text(Samples.push(.handshake, payload: Samples.handshake(), sender: nil))
        #expect(handshake.hasPrefix(#"{"title":"Unknown sender","body":"Started a conversation","type":"handshake""#))
        #expect(!handshake.contains(#""sender""#))
    }

    @Test("funds and a reversed payment name no sender beside the title, and carry no payload")
    func funds() {
        let funds = text(
            Samples.push(.addressActivity, payload: [], amount: 125_000_000, address: Samples.alice))
        #expect(
            funds == """
                {"title":"Funds received","body":"Received 1.25 KAS","type":"address_activity",\
                "tx_id":"\(Self.transaction)","address":"\(Samples.alice)","amount":125000000,\
                "timestamp":1704067200000,"daa_score":12345678,"seq":17}
                """)
        let reverted = text(Samples.push(.paymentReverted, payload: Samples.payment(), amount: 5))
        #expect(reverted.contains(#""body":"Payment reversed","type":"payment_reverted""#))
        #expect(!reverted.contains(#""sender""#) && !reverted.contains(#""payload""#))
    }

    @Test("a broadcast has its channel and a preview, and nothing that begins a chat")
    func broadcast() {
        #expect(
            text(Samples.push(.broadcast, payload: Samples.broadcast("hello \"you\"", channel: "news"))) == """
                {"title":"#news","body":"hello \\"you\\"","type":"broadcast","channel":"news",\
                "tx_id":"\(Self.transaction)","timestamp":1704067200000,"daa_score":12345678,"seq":17}
                """)
    }

    @Test("the payload is left out when the delivery says so, or when it is longer than the operator allows")
    func withoutPayload() {
        #expect(!text(Samples.push(omitsPayload: true)).contains("payload"))
        #expect(!text(Samples.push(), maximum: 7).contains("payload"))
        #expect(text(Samples.push(), maximum: 8).contains("payload"))
        #expect(text(Samples.push(), maximum: 9).contains("payload"))
    }

    @Test("the payload is left out when the message would have more than 3,993 bytes")
    func longest() {
        let message = WebPushMessage(maximumPayloadBytes: 10_000)
        func count(_ body: Int) -> Int {
            let push = Samples.push(payload: Samples.message(String(repeating: "a", count: body)))
            return message.encode(push).count
        }
        let rest = count(1) - 1
        #expect(count(3_992 - rest) == 3_992)
        #expect(count(3_993 - rest) == 3_993)
        #expect(count(3_994 - rest) < rest)
    }

    @Test("nothing is ever longer, whatever strangers write")
    func worstCases() {
        let message = WebPushMessage(maximumPayloadBytes: 3_500)
        let control = String(repeating: "\u{1}", count: 36)
        let quotes = String(repeating: "\"", count: 36)
        var count = 0
        for channel in [control, quotes, String(repeating: "\u{1F600}", count: 36), String(repeating: "a", count: 36)] {
            for content in [control, quotes, "\u{1F600}", "e\u{301}\u{301}\u{301}"] {
                let payload = Samples.broadcast(String(repeating: content, count: 200), channel: channel)
                let push = Samples.push(
                    .broadcast, payload: payload, seq: .max, blockTime: .max, daaScore: .max)
                let bytes = message.encode(push)
                #expect(bytes.count <= 3_993)
                #expect((try? JSONSerialization.jsonObject(with: Data(bytes))) != nil)
                count += String(decoding: bytes, as: UTF8.self).contains(#""channel""#) ? 1 : 0
            }
        }
        #expect(count == 16)
        for kind in PushKind.allCases {
            let payload = Samples.message(String(repeating: "\u{1}\"", count: 1_700))
            let push = Samples.push(
                kind, payload: payload, amount: .max, seq: .max, address: Samples.alice, blockTime: .max, daaScore: .max
            )
            #expect(message.encode(push).count <= 3_993)
        }
    }
}
