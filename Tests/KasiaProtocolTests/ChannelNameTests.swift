import KasiaProtocol
import Testing

@Suite("Names of channels")
struct ChannelNameTests {
    @Test(
        "names are compared trimmed and in lower case",
        arguments: [
            ("kaspa", "kaspa"), ("KASPA", "kaspa"), (" kachat-bugs\n", "kachat-bugs"), ("\u{2003}Ελλάδα\t", "ελλάδα"),
            ("#kaspa", "#kaspa"), ("中文", "中文"), ("a|b", "a|b"),
        ])
    func normalForm(written: String, text: String) {
        #expect(ChannelName(written)?.text == text)
        #expect(ChannelName(bytes: Array(written.utf8))?.text == text)
        #expect(ChannelName(text)?.text == text)
    }

    @Test(
        "empty, with white space or a colon inside, it is none", arguments: ["", " ", "\t\n", "a b", "a\u{a0}b", "a:b"])
    func none(written: String) {
        #expect(ChannelName(written) == nil)
    }

    @Test("a name has at most 36 characters, and white space around it does not count")
    func length() {
        for count in 35...37 {
            #expect((ChannelName(String(repeating: "é", count: count)) != nil) == (count <= 36))
            #expect((ChannelName("  " + String(repeating: "A", count: count) + "  ") != nil) == (count <= 36))
        }
        // A letter of one byte, another of one, and marks of two bytes that belong to the first: 144 bytes, and more.
        for (marks, isName) in [(71, true), (72, false)] {
            let text = "a" + String(repeating: "\u{301}", count: marks) + "b"
            #expect((ChannelName(text) != nil) == isName)
        }
        #expect(ChannelName(String(repeating: " ", count: 1_023) + "a") != nil)
        #expect(ChannelName(String(repeating: " ", count: 1_024) + "a") == nil)
    }

    @Test("bytes that are not UTF-8 are no name")
    func bytes() {
        #expect(ChannelName(bytes: [0x6b, 0xff]) == nil)
        #expect(ChannelName(bytes: [0xc3]) == nil)
        #expect(ChannelName(bytes: []) == nil)
    }
}
