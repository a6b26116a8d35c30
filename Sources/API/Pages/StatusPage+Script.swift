extension StatusPage {
    static let script = #"""

        "use strict";
        const hour = 3600e3;
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
        const forms = {
          count, rate, bytes, moment, seconds: duration, text: text => text, yes: truth => truth ? "yes" : "no",
        };

        // The plots: the columns of the history, drawn as lines over the last hour.
        let past = {time: []};
        const column = (name, over) => index => {
          const value = past[name] ? past[name][index] : null;
          return value === null || value === undefined || !over ? value : value / past[over][index];
        };
        const plots = [
          {id: "plot-delivered", title: "Delivered a second", form: rate,
           lines: [{name: "delivered", value: column("delivered", "seconds")}]},
          {id: "plot-wire", title: "Chain to wire", form: duration,
           lines: [{name: "p50", value: column("chain_to_wire_p50")}, {name: "p99", value: column("chain_to_wire_p99")}]},
          {id: "plot-send", title: "Apple's answer", form: duration,
           lines: [{name: "p50", value: column("send_p50")}, {name: "p99", value: column("send_p99")}]},
          {id: "plot-queue", title: "Queued and in flight", form: count,
           lines: [{name: "deliveries", value: column("queue")}]},
          {id: "plot-lag", title: "Lag of the chain", form: duration, lines: [{name: "lag", value: column("lag_seconds")}]},
          {id: "plot-failed", title: "Given up and tried again, a second", form: rate,
           lines: [{name: "given up", value: column("failed", "seconds")},
                   {name: "tried again", value: column("retried", "seconds")}]},
        ];

        const svg = (tag, attributes, text) => {
          const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
          for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
          if (text) made.textContent = text;
          return made;
        };

        // A round number that four steps of it reach the top.
        const step = top => {
          const power = 10 ** Math.floor(Math.log10(top / 4));
          return [1, 2, 2.5, 5, 10].map(factor => factor * power).find(size => size * 4 >= top * 0.9999);
        };

        const prepare = plot => {
          plot.svg = svg("svg", {role: "img", tabindex: "0"});
          plot.key = element("p", {class: "key"});
          byID(plot.id).append(element("h2", {}, plot.title), plot.key, plot.svg);
          plot.svg.addEventListener("pointermove", event => {
            const box = plot.svg.getBoundingClientRect();
            const inner = (event.clientX - box.left - plot.left) / (box.width - plot.left - 8);
            const time = plot.end - hour + Math.min(Math.max(inner, 0), 1) * hour;
            plot.chosen = past.time.reduce((best, entry, index) =>
              best === null || Math.abs(entry - time) < Math.abs(past.time[best] - time) ? index : best, null);
            draw(plot);
          });
          const leave = () => { plot.chosen = null; draw(plot); };
          plot.svg.addEventListener("pointerleave", leave);
          plot.svg.addEventListener("blur", leave);
          plot.svg.addEventListener("keydown", event => {
            if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
            event.preventDefault();
            const last = past.time.length - 1;
            const now = plot.chosen === null || plot.chosen === undefined ? last : plot.chosen;
            plot.chosen = Math.min(Math.max(now + (event.key === "ArrowLeft" ? -1 : 1), 0), last);
            draw(plot);
          });
        };

        const draw = plot => {
          const [width, height, bottom, right, top] = [plot.svg.clientWidth || 400, 150, 20, 8, 8];
          const times = past.time;
          plot.end = times.length ? times.at(-1) : Date.now();
          const values = plot.lines.map(line => times.map((_, index) => line.value(index)));
          const highest = Math.max(0, ...values.flat().filter(value => Number.isFinite(value)));
          const size = highest > 0 ? step(highest) : 1;
          const ticks = Math.max(1, Math.ceil(highest / size - 1e-9));
          const labels = Array.from({length: ticks + 1}, (_, index) => plot.form(index * size));
          plot.left = 10 + 6.5 * Math.max(...labels.map(label => label.length));
          const x = time => plot.left + (width - plot.left - right) * (1 - (plot.end - time) / hour);
          const y = value => height - bottom - (height - bottom - top) * value / (ticks * size);
          const parts = [];
          labels.forEach((label, index) => {
            parts.push(svg("line", {class: "grid", x1: plot.left, x2: width - right, y1: y(index * size), y2: y(index * size)}));
            parts.push(svg("text", {class: "axis", x: plot.left - 6, y: y(index * size) + 4, "text-anchor": "end"}, label));
          });
          for (const minutes of width < 380 ? [60, 30, 0] : [60, 45, 30, 15, 0]) {
            const anchor = minutes === 60 ? "start" : minutes === 0 ? "end" : "middle";
            parts.push(svg("text", {class: "axis", x: x(plot.end - minutes * 60e3), y: height - 5, "text-anchor": anchor},
              minutes ? `−${minutes} min` : clock(plot.end)));
          }
          values.forEach((points, line) => {
            let path = "";
            points.forEach((value, index) => {
              if (!Number.isFinite(value)) return;
              // A line ends where nothing was observed, and where samples are missing.
              const follows = entry => Number.isFinite(points[entry]) && Math.abs(times[entry] - times[index]) < 25e3;
              if (!follows(index - 1) && !follows(index + 1)) {
                parts.push(svg("circle", {class: "dot " + colour(line), cx: x(times[index]), cy: y(value), r: 2}));
              }
              path += `${follows(index - 1) ? "L" : "M"}${x(times[index]).toFixed(1)} ${y(value).toFixed(1)}`;
            });
            if (path.includes("L")) parts.push(svg("path", {class: "line " + colour(line), d: path}));
          });
          const chosen = plot.chosen === undefined ? null : plot.chosen;
          if (chosen !== null && chosen < times.length) {
            const place = x(times[chosen]);
            parts.push(svg("line", {class: "cursor", x1: place, x2: place, y1: top, y2: height - bottom}));
          }
          const index = chosen === null ? times.length - 1 : Math.min(chosen, times.length - 1);
          const said = plot.lines.map((line, number) => {
            const value = index < 0 ? null : values[number][index];
            return {name: line.name, text: Number.isFinite(value) ? plot.form(value) : nothing};
          });
          plot.key.replaceChildren(
            ...said.map((entry, number) => element("span", {class: "entry"},
              element("i", {class: "swatch " + colour(number)}), entry.name + " ", element("b", {}, entry.text))),
            element("span", {}, index < 0 ? "no sample yet" : (chosen === null ? "last" : "at") + " " + clock(times[index])));
          plot.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
          plot.svg.setAttribute("aria-label", `${plot.title}, the last hour. `
            + said.map(entry => `${entry.name} ${entry.text}`).join(", ")
            + (index < 0 ? "" : ` at ${clock(times[index])}`) + ". Arrow keys move along.");
          plot.svg.replaceChildren(...parts);
        };
        const colour = line => line === 0 ? "first" : "second";
        const drawAll = () => plots.forEach(draw);

        const takeSample = sample => {
          for (const [name, value] of Object.entries(sample)) (past[name] ||= []).push(value);
          while (past.time.length && past.time[0] < sample.time - hour) {
            for (const name of Object.keys(sample)) past[name].shift();
          }
          for (const plot of plots) if (plot.chosen > 0) plot.chosen -= 1;
          drawAll();
        };

        // Tables are made anew only when they change: a screen reader keeps its place.
        const shown = {};
        const fill = (id, entries, row, otherwise) => {
          const text = JSON.stringify(entries);
          if (shown[id] === text) return;
          shown[id] = text;
          byID(id).replaceChildren(...(entries.length ? entries.map(row)
            : [element("tr", {}, element("td", {colspan: "6", class: "muted"}, otherwise))]));
        };
        const cells = (...texts) => element("tr", {}, texts.map(text =>
          element("td", typeof text === "number" ? {class: "number"} : {}, typeof text === "number" ? count(text) : text)));

        const tables = status => {
          const nodes = (status.parts.node && status.parts.node.nodes) || [];
          fill("nodes", nodes, node => cells(node.url, node.state, node.reason || ""), "no node is known yet");
          fill("deliveries", status.push.deliveries,
            entry => cells(entry.outcome, entry.reason, entry.count), "no delivery yet");
          const families = [...status.store.families].sort((one, other) => other.bytes - one.bytes);
          const kept = Math.min(6, families.filter(entry => entry.bytes > 0).length);
          const others = families.splice(kept);
          if (others.length) {
            families.push({
              column_family: `${others.length} smaller ones`, bytes: others.reduce((sum, entry) => sum + entry.bytes, 0),
            });
          }
          fill("families", families, entry => element("tr", {}, element("td", {}, entry.column_family),
            element("td", {class: "number"}, bytes(entry.bytes))), "not measured yet");
          fill("events", status.events, event => {
            const words = Object.entries(event.metadata).map(([key, value]) => `${key}=${value}`).join(" ");
            const level = event.level === "warning" ? "warn" : "bad";
            return element("tr", {}, element("td", {}, moment(event.time)), element("td", {class: level}, event.level),
              element("td", {}, event.label), element("td", {}, element("code", {}, event.message)),
              element("td", {class: "number"}, count(event.count)), element("td", {}, words));
          }, "Nothing since the start.");
        };

        const figures = [...document.querySelectorAll("[data-figure]")];
        const show = status => {
          lastData = Date.now();
          for (const figure of figures) {
            const value = figure.dataset.figure.split(".").reduce((node, key) => node?.[key], status);
            const isThere = value !== null && value !== undefined;
            figure.dataset.value = isThere ? String(value) : "";
            const text = isThere ? forms[figure.dataset.form](value) : nothing;
            if (figure.textContent !== text) figure.textContent = text;
          }
          const parts = Object.entries(status.parts);
          if (shown.parts !== JSON.stringify(parts)) {
            shown.parts = JSON.stringify(parts);
            byID("parts").replaceChildren(...parts.map(([name, part]) => element("li", {},
              element("b", {}, name), element("span", {class: part.ready ? (part.state === "ok" ? "good" : "warn") : "bad"},
                part.state))));
          }
          tables(status);
          isReady = status.ready;
          tellState();
        };

        // Whether what is shown is still true.
        let lastData = null;
        let isReady = null;
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
          const text = isCut ? "no data" : isReady === null ? "connecting …"
            : (isReady ? "ready" : "not ready") + " · " + way;
          if (state.textContent !== text) state.textContent = text;
          state.className = "state " + (isCut || isReady === false ? "bad" : isReady ? "good" : "");
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
