import KasiaProtocol
import Testing

@Suite("What a broadcast's content is")
struct BroadcastFormTests {
    private func form(_ content: String) -> BroadcastForm { BroadcastForm(of: Array(content.utf8)[...]) }

    @Test(
        "the member type of a JSON object says it, and anything else is text",
        arguments: [
            (#"{"type":"reply","text":"new"}"#, BroadcastForm.reply), (#" {"type":"file"} "#, .file),
            ("\t\r\n{\"type\":\"reaction\"}", .reaction), (#"{"text":"better","type":"edit"}"#, .edit),
            (#"{"type":"poll"}"#, .text), (#"{"type":5}"#, .text), (#"{"a":{"type":"file"}}"#, .text),
            (#"{"type":"reply"} b"#, .text), (#"{"type":"reply""#, .text), (#"[{"type":"reply"}]"#, .text),
            (#"{"type":"edit","type":"file"}"#, .file), ("hello", .text), ("", .text), ("{", .text), (" ", .text),
        ])
    func forms(content: String, expected: BroadcastForm) {
        #expect(form(content) == expected)
        let payload = Array("kchat:1:bcast:c:\(content)".utf8)
        guard case .operation(let parsed) = PayloadGrammar.classify(payload) else {
            Issue.record("no operation")
            return
        }
        #expect(parsed.form == expected)
    }

    @Test("content of more than 100,000 bytes is text, whatever it is", arguments: [99_999, 100_000, 100_001])
    func longest(count: Int) {
        let start = #"{"type":"edit","text":""#
        let content = start + String(repeating: "a", count: count - start.utf8.count - 2) + "\"}"
        #expect(content.utf8.count == count)
        #expect(form(content) == (count <= 100_000 ? .edit : .text))
        guard case .operation(let parsed) = PayloadGrammar.classify(Array("kchat:1:bcast:c:\(content)".utf8)) else {
            Issue.record("no operation")
            return
        }
        #expect(parsed.form == (count <= 100_000 ? .edit : .text))
    }

    @Test("reactions and edits are no news; the numbers are those that the store has")
    func isNews() {
        #expect(BroadcastForm.allCases.filter(\.isNews) == [.text, .reply, .file])
        #expect(BroadcastForm.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
    }
}
