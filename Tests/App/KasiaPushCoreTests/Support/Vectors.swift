import Foundation
import Kaspa

@testable import KasiaPushCore

/// The bytes of hex digits; none for what is no hex, which no test can take for a key.
func hex(_ text: String) -> [UInt8] { Hex.decode(text) ?? [] }

/// The same of base64.
func base64(_ text: String) -> [UInt8] { Base64.decode(text.utf8) ?? [] }

/// The files in `Fixtures`, made by code that nobody here wrote.
enum Fixture {
    static func data(_ path: String) throws -> Data {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Fixtures/\(path)").standardized
        return try Data(contentsOf: file)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: data("vectors/\(name).json"))
    }
}

/// `messages.json`: what the apps seal, with the keys that open it.
struct MessageVectors: Decodable {
    struct Sealed: Decodable {
        let receiverSecret: String
        let receiverAddress: String?
        let sharedX: String?
        let key: String?
        let ephemeralSecret: String?
        let sealed: String
        let text: String?
        let error: String?
    }

    struct Pair: Decodable {
        let mine: String
        let theirs: String
    }

    struct Aliases: Decodable {
        let mySecret: String
        let myKey: String
        let theirKey: String
        let chat: Pair
        let dmAliasV1: Pair

        enum CodingKeys: String, CodingKey {
            case mySecret, myKey, theirKey, chat
            // The strategy leaves `_1` as it is.
            case dmAliasV1
        }
    }

    struct Inbox: Decodable {
        let address: String
        let tag: String
    }

    struct Group: Decodable {
        let groupSeed: String
        let groupId: String
        let epoch: UInt64
        let groupRoot: String
        let blindingKey: String
        let senderAddress: String
        let senderKeyXonly: String
        let blindedGroupId: String
        let text: String
        let payload: String
    }

    let sealed: [Sealed]
    let aliases: [Aliases]
    let inboxTags: [Inbox]
    let groups: [Group]

    static func load() throws -> MessageVectors { try Fixture.decode(MessageVectors.self, "messages") }
}

/// `payloads.json`: whole payloads, and what of them is the body.
struct PayloadVector: Decodable {
    let payload: String
    let kind: String
    let body: String?

    static func load() throws -> [PayloadVector] { try Fixture.decode([PayloadVector].self, "payloads") }
}

/// `addresses.json`: good and bad ones.
struct AddressVectors: Decodable {
    struct Valid: Decodable {
        let address: String
    }

    struct Invalid: Decodable {
        let address: String
        let why: String
    }

    let valid: [Valid]
    let invalid: [Invalid]

    static func load() throws -> AddressVectors { try Fixture.decode(AddressVectors.self, "addresses") }
}
