import APIAssets
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import API

@Suite("Pages")
struct PageTests {
    @Test(
        "a page comes with a policy that names its own styles and scripts and lets nothing else in",
        arguments: ["/", "/docs"])
    func policy(path: String) async throws {
        try await TestService().run { client in
            let answer = try await client.execute(uri: path, method: .get)
            let policy = try expectSelfContained(answer)
            let scripts = digests(of: "script", in: answer.text)
            #expect(scripts.count > 1 && directive("script-src", of: policy) == scripts)
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
        let styles = digests(of: "style", in: answer.text)
        #expect(styles.count == 2 && directive("style-src", of: policy) == styles)
        #expect(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"))
        #expect(!policy.contains("unsafe") && !policy.contains("*"))
        #expect(answer.headers[.xContentTypeOptions] == "nosniff")
        let leads = answer.text.firstMatch(of: elsewhere) != nil
        #expect(!leads, "nothing is loaded from elsewhere, and nothing leads there")
        let loads = answer.text.firstMatch(of: /<script\s|<link rel="stylesheet"/) != nil
        #expect(!loads, "one answer has all of it")
        #expect(answer.text.firstMatch(of: /\ style="|\ on[a-z]+="/) == nil, "the policy would forbid it")
        return policy
    }

    /// The sources that a policy allows under a name.
    private func directive(_ name: String, of policy: String) -> [String] {
        policy.components(separatedBy: "; ").first { $0.hasPrefix("\(name) ") }?
            .split(separator: " ").dropFirst().map(String.init) ?? []
    }

    /// The digests of what each element of a kind holds, in their order.
    private func digests(of tag: String, in html: String) -> [String] {
        html.components(separatedBy: "<\(tag)>").dropFirst().map { rest in
            let source = rest.components(separatedBy: "</\(tag)>")[0]
            return "'sha256-\(Data(SHA256.hash(data: Data(source.utf8))).base64EncodedString())'"
        }
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

    // MARK: From files

    private static let files = [
        "a.html": """
        <link rel="stylesheet" href="a.css"><p><!-- greeting --></p><!-- two words --><script src="a.js"></script>
        """,
        "a.css": "p {}", "a.js": "1", "b.html": #"<script src="b.js"></script>"#,
    ]

    @Test("style sheets and scripts take the place of what refers to them, and texts that of their placeholders")
    func assembly() throws {
        // A text is not read again, whatever is in it.
        let page = try Page("a.html", filling: ["greeting": "hello"], from: Self.files)
        #expect(page.html == "<style>p {}</style><p>hello</p><!-- two words --><script>1</script>")
        let nested = try Page("a.html", filling: ["greeting": "<!-- other -->"], from: Self.files)
        #expect(nested.html.contains("<p><!-- other --></p>"))
    }

    @Test("a placeholder without a text, a text without a placeholder and a missing file are refused by name")
    func mistakes() {
        func build(_ name: String, _ texts: [String: String]) throws {
            _ = try Page(name, filling: texts, from: Self.files)
        }
        #expect(throws: PageError.missingText("greeting")) { try build("a.html", [:]) }
        #expect(throws: PageError.missingPlaceholder("farewell")) {
            try build("a.html", ["greeting": "", "farewell": ""])
        }
        #expect(throws: PageError.missingFile("b.js")) { try build("b.html", [:]) }
        #expect(throws: PageError.missingFile("c.html")) { try build("c.html", [:]) }
        #expect(PageError.missingText("greeting").description.contains("<!-- greeting -->"))
    }

    @Test("the chapters of the guide are its headings of the second level")
    func chapters() {
        let guide = GuideMarkdown("# A\n\n## B & C\n\n### D\n\n## E\n")
        #expect(
            GuidePage.chapters(of: guide) == "<li><a href=\"#b--c\">B &amp; C</a></li>\n<li><a href=\"#e\">E</a></li>")
    }
}
