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
            let policy = try expectSelfContained(answer)
            #expect(policy.contains("script-src \(try digest(of: "script", in: answer.text))"))
            #expect(answer.text.contains("<noscript>"))
        }
    }

    @Test("the guide runs no script at all")
    func guide() async throws {
        try await TestService().run { client in
            let answer = try await client.execute(uri: "/guide", method: .get)
            // Its text may speak of URLs; its tags and its style name none.
            let policy = try expectSelfContained(
                answer, elsewhere: /<[^<>]*\s(?:src|href)\s*=\s*["']?(?:https?:)?\/\/|url\(/)
            #expect(policy.contains("script-src 'none'") && !answer.text.contains("<script"))
            #expect(answer.text.contains("<h3 id=\"kasianodelost\">KasiaNodeLost</h3>"))
        }
    }

    private func expectSelfContained(
        _ answer: TestResponse,
        elsewhere: Regex<Substring> = /(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?\/\//
    ) throws -> String {
        #expect(answer.status == .ok && answer.headers[.contentType] == "text/html; charset=utf-8")
        let policy = try #require(answer.headers[.contentSecurityPolicy])
        #expect(policy.contains("style-src \(try digest(of: "style", in: answer.text))"))
        #expect(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"))
        #expect(!policy.contains("unsafe") && !policy.contains("*"))
        #expect(answer.headers[.xContentTypeOptions] == "nosniff")
        let leads = answer.text.firstMatch(of: elsewhere) != nil
        #expect(!leads, "nothing is loaded from elsewhere, and nothing leads there")
        #expect(answer.text.firstMatch(of: /\ style="|\ on[a-z]+="/) == nil, "the policy would forbid it")
        return policy
    }

    private func digest(of tag: String, in html: String) throws -> String {
        let start = try #require(html.firstRange(of: "<\(tag)>")).upperBound
        let end = try #require(html.firstRange(of: "</\(tag)>")).lowerBound
        return "'sha256-\(Data(SHA256.hash(data: Data(html[start..<end].utf8))).base64EncodedString())'"
    }

    @Test(
        "a slash behind a page leads to it without, or its neighbours would be looked for below it",
        arguments: ["docs", "guide"])
    func slash(name: String) async throws {
        try await TestService().run { client in
            let answer = try await client.execute(uri: "/\(name)/", method: .get)
            #expect(answer.status == .movedPermanently && answer.headers[.location] == "../\(name)")
        }
    }
}
