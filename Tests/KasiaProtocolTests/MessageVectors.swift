import Foundation
import Kaspa
import Testing

/// What the apps put on chain, made with their own cryptography: `Fixtures/vectors/messages.json`.
struct MessageVectors: Decodable {
    struct Inbox: Decodable, CustomTestStringConvertible {
        let address: String
        let tag: String

        var testDescription: String { address }

        /// A message to this inbox, under each root.
        var payloads: [String] { ["kchat:1:dm:\(tag):4fca2c6084b1:c0de", "ciph_msg:1:dm:\(tag):f7:AA==:b"] }
    }

    struct Group: Decodable {
        let blindedGroupId: String
        let epoch: UInt64
        let senderAddress: String
        let senderKeyXonly: String
        let payload: String
    }

    let inboxTags: [Inbox]
    let groups: [Group]

    static func load() throws -> MessageVectors {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/vectors/messages.json").standardized
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(MessageVectors.self, from: Data(contentsOf: file))
    }

    /// All payloads as bytes.
    static func payloads() throws -> [[UInt8]] {
        let vectors = try load()
        return (vectors.inboxTags.flatMap(\.payloads) + vectors.groups.map(\.payload)).map { Array($0.utf8) }
    }
}
