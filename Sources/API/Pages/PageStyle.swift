/// What all pages look alike in.
enum PageStyle {
    /// Colours by their use, in light and dark; text, links, focus.
    static let common = """

        :root {
          --page: #f6f7f9; --card: #ffffff; --line: #dfe3e8; --text: #17202a; --muted: #55606c; --accent: #0b6b62;
          --good: #1a7f37; --warn: #8a5300; --bad: #b42318; --soft: #eef1f4;
          --first: #0b6bcb; --second: #c2571a; --grid: #e7eaee;
          --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
          --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
          color-scheme: light dark;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #11161c; --card: #192028; --line: #2d3742; --text: #e6eaef; --muted: #9eabb8; --accent: #5cc9bb;
            --good: #57c274; --warn: #e3a845; --bad: #ff8a7e; --soft: #222b35;
            --first: #62aef5; --second: #f0985a; --grid: #27303a;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 var(--sans); overflow-wrap: break-word;
        }
        a { color: var(--accent); }
        code, pre { font-family: var(--mono); font-size: 0.9em; }
        h1, h2, h3, h4, p { margin: 0; }
        [hidden] { display: none !important; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
        .skip { position: absolute; left: -9999px; }
        .skip:focus { left: 8px; top: 8px; z-index: 9; background: var(--card); padding: 8px 12px; }
        .unseen {
          position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
        }
        .notice { padding: 10px 14px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
        .notice.bad { border-color: var(--bad); color: var(--bad); }

        """
}
