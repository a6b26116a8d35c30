import JSON
import KasiaProtocol
import SampleOperations
import Store
import Testing

@testable import Carriers

@Suite("BroadcastContent")
struct BroadcastContentTests {
    private static func parse(_ payload: [UInt8]) -> ParsedPayload? { OperationPayload(parsing: payload).parsed }

    private static func read(_ payload: [UInt8]) -> BroadcastContent? {
        parse(payload).flatMap { BroadcastContent($0, payload: payload) }
    }

    private static func read(_ content: String) -> BroadcastContent? { read(Samples.broadcast(content)) }

    @Test("Only a broadcast with a valid channel is one")
    func others() {
        #expect(Self.read(Samples.message()) == nil)
        #expect(Self.read(Samples.broadcast("hi", channel: "")) == nil)
        #expect(Self.read(Samples.broadcast("hi", channel: "a b")) == nil)
        #expect(Self.read(Array("ciph_msg:1:bcast:".utf8) + [0xff, 0x3a, 0x61]) == nil)
        #expect(
            Self.read(Samples.broadcast("hi", channel: String(repeating: " ", count: 1_021) + "abc"))?.channel == "abc")
        #expect(Self.read(Samples.broadcast("hi", channel: String(repeating: " ", count: 1_022) + "abc")) == nil)
        #expect(Self.read(Samples.broadcast("a:b", channel: " KASPA"))?.channel == "kaspa")
    }

    // MARK: Forms and previews

    @Test(
        "The form follows from the content's JSON",
        arguments: [
            ("hello: you", .text, "hello: you"), ("", .text, ""), (" {x", .text, " {x"), ("42", .text, "42"),
            (#"{"type":"reply","reference":{"text":"old"},"text":"new"}"#, .reply, "new"),
            (#" {"text":"a\nb\ud83d\ude00","replyToId":"1","type":"reply"} "#, .reply, "a\nb😀"),
            (#"{"type":"reply"}"#, .reply, #"{"type":"reply"}"#),
            (#"{"type":"reply","text":5}"#, .reply, #"{"type":"reply","text":5}"#),
            (#"{"type":"file","name":"voice.webm","content":"data:audio"}"#, .file, "Voice message"),
            (#"{"type":"reaction","emoji":"👍"}"#, .reaction, #"{"type":"reaction","emoji":"👍"}"#),
            (#"{"type":"edit","text":"better"}"#, .edit, #"{"type":"edit","text":"better"}"#),
            (#"{"type":"poll","text":"a"}"#, .text, #"{"type":"poll","text":"a"}"#),
            (#"{"type":"reply","text":"a"} b"#, .text, #"{"type":"reply","text":"a"} b"#),
            (#"{"a":{"type":"file"}}"#, .text, #"{"a":{"type":"file"}}"#),
        ] as [(String, BroadcastForm, String)])
    func forms(content: String, form: BroadcastForm, preview: String) {
        #expect(Self.parse(Samples.broadcast(content))?.form == form)
        #expect(Self.read(content)?.preview == preview)
    }

    @Test(
        "A preview has at most 150 characters, and a reply is read before it is cut", arguments: [149, 150, 151, 5_000])
    func cuts(count: Int) {
        for character in ["a", "é", "👩🏽", "\n"] {
            let text = String(repeating: character, count: count)
            let preview = String(repeating: character, count: min(count, 150))
            #expect(Self.read(text)?.preview == preview)
            let written = character == "\n" ? String(repeating: #"\n"#, count: count) : text
            let reference = String(repeating: "quoted ", count: 100)
            #expect(
                Self.read(#"{"type":"reply","reference":{"text":"\#(reference)"},"text":"\#(written)"}"#)?.preview
                    == preview)
        }
    }

    @Test("A preview has at most 3,000 bytes, and ends with a whole scalar", arguments: 2_990...3_010)
    func cutsBytes(marks: Int) {
        // One character, however long it is.
        for (mark, width) in [("\u{301}", 2), ("\u{20dd}", 3), ("\u{1d167}", 4)] {
            for start in ["", "a", "ab"] {
                let count = marks / width
                let preview = Self.read(start + String(repeating: mark, count: count))?.preview
                let fitting = min(count, (3_000 - start.utf8.count) / width)
                #expect(preview == start + String(repeating: mark, count: fitting))
            }
        }
    }

    @Test("What JSON escapes counts as it is written", arguments: [("\"", 2), ("\\", 2), ("\u{1}", 6), ("\u{7f}", 1)])
    func countsEscapes(character: String, width: Int) {
        // One character of 2,100 bytes before it.
        let start = "a" + String(repeating: "\u{20dd}", count: 700)
        let preview = Self.read(start + String(repeating: character, count: 1_000))?.preview
        #expect(preview == start + String(repeating: character, count: min(149, (3_000 - 2_101) / width)))
        var json = JSONWriter()
        json.object { $0.member("a", preview ?? "") }
        #expect(json.bytes.count <= 3_000 + #"{"a":""}"#.utf8.count)
    }

    @Test("Bytes that are not UTF-8 are replaced, and count as what replaces them")
    func replaces() {
        let start = Array("ciph_msg:1:bcast:kaspa:".utf8)
        #expect(Self.read(start + [0x61, 0xff, 0xc3, 0x28])?.preview == "a\u{fffd}\u{fffd}(")
        #expect(
            Self.read(start + [UInt8](repeating: 0xff, count: 5_000))?.preview
                == String(repeating: "\u{fffd}", count: 150))
        let reply = start + Array(#"{"type":"reply","text":""#.utf8) + [0xff] + Array(#""}"#.utf8)
        #expect(Self.read(reply)?.preview == "\u{fffd}")
    }

    @Test(
        "Longer content than 100,000 bytes is text, whatever it is",
        arguments: [(99_999, true), (100_000, true), (100_001, false)])
    func longest(count: Int, isRead: Bool) {
        let start = #"{"type":"file","content":""#
        let content = start + String(repeating: "A", count: count - start.utf8.count - 2) + #""}"#
        #expect(Self.parse(Samples.broadcast(content))?.form == (isRead ? .file : .text))
        #expect(Self.read(content)?.preview == (isRead ? "Voice message" : String(content.prefix(150))))
    }
}
