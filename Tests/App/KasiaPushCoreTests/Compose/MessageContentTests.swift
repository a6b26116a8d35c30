import Testing

@testable import KasiaPushCore

@Suite("What a message is")
struct MessageContentTests {
    @Test(
        "is read from its text",
        arguments: [
            ("hello", .text("hello")), ("", .text("")), ("aud:AAAA", .voice), ("Aud:AAAA", .text("Aud:AAAA")),
            (" aud:A", .text(" aud:A")),
            (#"{"type": "reply", "reference": {"txId": "ab"}, "text": "yes"}"#, .text("yes")),
            (#" {"type":"reply","replyToId":"1","text":"für \"dich\""}"#, .text("für \"dich\"")),
            (#"{"type":"reply","text":7}"#, .other), (#"{"type":"reply"}"#, .other),
            (#"{"type":"reply","text":"aud:AA"}"#, .voice),
            (#"{"type":"reply","text":"{\"type\":\"file\",\"mimeType\":\"image/jpeg\"}"}"#, .photo),
            (#"{"type":"reply","text":"{\"type\":\"reply\",\"text\":\"x\"}"}"#, .other),
            (#"{"type":"reaction","emoji":"👍","action":"add"}"#, .reaction), (#"{"type":"edit","text":"x"}"#, .edit),
            (#"{"type":"file","mimeType":"audio/webm","content":"data:"}"#, .voice),
            (#"{"type":"file","mimeType":"VIDEO/mp4"}"#, .video), (#"{"type":"file","mimeType":"text/plain"}"#, .file),
            (#"{"type":"file"}"#, .file), (#"{"mimeType":"image/png","content":"data:"}"#, .photo),
            (#"{"type":"addr_pool","addresses":[]}"#, .control), (#"{"type":"addr_pool_request"}"#, .control),
            (#"{"type":"payment_notice","txId":"a","amountSompi":123450000}"#, .payment(123_450_000)),
            (#"{"type":"payment_notice","amountSompi":"1"}"#, .payment(nil)),
            (#"{"type":"payment_notice","amountSompi":-1}"#, .payment(nil)),
            (#"{"type":"call_invite","video":true}"#, .call), (#"{"type":"chess_move"}"#, .other),
            (#"{"a":1}"#, .text(#"{"a":1}"#)), ("{hi}", .text("{hi}")),
            (#"{"type":"reply""#, .text(#"{"type":"reply""#)),
            (#"{"type":7}"#, .text(#"{"type":7}"#)), ("[1]", .text("[1]")),
        ] as [(String, MessageContent)])
    func reads(text: String, content: MessageContent) {
        #expect(MessageContent(text) == content)
    }

    @Test("of more than 100,000 bytes is text", arguments: [100_000, 100_001])
    func longest(count: Int) {
        let start = #"{"type":"edit","text":""#
        let text = start + String(repeating: "x", count: count - start.utf8.count - 2) + #""}"#
        #expect(text.utf8.count == count)
        #expect(MessageContent(text) == (count > 100_000 ? .text(text) : .edit))
    }

    @Test("of deep JSON is found in no time")
    func deep() {
        let text =
            #"{"a":"# + String(repeating: "[", count: 40_000) + String(repeating: "]", count: 40_000)
            + #","type":"edit"}"#
        #expect(MessageContent(text) == .edit)
    }
}
