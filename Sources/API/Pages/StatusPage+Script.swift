extension StatusPage {
    static let script = foundations + plots + figures

    /// What the rest stands on: elements, and the forms of figures.
    private static let foundations = #"""

        "use strict";
        // The service sends each second; a few lost ones are no news.
        const patience = 5e3;
        const pollEvery = 5e3;
        const nothing = "–";

        const element = (tag, attributes, ...children) => {
          const made = document.createElement(tag);
          for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
          made.append(...children.flat());
          return made;
        };
        const byID = id => document.getElementById(id);

        // Forms of figures.
        const clock = time => new Date(time).toLocaleTimeString([], {hour12: false});
        const duration = seconds => {
          if (seconds < 0.001) return "0 s";
          if (seconds < 1) return Math.round(seconds * 1000) + " ms";
          if (seconds < 10) return seconds.toFixed(1) + " s";
          if (seconds < 120) return Math.round(seconds) + " s";
          if (seconds < 7200) return Math.round(seconds / 60) + " min";
          if (seconds < 172800) return Math.round(seconds / 3600) + " h";
          return Math.round(seconds / 86400) + " days";
        };
        const bytes = number => {
          const units = ["B", "KiB", "MiB", "GiB", "TiB"];
          let unit = 0;
          while (number >= 1024 && unit < units.length - 1) { number /= 1024; unit += 1; }
          return (unit === 0 || number >= 100 ? Math.round(number) : number.toFixed(1)) + " " + units[unit];
        };
        const count = number => Math.round(number).toLocaleString("en");
        const rate = number => number === 0 ? "0" : number < 10 ? number.toFixed(2) : number < 100 ? number.toFixed(1) : count(number);
        const moment = time => {
          if (!time) return nothing;
          const isToday = new Date(time).toDateString() === new Date().toDateString();
          return isToday ? clock(time) : new Date(time).toLocaleDateString([], {dateStyle: "medium"}) + " " + clock(time);
        };
        // A text whose words are not broken: a line may end behind a mark between them.
        const breakable = text => (String(text).match(/[^._\/:=-]+[._\/:=-]*|[._\/:=-]+/g) || [])
          .flatMap((part, index) => index ? [document.createElement("wbr"), part] : [part]);
        const guideLink = (place, words) => place ? element("a", {href: place}, words) : "";
        const asTexts = {
          count, rate, bytes, moment, seconds: duration, text: text => text, yes: truth => truth ? "yes" : "no",
        };

        """#

    /// Shows what the service sends.
    private static let figures = #"""

        // Tables are made anew only when they change: a screen reader keeps its place.
        const shown = {};
        const fill = (id, entries, row, otherwise) => {
          const text = JSON.stringify(entries);
          if (shown[id] === text) return;
          shown[id] = text;
          byID(id).replaceChildren(...(entries.length ? entries.map(row)
            : [element("tr", {}, element("td", {colspan: "7", class: "muted"}, otherwise))]));
        };
        const cells = (...texts) => element("tr", {}, texts.map(text =>
          element("td", typeof text === "number" ? {class: "number"} : {},
            typeof text === "number" ? count(text) : breakable(text))));

        // What the words of metrics and rows mean. Apple's own words stay as they are.
        const outcomes = {
          delivered: "taken by Apple", dead: "given up: refused", expired: "given up: waited too long",
          suppressed: "not sent, by a rule", withdrawn: "taken back before sending", retried: "tried again",
        };
        const reasons = {
          none: "", None: "", own_message: "the device’s owner wrote it", own_transfer: "the owner’s own coins moved",
          other_alias: "another conversation", missing_capability: "the app does not know this kind",
          before_registration: "older than the registration", device_removed: "the device has left",
          operation_gone: "the message is gone", hourly_limit: "enough for this hour",
          hidden_sender: "the sender is hidden", never_told: "nothing to correct",
          on_probation: "Apple has never taken this token", queue_full: "too many wait for the device",
          too_old: "too old", reorganization: "a reorganisation", unresolved_sender: "the sender is not known",
          unverified_sender: "the sender is not proven",
        };
        const plainWords = (known, word) => known[word] ?? word.replaceAll("_", " ");

        const tables = status => {
          const nodes = (status.parts.node && status.parts.node.nodes) || [];
          fill("nodes", nodes, node => cells(node.url, node.state, node.reason || ""), "no node is known yet");
          fill("deliveries", status.push.deliveries, entry => {
            const row = cells(plainWords(outcomes, entry.outcome), plainWords(reasons, entry.reason), entry.count);
            row.dataset.entry = `${entry.outcome} ${entry.reason} ${entry.count}`;
            return row;
          }, "no push yet");
          const families = [...status.store.families].sort((one, other) => other.bytes - one.bytes);
          const kept = Math.min(6, families.filter(entry => entry.bytes > 0).length);
          const others = families.splice(kept);
          if (others.length) {
            families.push({
              column_family: `${others.length} smaller ones`, bytes: others.reduce((sum, entry) => sum + entry.bytes, 0),
            });
          }
          fill("families", families, entry => element("tr", {}, element("td", {}, plainWords({}, entry.column_family)),
            element("td", {class: "number"}, bytes(entry.bytes))), "not measured yet");
          fill("events", status.events, event => {
            const words = Object.entries(event.metadata).map(([key, value]) => `${key}=${value}`).join(" ");
            const level = event.level === "warning" ? "warn" : "bad";
            return element("tr", {}, element("td", {}, moment(event.time)), element("td", {class: level}, event.level),
              element("td", {}, breakable(event.label)), element("td", {}, element("code", {}, breakable(event.message))),
              element("td", {class: "number"}, count(event.count)), element("td", {}, breakable(words)),
              element("td", {}, guideLink(event.guide, "what to do")));
          }, "Nothing since the start.");
        };

        const figures = [...document.querySelectorAll("[data-figure]")];
        const show = status => {
          lastData = Date.now();
          for (const figure of figures) {
            const value = figure.dataset.figure.split(".").reduce((node, key) => node?.[key], status);
            const isThere = value !== null && value !== undefined;
            figure.dataset.value = isThere ? String(value) : "";
            const text = isThere ? asTexts[figure.dataset.form](value) : nothing;
            if (figure.textContent !== text) figure.replaceChildren(...breakable(text));
          }
          const parts = Object.entries(status.parts);
          if (shown.parts !== JSON.stringify(parts)) {
            shown.parts = JSON.stringify(parts);
            byID("parts").replaceChildren(...parts.map(([name, part]) => element("li", {},
              element("b", {}, partNames[name] || name),
              element("span", {class: part.ready ? (part.state === "ok" ? "good" : "warn") : "bad"}, part.state),
              part.guide ? [" ", guideLink(part.guide, "what to do")] : [])));
          }
          tables(status);
          summary = status.summary;
          if (startedAt !== status.started_at) {
            startedAt = status.started_at;
            drawAll();
          }
          tellState();
        };
        const partNames = {node: "Node", chain: "Chain", store: "Store", apns: "Apple", clock: "Clock"};

        // The state in words, and whether what is shown is still true.
        let lastData = null;
        let summary = null;
        let way = "live";
        const tellState = () => {
          const since = lastData === null ? null : Date.now() - lastData;
          const isCut = since === null ? performance.now() > patience : since > patience;
          document.body.classList.toggle("cut", isCut);
          const notice = byID("cut");
          if (notice.hidden === isCut) {
            notice.hidden = !isCut;
            notice.textContent = !isCut ? ""
              : lastData === null ? "No data yet. Trying on …" : `No data since ${clock(lastData)}. Trying on …`;
          }
          const state = byID("state");
          state.hidden = isCut;
          if (shown.state !== JSON.stringify(summary)) {
            shown.state = JSON.stringify(summary);
            state.className = "state " + (summary ? summary.level : "");
            state.replaceChildren(...(summary ? [summary.text, " ", guideLink(summary.guide, "What to do")] : ["Connecting …"]));
          }
          const text = isCut ? "no data" : lastData === null ? "connecting …" : way;
          if (byID("way").textContent !== text) byID("way").textContent = text;
        };
        setInterval(tellState, 1000);

        // The stream; while it is refused, for example because all its places are taken, the same is asked for.
        const poll = async () => {
          try {
            const answer = await fetch("status.json");
            if (!answer.ok) return;
            const status = await answer.json();
            way = "asked every few seconds";
            past = status.history;
            show(status);
            drawAll();
          } catch { /* the next try follows */ }
        };
        const connect = () => {
          const source = new EventSource("status/stream");
          source.addEventListener("history", event => { past = JSON.parse(event.data); drawAll(); });
          source.addEventListener("status", event => { way = "live"; show(JSON.parse(event.data)); });
          source.addEventListener("sample", event => takeSample(JSON.parse(event.data)));
          source.addEventListener("error", () => {
            if (source.readyState !== EventSource.CLOSED) return;
            poll();
            setTimeout(connect, pollEvery);
          });
        };
        plots.forEach(prepare);
        drawAll();
        new ResizeObserver(drawAll).observe(byID("plot-wire"));
        connect();

        """#
}
