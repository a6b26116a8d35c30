import KaspaNode
import Testing

@Suite struct NodeErrorTests {
    @Test(
        "The node's words decide what an error means",
        arguments: [
            ("cannot find header 00ab", .startHashUnknown),
            ("Block 00ab does not have retention root on its chain", .startHashUnknown),
            ("the node is in transitional ibd state", .syncing),
            ("something else", .rejected), ("", .rejected),
        ] as [(String, NodeError.Code)])
    func meaning(text: String, code: NodeError.Code) {
        #expect(NodeError(refusal: text).code == code)
        #expect(NodeError(refusal: text).message == text)
    }

    @Test("A long message is cut", arguments: [499, 500, 501])
    func length(count: Int) {
        let message = NodeError(.rejected, String(repeating: "x", count: count)).message
        #expect(message.count == min(count, NodeError.maximumMessageLength))
    }
}
