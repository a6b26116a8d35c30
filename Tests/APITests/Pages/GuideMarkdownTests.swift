import Testing

@testable import API

@Suite("The guide as HTML")
struct GuideMarkdownTests {
    private func html(_ source: String) -> String { GuideMarkdown(source).html }

    @Test(
        "anchors are those that GitHub gives",
        arguments: [
            ("Install", "install"), ("When /ready is not 200", "when-ready-is-not-200"),
            ("KasiaNodeLost", "kasianodelost"), ("node: URL: transport or timeout", "node-url-transport-or-timeout"),
            ("a … b", "a--b"), ("snake_case, and-hyphens", "snake_case-and-hyphens"),
        ])
    func anchors(title: String, anchor: String) {
        #expect(GuideMarkdown.anchor(title) == anchor)
    }

    @Test("headings have anchors, each its own")
    func headings() {
        let guide = GuideMarkdown("# One\n## Two words\ntext\n## Two words\n####### seven\n#none")
        #expect(guide.headings.map(\.anchor) == ["one", "two-words", "two-words-1"])
        #expect(guide.headings.map(\.level) == [1, 2, 2])
        #expect(guide.html.contains("<h2 id=\"two-words-1\">Two words</h2>"))
        #expect(guide.html.contains("<p>####### seven\n#none</p>"))
    }

    @Test("paragraphs, lists and code keep what belongs together")
    func blocks() {
        #expect(html("one\ntwo\n\nthree") == "<p>one\ntwo</p>\n<p>three</p>\n")
        #expect(html("- one\n  more\n- two\nafter") == "<ul>\n<li>one\nmore</li>\n<li>two</li>\n</ul>\n<p>after</p>\n")
        #expect(
            html("text\n```sh\nls  # *x* `y`\n\n| a\n```\nafter")
                == "<p>text</p>\n<pre tabindex=\"0\"><code>ls  # *x* `y`\n\n| a</code></pre>\n<p>after</p>\n")
        #expect(html("```\nno end") == "<pre tabindex=\"0\"><code>no end</code></pre>\n")
    }

    @Test("a table has its heads and cells, and a bar within code divides nothing")
    func tables() {
        let rows = "<tr><th>a</th><th>b</th></tr>\n<tr><td><code>x|y</code></td><td>2</td></tr>\n"
        #expect(
            html("| a | b |\n|---|---|\n| `x|y` | 2 |\n").filter { $0 != " " }
                == "<div class=\"table\"><table>\n\(rows)</table></div>\n".filter { $0 != " " })
    }

    @Test("within a line there are code, strong text and links")
    func inline() {
        #expect(html("a `b*c` **d `e`** f") == "<p>a <code>b*c</code> <strong>d <code>e</code></strong> f</p>\n")
        #expect(html("[there](#anchor)") == "<p><a href=\"#anchor\">there</a></p>\n")
        #expect(html("[out](https://a.b/c)") == "<p>out (https://a.b/c)</p>\n", "nothing leads elsewhere")
        #expect(html("a ` b * c ** d [e] f") == "<p>a ` b * c ** d [e] f</p>\n")
    }

    @Test(
        "whatever stands in the source is text",
        arguments: [
            "<script>", "`<script>`", "**<script>**", "# <script>", "- <script>", "| <script> |", "```\n<script>\n```",
            "[<script>](#<script>)", "[x](#\"onclick=\"y)", "[x](javascript:y)",
        ])
    func escaped(source: String) {
        let made = html(source)
        #expect(!made.contains("<script") && !made.contains("\"onclick") && !made.contains("href=\"javascript"))
    }

    @Test("the guide is whole, with a section for each alert")
    func guide() {
        let headings = GuidePage.markdown.headings
        #expect(headings.first?.title == "Operator guide")
        #expect(headings.filter { $0.level == 3 && $0.title.hasPrefix("Kasia") }.count > 15)
        #expect(!GuidePage.markdown.html.contains("<p>|") && !GuidePage.markdown.html.contains("```"))
    }
}
