"use strict";

// The plots of the status page: columns of the history as lines.

const hour = 3600e3;
let past = {time: []};
let startedAt = null;

// Numbers with as many decimals as the distance of two ticks needs.
const digitsOf = step => Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
const withDigits = (number, digits) =>
  number.toLocaleString("en", {minimumFractionDigits: digits, maximumFractionDigits: digits});

// Three to five round values from 0 up to the highest, with different labels.
const timeUnits = [["ms", 0.001], ["s", 1], ["min", 60], ["h", 3600], ["days", 86400]];
const valueTicks = (highest, kind) => {
  const top = highest > 0 ? highest : 1;
  const [unit, size] = kind !== "seconds" ? ["", 1]
    : timeUnits.findLast(([, size]) => size <= top) || timeUnits[0];
  const power = 10 ** Math.floor(Math.log10(top / size / 4));
  const fitting = [1, 2, 5, 10].map(factor => factor * power).find(step => step * 4 >= top / size * 0.9999);
  const step = kind === "count" ? Math.max(1, fitting) : fitting;
  const number = Math.max(1, Math.ceil(top / size / step - 1e-9));
  return Array.from({length: number + 1}, (_, index) => ({
    value: index * step * size,
    label: index === 0 ? "0" : (withDigits(index * step, digitsOf(step)) + " " + unit).trim(),
  }));
};

// Round times of the day between two moments, no more than fit into a width in pixels.
const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800].map(seconds => seconds * 1000);
const timeTicks = (start, end, width) => {
  const hasSeconds = step => step < 60e3;
  const step = timeSteps.find(size => (end - start) / size <= width / (hasSeconds(size) ? 75 : 55))
    || timeSteps.at(-1);
  const zone = new Date(end).getTimezoneOffset() * 60e3;
  const ticks = [];
  for (let time = Math.ceil((start - zone) / step) * step + zone; time <= end; time += step) {
    ticks.push({time, label: clock(time).slice(0, hasSeconds(step) ? 8 : 5)});
  }
  return ticks;
};

// What the time axis spans: everything since the start of the process, at most an hour.
const span = () => {
  const end = past.time.length ? past.time.at(-1) : Date.now();
  const first = Math.min(startedAt ?? end, past.time[0] ?? end, end - 10e3);
  return {start: Math.max(first, end - hour), end};
};

const column = (name, over) => index => {
  const value = past[name] ? past[name][index] : null;
  return value === null || value === undefined || !over ? value : value / past[over][index];
};
const latencies = name => [
  {name: "median", value: column(name + "_p50")},
  {name: "99th percentile", value: column(name + "_p99")},
];
const plots = [
  {id: "plot-delivered", title: "Pushes accepted by Apple, per second", kind: "rate",
   lines: [{name: "per second", value: column("delivered", "seconds")}]},
  {id: "plot-wire", title: "From block time to Apple’s answer", kind: "seconds",
   lines: latencies("chain_to_wire")},
  {id: "plot-send", title: "From our request to Apple’s answer", kind: "seconds", lines: latencies("send")},
  {id: "plot-queue", title: "Pushes queued or in flight", kind: "count",
   lines: [{name: "pushes", value: column("queue")}]},
  {id: "plot-lag", title: "Age of the newest chain block", kind: "seconds",
   lines: [{name: "age", value: column("lag_seconds")}]},
  {id: "plot-failed", title: "Given up or retried, per second", kind: "rate",
   lines: [{name: "given up", value: column("failed", "seconds")},
           {name: "retried", value: column("retried", "seconds")}]},
];
const forms = {count, rate, seconds: duration};

const svg = (tag, attributes, text) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text) made.textContent = text;
  return made;
};

const prepare = plot => {
  plot.svg = svg("svg", {role: "img", tabindex: "0"});
  plot.key = element("p", {class: "key"});
  byID(plot.id).append(element("h3", {}, plot.title), plot.key, plot.svg);
  plot.svg.addEventListener("pointermove", event => {
    const box = plot.svg.getBoundingClientRect();
    const {start, end} = span();
    const inner = (event.clientX - box.left - plot.left) / (box.width - plot.left - 8);
    const time = start + Math.min(Math.max(inner, 0), 1) * (end - start);
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

const colour = line => line === 0 ? "first" : "second";
const draw = plot => {
  const [width, height, bottom, right, top] = [plot.svg.clientWidth || 400, 150, 20, 8, 8];
  const times = past.time;
  const {start, end} = span();
  const values = plot.lines.map(line => times.map((_, index) => line.value(index)));
  const highest = Math.max(0, ...values.flat().filter(value => Number.isFinite(value)));
  const ticks = valueTicks(highest, plot.kind);
  plot.left = 10 + 6.5 * Math.max(...ticks.map(tick => tick.label.length));
  const x = time => plot.left + (width - plot.left - right) * (time - start) / (end - start);
  const y = value => height - bottom - (height - bottom - top) * value / ticks.at(-1).value;
  const parts = [];
  for (const tick of ticks) {
    parts.push(svg("line", {class: "grid", x1: plot.left, x2: width - right, y1: y(tick.value), y2: y(tick.value)}));
    parts.push(svg("text", {class: "axis value", x: plot.left - 6, y: y(tick.value) + 4, "text-anchor": "end"},
      tick.label));
  }
  for (const tick of timeTicks(start, end, width - plot.left - right)) {
    // Half a label has to fit on both sides.
    const place = Math.min(Math.max(x(tick.time), 26), width - 26);
    const [x1, x2, y1, y2] = [x(tick.time), x(tick.time), height - bottom, height - bottom + 4];
    parts.push(svg("line", {class: "grid", x1, x2, y1, y2}));
    parts.push(svg("text", {class: "axis time", x: place, y: height - 4, "text-anchor": "middle"}, tick.label));
  }
  values.forEach((points, line) => {
    let path = "";
    points.forEach((value, index) => {
      if (!Number.isFinite(value) || times[index] < start) return;
      // The line breaks where nothing was observed and where samples are missing.
      const follows = entry => Number.isFinite(points[entry]) && times[entry] >= start
        && Math.abs(times[entry] - times[index]) < 25e3;
      if (!follows(index - 1) && !follows(index + 1)) {
        parts.push(svg("circle", {class: "dot " + colour(line), cx: x(times[index]), cy: y(value), r: 3}));
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
    return {name: line.name, text: Number.isFinite(value) ? forms[plot.kind](value) : nothing};
  });
  plot.key.replaceChildren(
    ...said.map((entry, number) => element("span", {class: "entry"},
      element("i", {class: "swatch " + colour(number)}), entry.name + " ", element("b", {}, entry.text))),
    element("span", {}, index < 0 ? "no sample yet" : chosen === null ? "" : "at " + clock(times[index])));
  plot.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  plot.svg.setAttribute("aria-label", `${plot.title}, from ${clock(start)} to ${clock(end)}. `
    + said.map(entry => `${entry.name} ${entry.text}`).join(", ")
    + (index < 0 ? "" : ` at ${clock(times[index])}`) + ". Arrow keys move along.");
  plot.svg.replaceChildren(...parts);
};
const drawAll = () => {
  plots.forEach(draw);
  const {start, end} = span();
  const heading = end - start < hour ? "Since the start at " + clock(start) : "The last hour";
  const title = byID("plots-title");
  if (title.textContent !== heading) title.textContent = heading;
};

const takeSample = sample => {
  for (const [name, value] of Object.entries(sample)) (past[name] ||= []).push(value);
  while (past.time.length && past.time[0] < sample.time - hour) {
    for (const name of Object.keys(sample)) past[name].shift();
    for (const plot of plots) if (plot.chosen > 0) plot.chosen -= 1;
  }
  drawAll();
};
