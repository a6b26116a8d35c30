import KasiaProtocol
import Kaspa
import Testing

@Suite("Payload grammar")
struct PayloadGrammarTests {
    private func classify(_ text: String) -> PayloadClassification {
        PayloadGrammar.classify(Array(text.utf8))
    }

    private func read(_ text: String) -> ParsedPayload? {
        guard case .operation(let operation) = classify(text) else { return nil }
        return operation
    }

    private func field(_ range: Range<Int>?, of text: String) -> String? {
        range.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
    }

    @Test(
        "what has no root, or nothing after it, is not ours",
        arguments: ["", "c", "k", "ciph_msg:", "kchat:", "kchat", "kchat;1:pay:x", "Kchat:1:pay:x", " kchat:1:pay:x"])
    func notOurs(text: String) {
        #expect(classify(text) == .notOurs)
    }

    @Test(
        "what follows a root without the version is a legacy handshake", arguments: ["1", "x", "2:comm:a:b", ":", "1;"])
    func legacy(rest: String) throws {
        for root in ["ciph_msg:", "kchat:"] {
            let operation = try #require(read(root + rest))
            #expect(operation.kind == .handshake)
            #expect(operation.isLegacy)
            #expect(field(operation.body, of: root + rest) == rest)
        }
    }

    @Test(
        "a version with no kind that is known is unknown",
        arguments: [
            "", "x", "comm", "COMM:a:b", "comm;a:b", "payments:x", "handshak:x", "hs", "gcomm", "self-stash:x", ":",
            "1:pay:x",
        ])
    func unknown(rest: String) {
        #expect(classify("kchat:1:\(rest)") == .unknown)
    }

    @Test("both older forms of a tag mean the same kind", arguments: [("handshake:", "hs:"), ("payment:", "pay:")])
    func olderForms(new: String, old: String) throws {
        let (first, second) = (try #require(read("kchat:1:\(new)x")), try #require(read("kchat:1:\(old)x")))
        #expect(first.kind == second.kind)
        #expect(!first.isLegacy && !second.isLegacy)
    }

    @Test(
        "a contextual message needs an alias and its separator",
        arguments: [
            ("comm:a:b", "a", "b"), ("comm:a:", "a", ""), ("comm:a|b:c", "a|b", "c"), ("comm:a::", "a", ":"),
            ("comm::b", nil, nil), ("comm:a", nil, nil), ("comm:", nil, nil), ("comm:a|b", nil, nil),
            ("msg:a|b", "a", "b"), ("msg:a:b|c", "a:b", "c"), ("msg:a|", "a", ""), ("msg:|b", nil, nil),
            ("msg:a:b", nil, nil), ("msg:", nil, nil),
        ] as [(String, String?, String?)])
    func contextualMessage(rest: String, alias: String?, body: String?) {
        let text = "kchat:1:\(rest)"
        #expect(field(read(text)?.alias, of: text) == alias)
        #expect(field(read(text)?.body, of: text) == body)
        #expect((classify(text) == .malformed(.contextualMessage)) == (alias == nil))
    }

    @Test(
        "a self-stash has a scope if it has a colon",
        arguments: [
            ("", nil, ""), ("b", nil, "b"), ("s:b", "s", "b"), ("s:", "s", ""), (":b", "", "b"), ("s:b:c", "s", "b:c"),
        ] as [(String, String?, String)])
    func selfStash(rest: String, scope: String?, body: String) {
        let text = "ciph_msg:1:self_stash:\(rest)"
        #expect(field(read(text)?.scope, of: text) == scope)
        #expect(field(read(text)?.body, of: text) == body)
    }

    @Test(
        "a broadcast needs the colon after its channel",
        arguments: [
            ("c:t", "c", "t"), ("c:", "c", ""), (":t", "", "t"), ("c:t:u", "c", "t:u"), ("c", nil, nil), ("", nil, nil),
        ] as [(String, String?, String?)])
    func broadcast(rest: String, channel: String?, body: String?) {
        let text = "ciph_msg:1:bcast:\(rest)"
        #expect(field(read(text)?.channel, of: text) == channel)
        #expect(field(read(text)?.body, of: text) == body)
        #expect((classify(text) == .malformed(.broadcast)) == (channel == nil))
    }

    @Test(
        "a broadcast's channel has the name that names are compared by, if it is a valid one",
        arguments: [("kaspa", "kaspa"), (" News ", "news"), ("", nil), ("a b", nil)] as [(String, String?)])
    func channelName(written: String, name: String?) {
        #expect(read("ciph_msg:1:bcast:\(written):x")?.channelName == name)
    }

    @Test("only a payment and a handshake pay a receiver", arguments: OperationKind.allCases)
    func paysReceiver(kind: OperationKind) {
        #expect(kind.paysReceiver == [.payment, .handshake].contains(kind))
    }

    @Test("a body of 100,000 bytes is a range like any other")
    func longBody() throws {
        let start = Array("kchat:1:comm:a:".utf8)
        let payload = start + [UInt8](repeating: 0, count: 100_000)
        guard case .operation(let operation) = PayloadGrammar.classify(payload) else {
            Issue.record("no operation")
            return
        }
        #expect(operation.body == start.count..<payload.count)
    }

    @Test("the kinds have the names and the numbers that others rely on")
    func kinds() {
        #expect(OperationKind.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7])
        #expect(
            OperationKind.allCases.map(\.description) == [
                "handshake", "payment", "contextual_message", "self_stash", "group_message", "group_control",
                "broadcast",
            ])
    }
}
