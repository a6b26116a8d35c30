extension Page {
    /// `/docs`: renders `openapi.json`, which stands beside it, in the browser.
    static let documentation = Page(
        title: "Kasia push indexer: REST API", style: PageStyle.common + DocumentationPage.style,
        script: DocumentationPage.script, body: DocumentationPage.body)
}

/// The parts of `/docs`.
enum DocumentationPage {
    static let body = """
        <a class="skip" href="#calls">Skip to the calls</a>
        <header>
          <div class="title">
            <h1 id="title">REST API</h1>
            <p class="muted"><span id="version"></span> <a href="openapi.json">openapi.json</a> · <a href="guide">operator guide</a> ·
              <a href="./">status</a></p>
          </div>
          <div class="search" id="search-box" hidden>
            <label for="search">Search calls</label>
            <input id="search" type="search" autocomplete="off" spellcheck="false" aria-describedby="count">
            <span id="count" role="status" aria-live="polite"></span>
          </div>
        </header>
        <noscript><p class="notice">This page draws the calls with JavaScript, which is off here. The description itself is
        <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p></noscript>
        <p id="trouble" class="notice bad" role="alert" hidden></p>
        <div class="columns">
          <nav aria-label="Calls"><details id="contents"><summary>List of calls</summary>
            <div id="list"></div></details></nav>
          <main id="calls" tabindex="-1"><details id="about"><summary>What holds for all calls</summary></details></main>
        </div>
        """

    static let style = """

        header {
          position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center;
          justify-content: space-between; padding: 10px 24px; background: var(--card);
          border-bottom: 1px solid var(--line);
        }
        h1 { font-size: 1.15rem; }
        .muted { color: var(--muted); }
        .search { display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; }
        .search label { color: var(--muted); font-size: 0.85rem; }
        #search {
          width: 17rem; max-width: 60vw; padding: 6px 10px; font: inherit; color: var(--text); background: var(--page);
          border: 1px solid var(--line); border-radius: 6px;
        }
        #count { min-width: 6.5rem; color: var(--muted); font-size: 0.85rem; }
        .notice { margin: 16px 24px; }
        .columns { display: grid; grid-template-columns: 19rem minmax(0, 54rem); gap: 32px; padding: 20px 24px 40px; }
        nav { position: sticky; top: 76px; align-self: start; max-height: calc(100vh - 96px); overflow-y: auto; }
        nav h2 {
          margin: 14px 0 4px; font-size: 0.75rem; letter-spacing: 0.06em; text-transform: uppercase;
          color: var(--muted);
        }
        nav ul, .members { list-style: none; margin: 0; padding: 0; }
        nav a {
          display: flex; gap: 8px; padding: 2px 4px; font-size: 0.82rem; color: var(--text); text-decoration: none;
          border-radius: 4px;
        }
        nav a:hover { background: var(--soft); }
        main { outline: none; }
        section > h2 { margin: 28px 0 2px; font-size: 1.2rem; text-transform: capitalize; scroll-margin-top: 84px; }
        .call {
          margin: 14px 0; padding: 14px 18px; background: var(--card); border: 1px solid var(--line);
          border-radius: 8px; scroll-margin-top: 84px;
        }
        .call:target { border-color: var(--accent); }
        .call h3 { font-size: 1rem; }
        .call h3 a { display: flex; gap: 10px; align-items: baseline; color: inherit; text-decoration: none; }
        .call h3 a:hover .path { text-decoration: underline; }
        .call h4 { margin: 14px 0 4px; font-size: 0.85rem; color: var(--muted); }
        .call > p, .call > .about, .more > * { margin-top: 6px; }
        .more pre { white-space: pre-wrap; overflow-wrap: anywhere; }
        .path { min-width: 0; }
        .method {
          flex: none; min-width: 3.6rem; padding: 1px 6px; border: 1px solid currentcolor; border-radius: 4px;
          font: 600 0.72rem/1.5 var(--mono); text-align: center;
        }
        nav .method { min-width: 3.1rem; border: 0; padding: 1px 0; text-align: left; }
        .get { color: var(--first); } .post { color: var(--good); } .put { color: var(--warn); }
        .delete { color: var(--bad); }
        .table { overflow-x: auto; }
        table { width: 100%; border-collapse: collapse; font-size: 0.9rem; }
        th { color: var(--muted); font-weight: 600; }
        th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
        .members li { padding: 5px 0; border-top: 1px solid var(--line); }
        .members li:first-child { border-top: 0; }
        .members .members, .schema .schema { margin-left: 2px; padding-left: 12px; border-left: 2px solid var(--line); }
        .name { font-weight: 600; }
        .type { margin-left: 8px; color: var(--muted); font-size: 0.85rem; }
        .required { margin-left: 8px; color: var(--bad); font-size: 0.78rem; font-weight: 600; }
        .limits { display: block; color: var(--muted); font-size: 0.82rem; overflow-wrap: anywhere; }
        #contents > summary, #about > summary { padding: 4px; font-weight: 600; }
        .curl { position: relative; }
        .curl pre { padding-right: 5.5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
        .curl button { position: absolute; top: 6px; right: 6px; }
        button {
          padding: 5px 14px; font: inherit; font-size: 0.85rem; color: var(--text); background: var(--card);
          border: 1px solid var(--line); border-radius: 6px; cursor: pointer;
        }
        button:hover { border-color: var(--accent); }
        .send { color: var(--accent); border-color: var(--accent); font-weight: 600; }
        .try { margin: 8px 0; padding: 6px 12px; border: 1px solid var(--line); border-radius: 6px; }
        .try > summary { color: var(--accent); font-weight: 600; }
        .try label { display: block; margin: 8px 0; }
        .try input, .try textarea {
          display: block; width: 100%; margin-top: 2px; padding: 6px 10px; font: 0.85rem/1.4 var(--mono); color: var(--text);
          background: var(--page); border: 1px solid var(--line); border-radius: 6px;
        }
        .buttons { display: flex; gap: 8px; margin: 8px 0; }
        .result { font-weight: 600; overflow-wrap: anywhere; }
        .answer { max-height: 28rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
        details { margin: 2px 0; }
        summary { cursor: pointer; }
        .response > summary, .refusals > summary { padding: 4px 0; }
        .refusals > .response { margin-left: 16px; }
        .response > div { padding: 2px 0 8px 20px; }
        .status { font: 600 0.9rem var(--mono); margin-right: 8px; }
        .s2 { color: var(--good); } .s4 { color: var(--warn); } .s5 { color: var(--bad); }
        pre { margin: 6px 0; padding: 10px 12px; overflow-x: auto; background: var(--soft); border-radius: 6px; }
        @media (max-width: 860px) {
          .columns { grid-template-columns: minmax(0, 1fr); gap: 8px; padding: 12px; }
          nav { position: static; max-height: none; padding: 4px 8px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
          nav a { padding: 6px 4px; font-size: 0.9rem; }
          header { position: static; padding: 10px 12px; }
          .notice { margin: 12px; }
        }
        @media (max-width: 560px) {
          .curl pre { padding-right: 12px; }
          .curl button { position: static; }
          .search, #search { width: 100%; max-width: none; }
          .call { padding: 12px; }
          .call h3 a { flex-wrap: wrap; }
          thead { display: none; }
          table, tbody, tr, td { display: block; }
          tr { padding: 6px 0; border-bottom: 1px solid var(--line); }
          td { display: inline; padding: 0 8px 0 0; border: 0; }
          td:last-child { display: block; }
          .response > div { padding-left: 8px; }
        }
        @media print { nav, .search { display: none; } .columns { display: block; } header { position: static; } }

        """
}
