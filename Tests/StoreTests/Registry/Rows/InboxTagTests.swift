import Foundation
import Kaspa
import Testing

@testable import Store

@Suite("Tags of inboxes")
struct InboxTagTests {
    private struct Vectors: Decodable {
        struct Inbox: Decodable {
            let address: String
            let tag: String
        }
        let inbox_tags: [Inbox]
    }

    @Test("An address has the tag that the apps compute, on every network")
    func vectors() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Fixtures/vectors/messages.json").standardized
        let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file)).inbox_tags
        #expect(vectors.count == 6)
        for vector in vectors {
            for text in [vector.address, vector.address.uppercased()] {
                #expect(Hex.encode(try Address(parsing: text).inboxTag) == vector.tag)
            }
        }
    }
}
