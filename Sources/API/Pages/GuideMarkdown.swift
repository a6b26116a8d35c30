/// The operator guide's Markdown as HTML: headings with anchors, paragraphs, lists, tables and code.
///
/// It supports only the syntax that the guide uses. All text is escaped. A link leads to a place within the page; an
/// external address is shown as text.
struct GuideMarkdown: Sendable {
    struct Heading: Sendable, Equatable {
        var level: Int
        var title: String
        var anchor: String
    }

    private(set) var html = ""
    private(set) var headings: [Heading] = []
    private var lines: ArraySlice<Substring>

    init(_ source: String) {
        lines = source.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let line = lines.first { block(line) }
    }

    /// The anchor of a heading, as on GitHub: lower case, without punctuation, with hyphens for spaces.
    static func anchor(_ title: String) -> String {
        String(
            title.lowercased().compactMap { character in
                if character == " " { return "-" }
                return character.isLetter || character.isNumber || "-_".contains(character) ? character : nil
            })
    }

    private mutating func block(_ line: Substring) {
        if line.allSatisfy(\.isWhitespace) {
            lines.removeFirst()
        } else if line.hasPrefix("```") {
            codeBlock()
        } else if let level = GuideMarkdown.level(line) {
            lines.removeFirst()
            heading(level, String(line.dropFirst(level + 1)))
        } else if line.hasPrefix("|") {
            table()
        } else if line.hasPrefix("- ") {
            list()
        } else {
            html += "<p>\(inline(taken { !GuideMarkdown.beginsBlock($0) }))</p>\n"
        }
    }

    private static func level(_ line: Substring) -> Int? {
        let level = line.prefix { $0 == "#" }.count
        return (1...6).contains(level) && line.dropFirst(level).hasPrefix(" ") ? level : nil
    }

    private static func beginsBlock(_ line: Substring) -> Bool {
        line.allSatisfy(\.isWhitespace) || ["```", "|", "- "].contains { line.hasPrefix($0) } || level(line) != nil
    }

    /// The first line and the lines that continue it, joined.
    private mutating func taken(while goesOn: (Substring) -> Bool) -> String {
        var text = [lines.removeFirst()]
        while let line = lines.first, goesOn(line) {
            text.append(line)
            lines.removeFirst()
        }
        return text.map { $0.drop { $0 == " " } }.joined(separator: "\n")
    }

    private mutating func heading(_ level: Int, _ title: String) {
        let plain = GuideMarkdown.anchor(title)
        let before = headings.count { GuideMarkdown.anchor($0.title) == plain }
        let anchor = before == 0 ? plain : "\(plain)-\(before)"
        headings.append(Heading(level: level, title: title, anchor: anchor))
        html += "<h\(level) id=\"\(anchor.htmlEscaped)\">\(inline(title))</h\(level)>\n"
    }

    private mutating func codeBlock() {
        lines.removeFirst()
        let text = lines.prefix { !$0.hasPrefix("```") }
        lines = lines.dropFirst(text.count + 1)
        html += "<pre tabindex=\"0\"><code>\(text.joined(separator: "\n").htmlEscaped)</code></pre>\n"
    }

    private mutating func list() {
        html += "<ul>\n"
        while lines.first?.hasPrefix("- ") == true {
            let item = taken { $0.hasPrefix("  ") }
            html += "<li>\(inline(String(item.dropFirst(2))))</li>\n"
        }
        html += "</ul>\n"
    }

    private mutating func table() {
        var rows: [Substring] = []
        while let line = lines.first, line.hasPrefix("|") {
            rows.append(line)
            lines.removeFirst()
        }
        html += "<div class=\"table\"><table>\n"
        for (index, row) in rows.enumerated() where index != 1 {
            let cell = index == 0 ? "th" : "td"
            let cells = GuideMarkdown.cells(row).map { "<\(cell)>\(inline($0))</\(cell)>" }
            html += "<tr>\(cells.joined())</tr>\n"
        }
        html += "</table></div>\n"
    }

    /// The cells of a row.
    ///
    /// A bar within code does not separate cells.
    private static func cells(_ row: Substring) -> [String] {
        var (cells, isCode) = ([""], false)
        for character in row.dropFirst() {
            if character == "`" { isCode.toggle() }
            if character == "|", !isCode { cells.append("") } else { cells[cells.count - 1].append(character) }
        }
        return cells.dropLast().map { String($0.drop { $0 == " " }) }
    }

    /// Code, strong text and links within a line.
    private func inline(_ text: String) -> String {
        var (made, rest) = ("", text[...])
        while let next = rest.firstIndex(where: { "`*[".contains($0) }) {
            made += String(rest[..<next]).htmlEscaped
            rest = rest[next...]
            made += code(&rest) ?? strong(&rest) ?? link(&rest) ?? String(rest.removeFirst()).htmlEscaped
        }
        return made + String(rest).htmlEscaped
    }

    private func code(_ rest: inout Substring) -> String? {
        between("`", &rest).map { "<code>\($0.htmlEscaped)</code>" }
    }

    private func strong(_ rest: inout Substring) -> String? {
        between("**", &rest).map { "<strong>\(inline($0))</strong>" }
    }

    /// `[text](target)`.
    private func link(_ rest: inout Substring) -> String? {
        guard let match = rest.prefixMatch(of: /\[([^\]]*)\]\(([^)\s]*)\)/) else { return nil }
        rest = rest[match.range.upperBound...]
        let (text, target) = (inline(String(match.1)), String(match.2).htmlEscaped)
        return target.hasPrefix("#") ? "<a href=\"\(target)\">\(text)</a>" : "\(text) (\(target))"
    }

    /// Takes the text between two marks from the beginning of the rest.
    private func between(_ mark: String, _ rest: inout Substring) -> String? {
        guard rest.hasPrefix(mark) else { return nil }
        let inner = rest.dropFirst(mark.count)
        guard let end = inner.firstRange(of: mark), end.lowerBound > inner.startIndex else { return nil }
        rest = inner[end.upperBound...]
        return String(inner[..<end.lowerBound])
    }
}

extension String {
    /// The text escaped for HTML, also within quoted attributes.
    var htmlEscaped: String {
        reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
    }
}
