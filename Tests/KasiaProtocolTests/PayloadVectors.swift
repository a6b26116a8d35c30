import Foundation
import KasiaProtocol
import Kaspa
import Testing

/// One payload of the vectors that the project shares with its neighbours, three of them taken from chain.
struct PayloadVector: Decodable, CustomTestStringConvertible {
    let payload: String
    let kind: String
    let note: String
    let legacy: Bool?
    let body: String?
    let alias: String?
    let scope: String?
    let channel: String?
    let recipient: String?
    let aliasBytes: String?
    let blindedGroupId: String?
    let epoch: String?
    let senderId: String?
    let senderPub: String?
    let msgId: String?

    var testDescription: String { "\(kind) \(note) \(payload.prefix(60))" }

    /// The kind's name in the vectors, where it is an operation.
    var operationKind: OperationKind? {
        kind == "contextual" ? .contextualMessage : OperationKind.allCases.first { $0.description == kind }
    }

    static func load() throws -> [PayloadVector] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fixtures/vectors/payloads.json").standardized
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode([PayloadVector].self, from: Data(contentsOf: file))
    }

    /// The payloads of the vectors as bytes.
    static func payloads() throws -> [[UInt8]] {
        try load().map { try #require(Hex.decode($0.payload)) }
    }
}
