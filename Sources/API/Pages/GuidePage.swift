extension Page {
    /// `/guide`: the operator guide, to which the status page links.
    static let guide = Page(
        title: "Kasia push indexer: operator guide", style: PageStyle.common + GuidePage.style,
        body: GuidePage.body(GuidePage.markdown))
}

/// The parts of `/guide`.
enum GuidePage {
    /// `operator-guide.md` in this folder is a symbolic link to the file in deploy/docs; it is built into the program.
    static let markdown = GuideMarkdown(String(decoding: PackageResources.operator_guide_md, as: UTF8.self))

    static func body(_ guide: GuideMarkdown) -> String {
        let chapters = guide.headings.filter { $0.level == 2 }.map {
            "<li><a href=\"#\($0.anchor.htmlEscaped)\">\($0.title.htmlEscaped)</a></li>"
        }
        return """
            <a class="skip" href="#guide">Skip to the guide</a>
            <header><p><a href="./">Status</a> · <a href="docs">REST API</a></p></header>
            <nav aria-label="Chapters"><ul>
            \(chapters.joined(separator: "\n"))
            </ul></nav>
            <main id="guide" tabindex="-1">
            \(guide.html)</main>
            """
    }

    static let style = """

        header { padding: 10px 24px; background: var(--card); border-bottom: 1px solid var(--line); }
        nav, main { max-width: 62rem; margin: 0 auto; padding: 12px 24px; outline: none; }
        nav ul { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0; padding: 0; list-style: none; }
        h1 { font-size: 1.5rem; }
        h2 { margin: 36px 0 8px; font-size: 1.25rem; }
        h3 { margin: 24px 0 4px; font-size: 1rem; }
        h2, h3 { scroll-margin-top: 12px; }
        :target { padding: 4px 10px; background: var(--soft); border-left: 4px solid var(--accent); }
        main p, main ul { margin: 6px 0; }
        li { margin: 4px 0; }
        pre {
          margin: 8px 0; padding: 10px 12px; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft);
          border-radius: 6px;
        }
        .table { margin: 8px 0; overflow-x: auto; }
        table { width: 100%; border-collapse: collapse; font-size: 0.92rem; }
        th { color: var(--muted); font-weight: 600; }
        th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
        code { overflow-wrap: anywhere; }
        td code { overflow-wrap: normal; }
        @media (max-width: 560px) { header, nav, main { padding-left: 12px; padding-right: 12px; } }

        """
}
