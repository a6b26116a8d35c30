import Foundation
import Store
import Testing

@testable import API

@Suite("OpenAPIDocument")
struct OpenAPIDocumentTests {
    private static func document() throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(OpenAPIDocument.json.utf8)) as? [String: Any])
    }

    /// All values of `$ref`, wherever they stand.
    private static func references(in value: Any) -> [String] {
        switch value {
        case let object as [String: Any]:
            object.flatMap { key, value in
                if key == "$ref", let reference = value as? String { return [reference] }
                return references(in: value)
            }
        case let array as [Any]: array.flatMap { references(in: $0) }
        default: []
        }
    }

    @Test("is valid JSON of version 3.1")
    func version() throws {
        let document = try Self.document()
        #expect(document["openapi"] as? String == "3.1.0")
        #expect((document["info"] as? [String: Any])?["title"] as? String == "Kasia push indexer")
    }

    @Test("every error code is in it, and in the app developers' guide")
    func errorCodes() throws {
        let schemas = (try Self.document()["components"] as? [String: Any])?["schemas"] as? [String: Any]
        let members = (schemas?["Error"] as? [String: Any])?["properties"] as? [String: [String: Any]]
        #expect(members?["code"]?["enum"] as? [String] == ErrorCode.allCases.map(\.rawValue))
        let root = (1...4).reduce(URL(filePath: #filePath)) { file, _ in file.deletingLastPathComponent() }
        let guide = try String(
            contentsOf: root.appendingPathComponent("deploy/docs/app-developer-guide.md"), encoding: .utf8)
        for code in ErrorCode.allCases { #expect(guide.contains("\n| `\(code.rawValue)` | "), "\(code)") }
    }

    @Test("every reference leads somewhere, and every component is referred to")
    func references() throws {
        let document = try Self.document()
        let references = Set(Self.references(in: document))
        #expect(!references.isEmpty)
        for reference in references {
            #expect(reference.hasPrefix("#/"))
            let target = reference.dropFirst(2).split(separator: "/").reduce(document as Any?) { value, name in
                (value as? [String: Any])?[String(name)]
            }
            #expect(target != nil, "\(reference) leads nowhere")
        }
        let components = try #require(document["components"] as? [String: [String: Any]])
        for (kind, members) in components {
            for name in members.keys {
                #expect(references.contains("#/components/\(kind)/\(name)"), "\(name) is not used")
            }
        }
    }

    @Test("describes each call and no other")
    func calls() throws {
        let paths = try #require(try Self.document()["paths"] as? [String: [String: Any]])
        let calls = Set(paths.flatMap { path, operations in operations.keys.map { "\($0.uppercased()) \(path)" } })
        #expect(
            calls == [
                "POST /v1/push/register", "PUT /v1/push/update", "POST /v1/push/update", "DELETE /v1/push/unregister",
                "POST /v1/push/unregister", "GET /v1/push/status", "GET /v1/push/missed", "POST /v1/push/missed",
                "GET /health", "GET /ready", "GET /metrics",
                "GET /metrics/prometheus", "GET /openapi.json", "GET /", "GET /docs", "GET /guide", "GET /status.json",
                "GET /status/stream", "POST /v1/push/status", "GET /v1/push/challenge",
                "POST /v1/push/challenge", "DELETE /v1/push/wallet", "POST /v1/push/devices",
                "POST /v1/push/ring", "GET /v1/push/vapid", "GET /v1/push/key",
                "GET /handshakes/by-sender", "GET /handshakes/by-receiver", "GET /payments/by-sender",
                "GET /payments/by-receiver", "GET /contextual-messages/by-sender", "GET /self-stash/by-owner",
                "GET /group-messages/by-blinded-group-id", "GET /group-control/by-sender",
                "GET /group-control/by-recipient", "GET /broadcasts/by-channel", "GET /v1/messages/{tx_id}",
                "GET /contextual-messages/by-inbox", "GET /contextual-messages/by-txid", "GET /get-broadcasts",
                "POST /group-messages/by-blinded-group-ids", "POST /group-messages/since", "POST /group-control/since",
                "GET /v1/activity", "GET /v1/activity/stream", "POST /v1/activity/refresh",
            ])
    }

    @Test("operation ids are unique, and each change of a registration lists its status codes")
    func operations() throws {
        let paths = try #require(try Self.document()["paths"] as? [String: [String: [String: Any]]])
        let operations = paths.flatMap { path, operations in operations.map { (path, $0.key, $0.value) } }
        #expect(Set(operations.compactMap { $0.2["operationId"] as? String }).count == operations.count)
        let always: Set = ["200", "400", "401", "408", "413", "414", "415", "429", "431", "500", "503"]
        for (path, method, operation) in operations
        where method != "get" && path.hasPrefix("/v1/push") && !path.hasSuffix("challenge") {
            let responses = try #require(operation["responses"] as? [String: Any])
            let more: Set<String> = path.hasSuffix("missed") ? ["404"] : path.hasSuffix("ring") ? ["403"] : []
            let expected = always.union(more)
            #expect(Set(responses.keys) == expected, "\(method) \(path)")
        }
    }

    @Test("missed names every kind of push that there is, and no other")
    func pushKinds() throws {
        let components = try #require(try Self.document()["components"] as? [String: [String: [String: Any]]])
        let properties = try #require(components["schemas"]?["Missed"]?["properties"] as? [String: [String: Any]])
        let item = try #require(properties["items"]?["items"] as? [String: Any])
        let members = try #require(item["properties"] as? [String: [String: Any]])
        let named = try #require(members["type"]?["enum"] as? [String])
        // A note is its sender's own: nobody is told of it.
        let silent: Set<PushKind> = [.selfStash]
        #expect(Set(named) == Set(PushKind.allCases.filter { !silent.contains($0) }.map(\.description)))
        #expect(Set(named).count == named.count)
    }

    @Test("the apps' calls have the limits that they count on")
    func limitsOfApps() throws {
        let paths = try #require(try Self.document()["paths"] as? [String: [String: [String: Any]]])
        func properties(_ path: String) throws -> [String: [String: Any]] {
            let body = try #require(paths[path]?["post"]?["requestBody"] as? [String: Any])
            let content = try #require(body["content"] as? [String: [String: [String: Any]]])
            return try #require(content["application/json"]?["schema"]?["properties"] as? [String: [String: Any]])
        }
        #expect(try properties("/group-messages/by-blinded-group-ids")["queries"]?["maxItems"] as? Int == 64)
        #expect(try properties("/group-messages/since")["blindedGroupIds"]?["maxItems"] as? Int == 256)
        #expect(try properties("/group-control/since")["senders"]?["maxItems"] as? Int == 256)
        for path in ["/group-messages/since", "/group-control/since"] {
            #expect(try properties(path)["limit"]?["default"] as? Int == BatchRoutes.defaultLimit)
        }
        #expect(BatchRoutes.defaultLimit == 200 && BatchRoutes.maximumLimit == 500)
        #expect(APILimits.batchedQueries == 64 && APILimits.mergedLists == 256)
    }

    @Test("a registration's limits are documented")
    func limits() throws {
        let components = try #require(try Self.document()["components"] as? [String: [String: [String: Any]]])
        let schemas = try #require(components["schemas"])
        let properties = try #require(schemas["Watch"]?["properties"] as? [String: [String: Any]])
        #expect(properties["watched_addresses"]?["maxItems"] as? Int == 256)
        #expect(properties["aliases"]?["maxItems"] as? Int == 256)
        #expect((properties["aliases"]?["items"] as? [String: Any])?["maxLength"] as? Int == 64)
        #expect(properties["watched_group_ids"]?["maxItems"] as? Int == 256)
        #expect(properties["watch_only_addresses"]?["maxItems"] as? Int == 200)
        #expect(properties["capabilities"]?["maxItems"] as? Int == 32)
        #expect(schemas["Address"]?["maxLength"] as? Int == 128)
        #expect(schemas["Watch"]?["required"] as? [String] == ["watched_addresses"])
        for (name, member) in [("AppleDevice", "device_token"), ("AndroidDevice", "device_token")] {
            #expect(schemas[name]?["required"] as? [String] == [member])
        }
        #expect(schemas["WebDevice"]?["required"] as? [String] == ["subscription"])
        #expect(schemas["RegisterRequest"]?["required"] as? [String] == ["platform"])
    }

    @Test(
        "the pattern of Apple's token takes 64 to 512 digits, an even number",
        arguments: [
            (String(repeating: "a", count: 62), false), (String(repeating: "a", count: 63), false),
            (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
            (String(repeating: "a", count: 66), true), (String(repeating: "F", count: 511), false),
            (String(repeating: "F", count: 512), true), (String(repeating: "F", count: 514), false),
            ("<" + String(repeating: "00 ff-1:", count: 16) + "0" + ">", false),
            ("<" + String(repeating: "00 ff-11:", count: 11) + ">", true), (String(repeating: "g", count: 64), false),
        ])
    func tokenPattern(token: String, isAllowed: Bool) throws {
        let components = try #require(try Self.document()["components"] as? [String: [String: [String: Any]]])
        let pattern = try #require(components["schemas"]?["AppleToken"]?["pattern"] as? String)
        #expect((try Regex(pattern).wholeMatch(in: token) != nil) == isAllowed)
    }
}
