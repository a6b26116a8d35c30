import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import API

@Suite("Pages")
struct PageTests {
    @Test(
        "a page comes with a policy that names its own style and script and lets nothing else in",
        arguments: ["/", "/docs"])
    func policy(path: String) async throws {
        try await TestService().run { client in
            let answer = try await client.execute(uri: path, method: .get)
            #expect(answer.status == .ok && answer.headers[.contentType] == "text/html; charset=utf-8")
            let policy = try #require(answer.headers[.contentSecurityPolicy])
            for (tag, directive) in [("style", "style-src"), ("script", "script-src")] {
                let start = try #require(answer.text.firstRange(of: "<\(tag)>")).upperBound
                let end = try #require(answer.text.firstRange(of: "</\(tag)>")).lowerBound
                let digest = Data(SHA256.hash(data: Data(answer.text[start..<end].utf8))).base64EncodedString()
                #expect(policy.contains("\(directive) 'sha256-\(digest)'"))
            }
            #expect(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"))
            #expect(!policy.contains("unsafe") && !policy.contains("*"))
            #expect(answer.headers[.xContentTypeOptions] == "nosniff")
            let elsewhere = /(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?\/\//
            #expect(answer.text.firstMatch(of: elsewhere) == nil)
            #expect(answer.text.firstMatch(of: /\ style="|\ on[a-z]+="/) == nil, "the policy would forbid it")
            #expect(answer.text.contains("<noscript>"))
        }
    }

    @Test("a slash behind /docs leads to it without, or its neighbours would be looked for below it")
    func slash() async throws {
        try await TestService().run { client in
            let answer = try await client.execute(uri: "/docs/", method: .get)
            #expect(answer.status == .movedPermanently && answer.headers[.location] == "../docs")
        }
    }
}
