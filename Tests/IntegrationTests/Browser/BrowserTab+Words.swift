import Testing

extension BrowserTab {
    /// No line ends inside a word; hashes, addresses and code are no words.
    func expectWholeWords(_ location: SourceLocation = #_sourceLocation) async throws {
        let broken = try await strings(
            """
            (() => {
              const broken = [];
              const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
              for (let node; (node = walker.nextNode());) {
                const parent = node.parentElement;
                if (parent.closest("script, style, noscript, svg, pre, textarea, .code, .limits, .unseen, .skip")) continue;
                if (!parent.checkVisibility()) continue;
                for (const word of node.data.matchAll(/\\p{L}{2,}/gu)) {
                  const range = document.createRange();
                  range.setStart(node, word.index);
                  range.setEnd(node, word.index + word[0].length);
                  const tops = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
                  if (tops.size > 1) broken.push(`${word[0]} in ${node.data.slice(0, 60)}`);
                }
              }
              return broken;
            })()
            """)
        #expect(broken == [], sourceLocation: location)
    }
}
