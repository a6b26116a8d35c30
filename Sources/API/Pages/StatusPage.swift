extension Page {
    /// `/`: how the service is, at a glance; figures come from `status/stream`, which stands beside it.
    static let status = Page(
        title: "Kasia push indexer: status", style: PageStyle.common + StatusPage.style, script: StatusPage.script,
        body: StatusPage.body)
}

/// The parts of `/`.
enum StatusPage {
    // An element with `data-figure` shows that member of /status.json, in the form that `data-form` names.
    static let body = """
        <a class="skip" href="#main">Skip to the figures</a>
        <header>
          <div>
            <h1>Kasia push indexer</h1>
            <p class="muted"><span data-figure="network" data-form="text">–</span> · version
              <span data-figure="version" data-form="text">–</span> · started
              <span data-figure="started_at" data-form="moment">–</span> · <span id="way">connecting …</span></p>
          </div>
          <p class="muted"><a href="guide">operator guide</a> · <a href="docs">REST API</a> ·
            <a href="metrics">metrics</a> · <a href="ready">ready</a></p>
        </header>
        <noscript><p class="notice">This page draws its figures with JavaScript, which is off here. The same figures are in
        <a href="status.json">status.json</a>, whether the service is ready in <a href="ready">ready</a>.</p></noscript>
        <p id="cut" class="notice bad" role="alert" hidden></p>
        <main id="main" tabindex="-1">
          <p id="state" class="state" role="status">Connecting …</p>
          <ul id="parts" class="parts" aria-label="Parts of the service"></ul>
          <section class="tiles" aria-label="At a glance">
            <div class="tile"><h2>Newest block</h2><p data-figure="chain.lag_seconds" data-form="seconds">–</p>
              <p class="muted">its age</p></div>
            <div class="tile"><h2>Behind the node</h2><p data-figure="chain.daa_behind" data-form="count">–</p>
              <p class="muted">DAA scores; ten are about a second</p></div>
            <div class="tile"><h2>Pushes per second</h2><p data-figure="push.per_second" data-form="rate">–</p>
              <p class="muted">taken by Apple in the last minute</p></div>
            <div class="tile"><h2>Pushes waiting</h2><p data-figure="push.queued" data-form="count">–</p>
              <p class="muted"><span data-figure="push.in_flight" data-form="count">–</span> being sent; the oldest waits for
                <span data-figure="push.oldest_seconds" data-form="seconds">–</span></p></div>
            <div class="tile"><h2>Devices</h2><p data-figure="devices.registered" data-form="count">–</p>
              <p class="muted">watching <span data-figure="devices.watch_entries" data-form="count">–</span> addresses and
                groups</p></div>
            <div class="tile"><h2>Store on disk</h2><p data-figure="store.bytes" data-form="bytes">–</p>
              <p class="muted"><span data-figure="store.free_bytes" data-form="bytes">–</span> free</p></div>
          </section>
          <section aria-labelledby="plots-title"><h2 id="plots-title">Since the start</h2>
            <div class="plots">
              <div class="card plot" id="plot-delivered"></div>
              <div class="card plot" id="plot-wire"></div>
              <div class="card plot" id="plot-send"></div>
              <div class="card plot" id="plot-queue"></div>
              <div class="card plot" id="plot-lag"></div>
              <div class="card plot" id="plot-failed"></div>
            </div></section>
          <section class="card" aria-labelledby="events-title"><h2 id="events-title">What went wrong recently</h2>
            <p class="muted">Warnings and errors of the log, one line for each kind, without anybody's data. The log has
              the rest.</p>
            <div class="table stack" tabindex="0"><table><thead><tr><th scope="col">Last</th><th scope="col">Level</th>
              <th scope="col">Part</th><th scope="col">Event</th><th scope="col" class="number">Times</th>
              <th scope="col">Details</th><th scope="col">Guide</th></tr></thead>
              <tbody id="events"></tbody></table></div></section>
          <div class="cards">
            <section class="card" aria-labelledby="node-title"><h2 id="node-title">Node</h2>
              <dl>
                <dt>Connected to</dt><dd data-figure="node.connected_url" data-form="text">–</dd>
                <dt>Version</dt><dd data-figure="node.version" data-form="text">–</dd>
                <dt>Synced with the network</dt><dd data-figure="node.is_synced" data-form="yes">–</dd>
                <dt>DAA score</dt><dd data-figure="node.virtual_daa_score" data-form="count">–</dd>
              </dl>
              <div class="table" tabindex="0"><table><thead><tr><th scope="col">Node</th><th scope="col">State</th>
                <th scope="col">Why</th></tr></thead><tbody id="nodes"></tbody></table></div></section>
            <section class="card" aria-labelledby="chain-title"><h2 id="chain-title">Chain</h2>
              <dl>
                <dt>Followed to DAA score</dt><dd data-figure="chain.daa_score" data-form="count">–</dd>
                <dt>Time of that block</dt><dd data-figure="chain.block_time" data-form="moment">–</dd>
                <dt>Catching up</dt><dd data-figure="chain.catching_up" data-form="yes">–</dd>
                <dt>DAA scores caught up per second</dt><dd data-figure="chain.daa_per_second" data-form="rate">–</dd>
                <dt>Caught up in</dt><dd data-figure="chain.seconds_left" data-form="seconds">–</dd>
                <dt>Waits until pushes are sent</dt><dd data-figure="chain.waits_for_dispatcher" data-form="yes">–</dd>
                <dt>Blocks read</dt><dd data-figure="chain.blocks" data-form="count">–</dd>
                <dt>Messages and transfers accepted</dt><dd data-figure="chain.accepted" data-form="count">–</dd>
                <dt>Of them taken back</dt><dd data-figure="chain.reverted" data-form="count">–</dd>
                <dt>Reorganisations</dt><dd data-figure="chain.reorganizations" data-form="count">–</dd>
                <dt>Stretches that may be missing</dt><dd data-figure="chain.gaps" data-form="count">–</dd>
                <dt class="wide">Hash of that block</dt><dd class="wide code" data-figure="chain.block" data-form="text">–</dd>
              </dl></section>
            <section class="card" aria-labelledby="push-title"><h2 id="push-title">Pushes since the start</h2>
              <div class="table" tabindex="0"><table><thead><tr><th scope="col">What became of them</th>
                <th scope="col">Why</th><th scope="col" class="number">Pushes</th></tr></thead>
                <tbody id="deliveries"></tbody></table></div>
              <dl><dt>Given up and kept (outbox dead)</dt><dd data-figure="push.dead_letters" data-form="count">–</dd></dl>
            </section>
            <section class="card" aria-labelledby="store-title"><h2 id="store-title">Store and process</h2>
              <dl>
                <dt>Writes slowed down by the disk</dt><dd data-figure="store.write_stalled" data-form="yes">–</dd>
                <dt>Memory</dt><dd data-figure="process.resident_bytes" data-form="bytes">–</dd>
                <dt>Open files</dt><dd><span data-figure="process.open_files" data-form="count">–</span> of
                  <span data-figure="process.file_limit" data-form="count">–</span></dd>
                <dt>HTTP requests answered</dt><dd data-figure="process.http_requests" data-form="count">–</dd>
              </dl>
              <table><thead><tr><th scope="col">Kept in the store</th><th scope="col" class="number">Size</th></tr></thead>
                <tbody id="families"></tbody></table></section>
          </div>
        </main>
        """

    static let style = """

        header {
          display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center; justify-content: space-between;
          padding: 12px 24px; background: var(--card); border-bottom: 1px solid var(--line);
        }
        h1 { font-size: 1.15rem; }
        h2, h3 { font-size: 0.95rem; }
        .muted { color: var(--muted); font-size: 0.85rem; }
        .notice { margin: 16px 24px 0; font-weight: 600; }
        .state {
          padding: 10px 16px; background: var(--card); border: 1px solid var(--line); border-left: 6px solid currentcolor;
          border-radius: 8px; font-size: 1.15rem; font-weight: 600;
        }
        .good { color: var(--good); } .warn, .warning { color: var(--warn); } .bad { color: var(--bad); }
        main {
          display: grid; grid-template-columns: minmax(0, 1fr); gap: 14px; max-width: 92rem; margin: 0 auto;
          padding: 16px 24px 40px; outline: none;
        }
        .parts { display: flex; flex-wrap: wrap; gap: 8px; margin: 0; padding: 0; list-style: none; }
        .parts li {
          padding: 3px 12px; background: var(--card); border: 1px solid var(--line); border-radius: 6px;
          font-size: 0.9rem; max-width: 100%;
        }
        .parts b { margin-right: 6px; }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 14px; }
        .tile, .card { padding: 12px 16px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
        .tile h2 { color: var(--muted); font-size: 0.85rem; font-weight: 600; }
        .tile > p:nth-of-type(1) { font-size: 1.7rem; line-height: 1.3; font-weight: 600; font-variant-numeric: tabular-nums; }
        .plots { margin-top: 8px; display: grid; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); gap: 14px; }
        .plot { min-width: 0; }
        .plot svg { display: block; width: 100%; height: 150px; }
        .plot .key { display: flex; flex-wrap: wrap; gap: 2px 16px; min-height: 1.5em; font-size: 0.85rem; color: var(--muted); }
        .plot .key b { color: var(--text); font-variant-numeric: tabular-nums; }
        .swatch { display: inline-block; width: 14px; height: 3px; margin: 0 6px 3px 0; background: currentcolor; }
        .first { color: var(--first); } .second { color: var(--second); }
        .line { fill: none; stroke: currentcolor; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
        .dot { fill: currentcolor; }
        .grid { stroke: var(--grid); stroke-width: 1; }
        .cursor { stroke: var(--muted); stroke-width: 1; stroke-dasharray: 3 3; }
        .axis { fill: var(--muted); font: 11px var(--sans); }
        .cards { columns: 22rem auto; column-gap: 14px; }
        .cards .card { break-inside: avoid; margin-bottom: 14px; }
        dl { display: grid; grid-template-columns: minmax(min-content, 1fr) auto; gap: 3px 16px; margin: 8px 0; font-size: 0.9rem; }
        dt { color: var(--muted); }
        dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums; }
        .wide { grid-column: 1 / -1; }
        dd.code { font-family: var(--mono); font-size: 0.8rem; text-align: left; overflow-wrap: anywhere; }
        .table { overflow-x: auto; }
        table { width: 100%; margin-top: 6px; border-collapse: collapse; font-size: 0.9rem; }
        th { color: var(--muted); font-weight: 600; }
        th, td { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
        th:last-child, td:last-child { padding-right: 0; }
        .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .cut .tile p, .cut dd, .cut td, .cut .plot svg { opacity: 0.45; }
        @media (max-width: 560px) {
          header, main { padding-left: 12px; padding-right: 12px; }
          .plots { grid-template-columns: minmax(0, 1fr); }
          .cards { columns: auto; }
          .stack thead { display: none; }
          .stack tr { display: block; padding: 6px 0; border-bottom: 1px solid var(--line); }
          .stack td { display: inline; padding: 0 6px 0 0; border: 0; }
          .stack td.number::before { content: "× "; }
          .stack td:nth-last-child(-n + 2) { display: block; }
        }

        """
}
