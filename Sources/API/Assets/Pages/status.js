"use strict";

// Shows what the service sends: figures, tables, and the state in words.

// The service sends every second; data older than this is shown as out of date.
const staleAfter = 5e3;
const pollEvery = 5e3;

const guideLink = (place, text) => place ? element("a", {href: place}, text) : "";

// Tables are replaced only when they change, so that a screen reader keeps its place.
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

// The names that metrics and rows use, in plain words. Apple's own reasons stay as they are.
const outcomes = {
  delivered: "accepted by Apple", dead: "given up: refused", expired: "given up: waited too long",
  suppressed: "not sent, by a rule", withdrawn: "withdrawn before sending", retried: "retried",
};
const reasons = {
  none: "", None: "", own_message: "written by the device’s owner", own_transfer: "a transfer by the device’s owner",
  other_alias: "another conversation", missing_capability: "the app does not support this kind",
  before_registration: "older than the registration", device_removed: "the device was removed",
  operation_gone: "the message is no longer stored", hourly_limit: "hourly limit reached",
  hidden_sender: "the sender is hidden", never_told: "the device was not notified before",
  on_probation: "Apple has never accepted this token", queue_full: "the device’s queue is full",
  too_old: "too old", reorganization: "chain reorganisation", unresolved_sender: "the sender is not known",
  unverified_sender: "the sender is not verified",
};
const inWords = (known, word) => known[word] ?? word.replaceAll("_", " ");

const tables = status => {
  const nodes = (status.parts.node && status.parts.node.nodes) || [];
  fill("nodes", nodes, node => cells(node.url, node.state, node.reason || ""), "no node is known yet");
  fill("deliveries", status.push.deliveries, entry => {
    const row = cells(inWords(outcomes, entry.outcome), inWords(reasons, entry.reason), entry.count);
    row.dataset.entry = `${entry.outcome} ${entry.reason} ${entry.count}`;
    return row;
  }, "no push yet");
  byID("members-card").hidden = status.members.length === 0;
  fill("members", status.members, member => {
    const isSilent = member.state === "silent";
    const state = isSilent ? `silent for ${duration(member.silent_seconds)}` : inWords({}, member.state);
    return element("tr", {}, element("td", {}, breakable(member.name)),
      element("td", isSilent ? {class: "warn"} : {}, state),
      element("td", {}, member.shards.join(", ") || "–"), element("td", {}, member.version),
      element("td", {class: "number"}, duration(member.uptime_seconds)));
  }, "none");
  const families = [...status.store.families].sort((one, other) => other.bytes - one.bytes);
  const kept = Math.min(6, families.filter(entry => entry.bytes > 0).length);
  const others = families.splice(kept);
  if (others.length) {
    families.push({
      column_family: `${others.length} smaller ones`, bytes: others.reduce((sum, entry) => sum + entry.bytes, 0),
    });
  }
  fill("families", families, entry => element("tr", {}, element("td", {}, inWords({}, entry.column_family)),
    element("td", {class: "number"}, bytes(entry.bytes))), "not measured yet");
  fill("events", status.events, event => {
    const words = Object.entries(event.metadata).map(([key, value]) => `${key}=${value}`).join(" ");
    const level = event.level === "warning" ? "warn" : "bad";
    return element("tr", {}, element("td", {}, moment(event.time)), element("td", {class: level}, event.level),
      element("td", {}, breakable(event.label)), element("td", {}, element("code", {}, breakable(event.message))),
      element("td", {class: "number"}, count(event.count)), element("td", {}, breakable(words)),
      element("td", {}, guideLink(event.guide, "what to do")));
  }, "None since the start.");
};

const figures = [...document.querySelectorAll("[data-figure]")];
const show = status => {
  lastData = Date.now();
  for (const figure of figures) {
    const value = figure.dataset.figure.split(".").reduce((node, key) => node?.[key], status);
    const hasValue = value !== null && value !== undefined;
    figure.dataset.value = hasValue ? String(value) : "";
    const text = hasValue ? asTexts[figure.dataset.form](value) : nothing;
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
  showState();
};
const partNames = {node: "Node", chain: "Chain", store: "Store", apns: "Apple", clock: "Clock"};

// The state in words, and whether what is shown is up to date.
let lastData = null;
let summary = null;
let connection = "live";
const showState = () => {
  const since = lastData === null ? null : Date.now() - lastData;
  const isCut = since === null ? performance.now() > staleAfter : since > staleAfter;
  document.body.classList.toggle("cut", isCut);
  const notice = byID("cut");
  if (notice.hidden === isCut) {
    notice.hidden = !isCut;
    notice.textContent = !isCut ? ""
      : lastData === null ? "No data yet. Retrying …" : `No data since ${clock(lastData)}. Retrying …`;
  }
  const state = byID("state");
  state.hidden = isCut;
  if (shown.state !== JSON.stringify(summary)) {
    shown.state = JSON.stringify(summary);
    state.className = "state " + (summary ? summary.level : "");
    state.replaceChildren(...(summary
      ? [summary.text, " ", guideLink(summary.guide, "What to do")] : ["Connecting …"]));
  }
  const text = isCut ? "no data" : lastData === null ? "connecting …" : connection;
  if (byID("connection").textContent !== text) byID("connection").textContent = text;
};
setInterval(showState, 1000);

// The stream. While it is refused, for example because all streams are taken, the page polls.
const poll = async () => {
  try {
    const answer = await fetch("status.json");
    if (!answer.ok) return;
    const status = await answer.json();
    connection = "polling every few seconds";
    past = status.history;
    show(status);
    drawAll();
  } catch { /* the next poll follows */ }
};
const connect = () => {
  const source = new EventSource("status/stream");
  source.addEventListener("history", event => { past = JSON.parse(event.data); drawAll(); });
  source.addEventListener("status", event => { connection = "live"; show(JSON.parse(event.data)); });
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
