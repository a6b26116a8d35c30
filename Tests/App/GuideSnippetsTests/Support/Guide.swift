import Foundation

/// A piece of code by its name, or by the line of the guide where it begins; without the indentation of all its lines.
struct Snippet: Equatable {
    let name: String
    let code: String

    init(_ name: String, _ lines: [Substring]) {
        let depth = lines.filter { !$0.allSatisfy(\.isWhitespace) }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        self.name = name
        code = lines.map { $0.allSatisfy(\.isWhitespace) ? "" : String($0.dropFirst(depth)) }.joined(separator: "\n")
    }
}

/// The app developer guide, and the sources of what it shows.
enum Guide {
    /// The package's folder.
    static let root = (1...5).reduce(URL(fileURLWithPath: #filePath)) { file, _ in file.deletingLastPathComponent() }
    /// The guide's folder.
    static let folder = root.appendingPathComponent("deploy/docs")
    /// The folder of `GuideSnippets`.
    static let sources = root.appendingPathComponent("Tests/App/GuideSnippets")

    static func text() throws -> String {
        try String(contentsOf: folder.appendingPathComponent("app-developer-guide.md"), encoding: .utf8)
    }

    static func files() throws -> [(name: String, text: String)] {
        let names = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
        return try names.sorted().map { name in
            (name, try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8))
        }
    }

    /// The guide's blocks in one language.
    static func blocks(_ language: String, of guide: String) -> [Snippet] {
        between(guide, begins: { $0 == "```\(language)" ? language : nil }, ends: { $0 == "```" })
    }

    /// The marked regions of a source file, by their names.
    static func regions(of source: String) -> [Snippet] {
        let mark = "// snippet: "
        return between(
            source, begins: { $0.hasPrefix(mark) ? String($0.dropFirst(mark.count)) : nil }, ends: { $0 == "// end" })
    }

    /// What stands between two kinds of lines, without them; a piece that does not end is not there.
    private static func between(
        _ text: String, begins: (String) -> String?, ends: (String) -> Bool
    ) -> [Snippet] {
        var (snippets, current) = ([Snippet](), (name: String, lines: [Substring])?.none)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if let open = current {
                if ends(trimmed) {
                    snippets.append(Snippet(open.name, open.lines))
                    current = nil
                } else {
                    current = (open.name, open.lines + [line])
                }
            } else if let name = begins(trimmed) {
                current = (name, [])
            }
        }
        return snippets
    }

    /// The anchors of the headings, as GitHub makes them.
    static func anchors(of guide: String) -> [String] {
        var isCode = false
        return guide.split(separator: "\n").compactMap { line in
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode, line.hasPrefix("#") else { return nil }
            let title = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces).lowercased()
            let kept = title.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }
            return kept.replacing(" ", with: "-")
        }
    }

    /// The targets of the links.
    static func links(of guide: String) -> [String] {
        guide.matches(of: /\]\(([^)\s]+)\)/).map { String($0.output.1) }
    }
}
