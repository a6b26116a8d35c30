import Kaspa
import SampleOperations
import Store
import Testing

@testable import APNs

@Suite("Pushes about broadcasts")
struct BroadcastNotificationTests {
    private static let transaction = "abababababababababababababababababababababababab0000000000000001"
    private let encoder = NotificationEncoder(defaultFormat: .kasia, maximumPayloadBytes: 3_500)

    private func text(
        _ payload: [UInt8], _ format: DeviceRecord.PayloadFormat, sender: Address? = Samples.known
    ) -> String {
        let delivery = Samples.delivery(.broadcast, sender: sender)
        return String(decoding: encoder.encode(delivery, payload: payload, format: format), as: UTF8.self)
    }

    private static let golden: [(content: String, body: String)] = [
        ("hello: world", "hello: world"), (#"say "hi" \o/"#, #"say \"hi\" \\o/"#), ("a\nb\u{0}", #"a\u000ab\u0000"#),
        (#"{"type":"reply","reference":{"id":"1"},"text":"für \"dich\""}"#, #"für \"dich\""#),
        (#"{"type":"file","mimeType":"audio/webm","content":"data:audio/webm;base64,AAAA"}"#, "Voice message"),
        (String(repeating: "ü", count: 149), String(repeating: "ü", count: 149)),
        (String(repeating: "ü", count: 150), String(repeating: "ü", count: 150)),
        (String(repeating: "ü", count: 151), String(repeating: "ü", count: 150)),
    ]

    @Test("The shape `kachat` is written byte for byte", arguments: golden.indices)
    func kachat(index: Int) {
        let (content, body) = Self.golden[index]
        #expect(
            text(Samples.broadcast(content, channel: " KaChat-Bugs "), .kachat)
                == ##"{"aps":{"alert":{"title":"#kachat-bugs","subtitle":"kaspa:qp...f5k28l","body":"\##(body)"},"##
                + #""sound":"default","thread-id":"broadcast:kachat-bugs","mutable-content":1},"#
                + #""type":"broadcast","tx_id":"\#(Self.transaction)","seq":17}"#)
    }

    @Test("The shape `kasia` is written byte for byte", arguments: golden.indices)
    func kasia(index: Int) {
        let (content, body) = Self.golden[index]
        #expect(
            text(Samples.broadcast(content), .kasia)
                == ##"{"aps":{"alert":{"title":"#kaspa","subtitle":"kaspa:qp...f5k28l","body":"\##(body)"},"##
                + #""sound":"default","thread-id":"broadcast:kaspa","mutable-content":1},"#
                + #""kasia":{"type":"broadcast","txId":"\#(Self.transaction)","seq":17}}"#)
    }

    @Test("An unknown sender is left out", arguments: [DeviceRecord.PayloadFormat.kasia, .kachat])
    func unknownSender(format: DeviceRecord.PayloadFormat) {
        #expect(
            text(Samples.broadcast("hi"), format, sender: nil)
                .hasPrefix(##"{"aps":{"alert":{"title":"#kaspa","body":"hi"},"sound""##))
    }
}
