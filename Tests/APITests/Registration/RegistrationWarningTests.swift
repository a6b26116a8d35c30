import Foundation
import HTTPTypes
import HummingbirdTesting
import KasiaProtocol
import Kaspa
import Store
import Testing

@testable import API

@Suite("Warnings of a registration")
struct RegistrationWarningTests {
    private static let alias = "20f9260eb781"
    /// The alias as the lists' member `alias` has it.
    private static let hexCoded: String = Hex.encode(Array(alias.utf8))

    private static let unsuspicious: [[String]] = [
        [], [alias], [hexCoded, alias], [String(hexCoded.dropLast())], [String(hexCoded.dropLast(2))],
        [hexCoded + "0"], [hexCoded + "00"], [String(hexCoded.dropLast()) + "g"],
    ]

    private func warnings(_ response: TestResponse) throws -> [String]? {
        #expect(response.status == .ok, "\(response.text)")
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(buffer: response.body)) as? [String: Any])
        #expect(object["status"] as? String == "ok")
        #expect(object.count == (object["warnings"] == nil ? 1 : 2))
        return object["warnings"] as? [String]
    }

    @Test("aliases that are all in hex are warned of, and stored as they are")
    func warned() async throws {
        let service = try TestService()
        let calls: [(HTTPRequest.Method, String)] = [(.post, "register"), (.put, "update"), (.post, "update")]
        let aliases = [Self.hexCoded, "636F6E766572736174696F6E", " \(String(repeating: "0", count: 24)) "]
        try await service.run { client in
            for (method, call) in calls {
                let response = try await client.send(
                    method, "/v1/push/\(call)", try registration(["aliases": aliases]))
                let warnings = try #require(try warnings(response))
                #expect(warnings.count == 1)
                #expect(warnings[0].contains("24 hex digits") && warnings[0].contains("alias_text"), "\(warnings)")
                let stored = try await service.device(token)?.aliases.map { String(decoding: $0, as: UTF8.self) }
                #expect(stored == aliases.map(\.trimmed))
            }
        }
    }

    @Test("other aliases are answered as ever")
    func others() async throws {
        try await TestService().run { client in
            for aliases in Self.unsuspicious { expectDone(try await client.register(["aliases": aliases])) }
        }
    }

    @Test("what a list tells of an alias is warned of as hex, and not as text")
    func fromAList() async throws {
        let messages = try MessageTests()
        let operation = try messages.operation(1, .contextualMessage, "comm:\(Self.alias):text")
        try await messages.service([operation]).run { client in
            let uri = "/contextual-messages/by-sender?address=\(messages.alice)"
            let row = try #require(try await messages.items(client, uri).first)
            let alias = try #require(row["alias"] as? String)
            let text = try #require(row["alias_text"] as? String)
            #expect(try warnings(try await client.register(["aliases": [alias]])) != nil)
            expectDone(try await client.register(["aliases": [text]]))
            #expect(try await messages.items(client, uri + "&alias=\(alias)").count == 1)
        }
    }

    @Test("a signed registration is warned, too")
    func signed() async throws {
        try await TestService().run { client in
            var request = try await client.challenged(try TestWallet("owner"))
            request.aliases = [Self.hexCoded]
            #expect(try warnings(try await client.send(request))?.count == 1)
        }
    }
}
