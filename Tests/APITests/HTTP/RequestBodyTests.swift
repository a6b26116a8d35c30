import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Store
import Testing

@testable import API

@Suite("Request bodies")
struct RequestBodyTests {
    /// A valid registration of so many bytes: an unknown member fills it up.
    static func body(of count: Int) throws -> [UInt8] {
        let start =
            "{\"device_token\":\"\(token)\",\"platform\":\"ios\",\"watched_addresses\":[\"\(try addresses(1)[0])\"],\"x\":\""
        return Array((start + String(repeating: "x", count: count - start.utf8.count - 2) + "\"}").utf8)
    }

    @Test(
        "R13: the body of a registration has at most 131,072 bytes",
        arguments: [65_537, 67_470, 131_071, 131_072, 131_073, 1_000_000])
    func size(count: Int) async throws {
        try await TestService().run { client in
            let response = try await client.send(.post, "/v1/push/register", bytes: try Self.body(of: count))
            if count <= 131_072 {
                expectDone(response)
            } else {
                try expect(response, .contentTooLarge, "the body is larger than 128 KiB")
            }
        }
    }

    @Test(
        "a body in chunks has the same limit, and the connection stays usable", .timeLimit(.minutes(5)),
        arguments: [131_071, 131_072, 131_073, 300_000])
    func chunks(count: Int) async throws {
        try await TestService().run(.live) { client in
            let body = try Self.body(of: count)
            var request = Array(
                "POST /v1/push/register HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
                    .utf8)
            for start in stride(from: 0, to: body.count, by: 30_000) {
                let chunk = body[start..<min(start + 30_000, body.count)]
                request += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
            }
            request += Array("0\r\n\r\nGET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".utf8)
            let answer = try await RawConnection.exchange(request, port: try #require(client.port))
            #expect(answer.hasPrefix(count <= 131_072 ? "HTTP/1.1 200 OK" : "HTTP/1.1 413 "), "\(answer.prefix(100))")
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 3)
            #expect(answer.hasSuffix(#"{"status":"ok"}"#))
        }
    }

    @Test("an announced body that is too large is refused before it comes", .timeLimit(.minutes(5)))
    func announced() async throws {
        try await TestService().run(.live) { client in
            let answer = try await RawConnection.exchange(
                "POST /v1/push/register HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99999999999\r\n\r\n",
                port: try #require(client.port)
            ) { $0.contains("}") }
            #expect(answer.hasPrefix("HTTP/1.1 413 "))
            #expect(answer.contains(#"{"error":"the body is larger than 128 KiB","code":"too_large"}"#))
        }
    }

    @Test("what is not HTTP is refused by the server and changes nothing", .timeLimit(.minutes(5)))
    func brokenChunks() async throws {
        let service = try TestService()
        try await service.run(.live) { client in
            let answer = try await RawConnection.exchange(
                "POST /v1/push/register HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
                port: try #require(client.port)
            ) { $0.contains("\r\n\r\n") }
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(try await client.execute(uri: "/health", method: .get).status == .ok)
        }
        #expect(try await service.store.totals().devices == 0)
    }

    @Test(
        "JSON under its own name is taken",
        arguments: [
            "application/json", "Application/JSON; charset=utf-8", " application/json ;x=y",
            "application/problem+json",
        ])
    func contentTypes(type: String) async throws {
        try await TestService().run { client in
            var headers: HTTPFields = [:]
            headers[.contentType] = type
            expectDone(
                try await client.execute(
                    uri: "/v1/push/register", method: .post, headers: headers,
                    body: ByteBuffer(bytes: try Self.body(of: 500))))
        }
    }

    @Test(
        "anything else is 415",
        arguments: [
            "text/plain", "application/x-www-form-urlencoded", "", "application/jsonx", "json",
            "text/plain;application/json",
        ])
    func foreignContentTypes(type: String) async throws {
        try await TestService().run { client in
            for (method, call) in UnsignedRequestTests.calls {
                let response = try await client.send(
                    method, "/v1/push/\(call)", bytes: try Self.body(of: 500), headers: [.contentType: type])
                try expect(response, .unsupportedMediaType, "application/json")
            }
        }
    }

    @Test("a change without a content type is 415: any page could send it; what is read needs none")
    func noContentType() async throws {
        let service = try TestService()
        try await service.run { client in
            for (method, call) in UnsignedRequestTests.calls {
                let response = try await client.execute(
                    uri: "/v1/push/\(call)", method: method, body: ByteBuffer(bytes: try Self.body(of: 500)))
                try expect(response, .unsupportedMediaType, "application/json")
            }
            let read = try await client.execute(
                uri: "/v1/activity/refresh", method: .post, body: ByteBuffer(string: #"{"ids":[]}"#))
            #expect(read.status == .ok)
        }
        #expect(try await service.store.totals().devices == 0)
    }

    static let malformedTexts: [(String, String)] = [
        ("", "not valid JSON"), (" \n", "not valid JSON"), ("[]", "must be a JSON object"),
        ("null", "must be a JSON object"), ("\"x\"", "must be a JSON object"), ("{}x", "not valid JSON"),
        ("{\"device_token\":\"\u{1}\"}", "not valid JSON"), ("{\"a\":\"\\ud800\"}", "not valid JSON"),
        ("\u{feff}{}", "not valid JSON"), ("{\u{0}}", "not valid JSON"),
        ("{\"a\":1,\"a\":2}", "the member \"a\" comes twice"),
        (String(repeating: "[", count: 65_536), "too deeply"),
        (String(repeating: "{\"a\":", count: 13_000), "too deeply"),
        (String(repeating: "[{\"\":", count: 13_000), "too deeply"),
    ]
    static let malformedBytes: [([UInt8], String)] = [
        ([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D], "not valid UTF-8"),
        ([0xFF, 0xFE, 0x7B, 0, 0x7D, 0], "not valid UTF-8"), ([0, 0x7B, 0, 0x7D], "not valid JSON"),
    ]

    @Test(
        "what is not a JSON object is 400, whatever it is",
        arguments: malformedTexts.map { (Array($0.0.utf8), $0.1) } + malformedBytes)
    func malformed(body: [UInt8], sentence: String) async throws {
        try await TestService().run { client in
            for (method, call) in UnsignedRequestTests.calls {
                try expect(try await client.send(method, "/v1/push/\(call)", bytes: body), .badRequest, sentence)
            }
        }
    }

    @Test("members that nobody knows are ignored, as deep as they may be", arguments: [31, 32, 33])
    func unknownMembers(depth: Int) async throws {
        try await TestService().run { client in
            let nested = String(repeating: "[", count: depth - 1) + "1e5" + String(repeating: "]", count: depth - 1)
            let text = String(decoding: try Self.body(of: 300), as: UTF8.self).dropLast() + ",\"unknown\":\(nested)}"
            let response = try await client.send(.post, "/v1/push/register", bytes: Array(text.utf8))
            if depth <= 32 { expectDone(response) } else { try expect(response, .badRequest, "too deeply") }
        }
    }
}
