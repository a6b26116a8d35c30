import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Store
import Testing

@testable import API

@Suite("Query parameters")
struct QueryParameterTests {
    /// Of each call under `/v1/` that is made by a method: what the document names as its query parameters.
    private static func documented() throws -> [(path: String, method: HTTPRequest.Method, names: Set<String>)] {
        let document = try #require(
            JSONSerialization.jsonObject(with: Data(OpenAPIDocument.json.utf8)) as? [String: Any])
        let components = try #require(document["components"] as? [String: [String: [String: Any]]])
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        return try paths.filter { $0.key.hasPrefix("/v1/") }.sorted { $0.key < $1.key }.flatMap { path, calls in
            try calls.map { method, operation in
                let parameters = (operation["parameters"] as? [[String: Any]] ?? []).map { parameter in
                    let name = (parameter["$ref"] as? String)?.split(separator: "/").last.map(String.init)
                    return name.flatMap { components["parameters"]?[$0] } ?? parameter
                }
                let names = parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String }
                return (path, try #require(HTTPRequest.Method(method.uppercased())), Set(names))
            }
        }
    }

    private static func uri(_ path: String, _ query: String) -> String {
        path.replacing("{tx_id}", with: String(repeating: "ab", count: 32)) + "?" + query
    }

    private static let refusal = "is no query parameter of this call"

    @Test("the calls know what /openapi.json names")
    func table() throws {
        for (path, method, names) in try Self.documented() {
            #expect(APIRoutes.parameters(of: path, method) == names, "\(method) \(path)")
        }
    }

    @Test("under /v1/ one that is not known is refused by name, with those that are")
    func unknown() async throws {
        let service = try TestService()
        let documented = try Self.documented()
        try await service.run { client in
            for (path, method, names) in documented {
                let known = names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
                for query in ["type=x", "limit=5&type=x", "type", "&&type=&", "type=a&type=b"] {
                    if query.hasPrefix("limit"), !names.contains("limit") { continue }
                    let response = try await client.send(method, Self.uri(path, query), try registration())
                    try expect(response, .badRequest, #""type" \#(Self.refusal): it knows \#(known)"#)
                }
            }
            let head = try await client.execute(uri: "/v1/activity?type=x", method: .head)
            #expect(head.status == .badRequest && head.body.readableBytes == 0)
        }
        #expect(try await service.store.totals().devices == 0)
    }

    @Test("those that are known are taken, and so is a query without any")
    func known() async throws {
        let documented = try Self.documented()
        try await TestService().run { client in
            for (path, method, names) in documented {
                for query in names.map({ "\($0)=" }) + ["", "&", "&&=&"] {
                    let response = try await client.send(method, Self.uri(path, query), [:])
                    #expect(!response.text.contains(Self.refusal), "\(method) \(path)?\(query): \(response.text)")
                }
            }
        }
    }

    @Test("a mistyped filter is no page of everything, and what a page of another origin may read, it reads too")
    func mistyped() async throws {
        let address = try addresses(1)[0]
        try await TestService().run { client in
            let response = try await client.execute(
                uri: "/v1/activity?address=\(address)&type=payment", method: .get,
                headers: [.origin: "https://example.org"])
            try expect(response, .badRequest, #""type" \#(Self.refusal): it knows address, counterparty, cursor, "#)
            #expect(response.headers[.accessControlAllowOrigin] == "*")
            for spelling in ["Types", "types%20", "+types", "%74ypes", "types[]"] {
                let uri = "/v1/activity?address=\(address)&\(spelling)=payment"
                try expect(try await client.execute(uri: uri, method: .get), .badRequest, Self.refusal)
            }
        }
    }

    @Test("of one that is given twice the first counts")
    func twice() async throws {
        let address = try addresses(1)[0]
        try await TestService().run { client in
            let uri = "/v1/activity?address=\(address)"
            #expect(try await client.execute(uri: "\(uri)&limit=1&limit=x", method: .get).status == .ok)
            let response = try await client.execute(uri: "\(uri)&limit=x&limit=1", method: .get)
            try expect(response, .badRequest, "limit must be a positive number")
        }
    }

    @Test("an unknown name is quoted short")
    func quoting() async throws {
        try await TestService().run { client in
            for count in [79, 80, 81] {
                let name = String(repeating: "p", count: count)
                let sentence = try await client.execute(uri: "/v1/push/status?\(name)=1", method: .get).error()
                #expect(sentence.hasPrefix("\"" + name.prefix(80) + (count > 80 ? "…\"" : "\"")), "\(sentence)")
            }
        }
    }

    @Test("a method that a call does not have stays 405, and a path that is not there 404")
    func otherMistakes() async throws {
        try await TestService().run { client in
            try expect(try await client.execute(uri: "/v1/activity?x=1", method: .put), .methodNotAllowed, "GET")
            try expect(try await client.execute(uri: "/v1/activities?x=1", method: .get), .notFound, "no such call")
        }
    }

    @Test("outside of /v1/ what is not known is ignored, as apps in the field may send it")
    func ignored() async throws {
        try await TestService().run { client in
            for (path, methods) in APIRoutes.methods where !path.hasPrefix("/v1/") && !path.hasSuffix("/stream") {
                let plain = try await client.send(methods[0], path, [:])
                let more = try await client.send(methods[0], "\(path)?type=x&_=1", [:])
                #expect(plain.status == more.status && !more.text.contains(Self.refusal), "\(path)")
            }
            let address = try addresses(1)[0]
            let list = try await client.execute(uri: "/payments/by-sender?address=\(address)&type=x", method: .get)
            #expect(list.status == .ok && list.text == "[]")
        }
    }
}
