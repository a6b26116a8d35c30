import KasiaProtocol
import Kaspa
import Testing

@Suite("Payload vectors")
struct PayloadVectorTests {
    @Test("the file has the payloads that were given, of every kind")
    func counts() throws {
        let vectors = try PayloadVector.load()
        #expect(vectors.count == 53)
        #expect(Set(vectors.compactMap(\.operationKind)) == Set(OperationKind.allCases))
        #expect(vectors.count { $0.note.hasPrefix("taken from chain") } == 3)
    }

    @Test("a payload is classified as the vectors say, with every field", arguments: try PayloadVector.load())
    func classification(vector: PayloadVector) throws {
        let payload = try #require(Hex.decode(vector.payload))
        let classification = PayloadGrammar.classify(payload)
        switch vector.kind {
        case "none": #expect(classification == .notOurs)
        case "unknown": #expect(classification == .unknown)
        case "malformed":
            guard case .malformed = classification else {
                Issue.record("\(classification)")
                return
            }
        default:
            guard case .operation(let operation) = classification else {
                Issue.record("\(classification)")
                return
            }
            try expect(operation, in: payload, matches: vector)
        }
    }

    private func expect(_ operation: ParsedPayload, in payload: [UInt8], matches vector: PayloadVector) throws {
        func hex(_ range: Range<Int>?) -> String? { range.map { Hex.encode(payload[$0]) } }
        let alias = vector.aliasBytes ?? vector.alias.map { Hex.encode($0.utf8) }

        #expect(operation.kind == vector.operationKind)
        #expect(operation.isLegacy == (vector.legacy ?? false))
        #expect(hex(operation.alias) == alias)
        #expect(hex(operation.scope) == vector.scope)
        #expect(hex(operation.channel) == vector.channel.map { Hex.encode($0.utf8) })
        #expect(operation.channelName == vector.channel.flatMap { ChannelName($0)?.text })
        #expect((operation.form != nil) == (operation.kind == .broadcast))
        #expect(operation.recipient.map { Hex.encode($0) } == vector.recipient)
        #expect((operation.group != nil) == (operation.kind == .groupMessage))
        if let group = operation.group {
            #expect(Hex.encode(group.blindedGroupID) == vector.blindedGroupId)
            #expect(String(group.epoch) == vector.epoch)
            #expect(Hex.encode(group.senderID) == vector.senderId)
            #expect(Hex.encode(group.senderPublicKey) == vector.senderPub)
            #expect(Hex.encode(group.messageID) == vector.msgId)
        }
        // The vectors give no body for group messages: it is everything after the tag.
        let tag = (payload.first == 0x63 ? "ciph_msg:1:gcomm:" : "kchat:1:gcomm:").utf8
        #expect(hex(operation.body) == vector.body ?? Hex.encode(payload.dropFirst(tag.count)))
    }

    @Test("a violation of the invariants is found in none of them", arguments: try PayloadVector.load())
    func invariants(vector: PayloadVector) throws {
        let payload = try #require(Hex.decode(vector.payload))
        #expect(PayloadInvariants.violation(by: PayloadGrammar.classify(payload), of: payload) == nil)
        #expect(ReferenceGrammar.reads(payload, as: PayloadGrammar.classify(payload)))
    }

    @Test("borrowed memory is read as an array is, also from its middle", arguments: try PayloadVector.load())
    func borrowed(vector: PayloadVector) throws {
        let payload = try #require(Hex.decode(vector.payload))
        let expected = PayloadGrammar.classify(payload)
        (Array("kchat:".utf8) + payload + Array(":1:comm:".utf8)).withUnsafeBytes { bytes in
            let middle = UnsafeRawBufferPointer(rebasing: bytes[6..<6 + payload.count])
            #expect(PayloadGrammar.classify(middle) == expected)
            #expect(PayloadGrammar.classify(middle.bytes) == expected)
        }
    }
}
