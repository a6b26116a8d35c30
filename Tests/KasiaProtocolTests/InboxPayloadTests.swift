import KasiaProtocol
import Kaspa
import Testing

@Suite("Payloads to an inbox")
struct InboxPayloadTests {
    private static let tag = "0123456789abcdef0123456789abcdef"

    private func classify(_ text: String) -> PayloadClassification { PayloadGrammar.classify(Array(text.utf8)) }

    private func read(_ text: String) -> ParsedPayload? {
        guard case .operation(let operation) = classify(text) else { return nil }
        return operation
    }

    @Test("the apps' messages are contextual messages with their tag", arguments: try MessageVectors.load().inboxTags)
    func vectors(_ vector: MessageVectors.Inbox) throws {
        for text in vector.payloads {
            let operation = try #require(read(text))
            #expect(operation.kind == .contextualMessage)
            #expect(operation.inboxTag == Hex.decode(vector.tag))
            let payload = Array(text.utf8)
            #expect(PayloadInvariants.violation(by: classify(text), of: payload) == nil)
            #expect(ReferenceGrammar.reads(payload, as: classify(text)))
        }
    }

    @Test(
        "after the tag, alias and sealed part are read as those of comm are",
        arguments: ["a:b", "a:", "a|b:c", "a::", "a:b:c", "\u{0}:\u{7f}", ":b", "a", "", "a|b"],
        ["kchat:", "ciph_msg:"])
    func likeContextualMessages(rest: String, root: String) {
        let (comm, dm) = ("\(root)1:comm:\(rest)", "\(root)1:dm:\(Self.tag):\(rest)")
        guard let expected = read(comm) else {
            #expect(classify(comm) == .malformed(.contextualMessage))
            #expect(classify(dm) == .malformed(.contextualMessage))
            return
        }
        let found = read(dm)
        let shift = dm.utf8.count - comm.utf8.count
        #expect(found?.alias == expected.alias.map { $0.lowerBound + shift..<$0.upperBound + shift })
        #expect(found?.body == expected.body.lowerBound + shift..<expected.body.upperBound + shift)
        #expect(expected.inboxTag == nil && found?.inboxTag?.count == 16)
    }

    private static let otherTags = [
        String(tag.dropLast()), tag + "0", "", tag.uppercased(), tag.dropLast() + "F", tag.dropLast() + "g", tag + tag,
    ]

    @Test("the tag is 32 lower-case hexadecimal digits, and anything else is malformed", arguments: otherTags)
    func otherTag(_ other: String) {
        for root in ["kchat:", "ciph_msg:"] {
            #expect(read("\(root)1:dm:\(Self.tag):a:b")?.inboxTag == Hex.decode(Self.tag))
            #expect(classify("\(root)1:dm:\(other):a:b") == .malformed(.contextualMessage))
        }
    }

    @Test("without its colon, dm is no kind that is known")
    func unknown() {
        for text in ["kchat:1:dm", "kchat:1:DM:\(Self.tag):a:b", "kchat:1:dm;\(Self.tag):a:b"] {
            #expect(classify(text) == .unknown)
        }
    }

    @Test("the apps' group messages name their group, and their sender as the chain does")
    func groups() throws {
        for vector in try MessageVectors.load().groups {
            let group = try #require(read(vector.payload)?.group)
            #expect(Hex.encode(group.blindedGroupID) == vector.blindedGroupId && group.epoch == vector.epoch)
            #expect(Hex.encode(group.senderPublicKey) == vector.senderKeyXonly)
            #expect(group.namesSender(try Address(parsing: vector.senderAddress)))
        }
    }
}
