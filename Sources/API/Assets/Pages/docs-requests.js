"use strict";

// The curl line of each call, and the form that sends it.

const jsonType = "application/json";
// How much of an answer is shown.
const shownBytes = 64 * 1024;

const requestBody = operation => {
  const body = operation.requestBody && resolve(operation.requestBody);
  const media = body && body.content && body.content[jsonType];
  return media ? bodyExamples(media, false)[0][1] : undefined;
};

// A parameter's value in the example: one that the document gives, or one that is made if the call needs it.
const parameterExample = parameter => {
  if (parameter.example !== undefined) return String(parameter.example);
  return parameter.required ? String(exampleOf(parameter.schema, false)) : "";
};

// The URL of a call, with the values of its fields.
const target = (call, fields) => {
  const url = new URL("." + call.path, location.href);
  url.hash = "";
  for (const {parameter, value} of fields) {
    if (parameter.in === "path") {
      url.pathname = url.pathname.replace(encodeURI(`{${parameter.name}}`), encodeURIComponent(value));
    } else if (parameter.in === "query" && value !== "") {
      url.searchParams.append(parameter.name, value);
    }
  }
  return url;
};
const headersOf = fields =>
  fields.filter(({parameter, value}) => parameter.in === "header" && value !== "")
    .map(({parameter, value}) => [parameter.name, value]);

const quoted = text => "'" + text.replaceAll("'", "'\\''") + "'";
const inOneLine = text => {
  try { return JSON.stringify(JSON.parse(text)); } catch { return text; }
};
// A line for a shell. `-N` shows a stream as it arrives.
const curlLine = (call, fields, body) => {
  const words = ["curl"];
  if (call.isStream) words.push("-N");
  const impliedMethod = body === null ? "GET" : "POST";
  if (call.method.toUpperCase() !== impliedMethod) words.push("-X " + call.method.toUpperCase());
  words.push(quoted(target(call, fields).href));
  for (const [name, value] of headersOf(fields)) words.push("-H " + quoted(`${name}: ${value}`));
  if (body !== null) words.push("-H " + quoted("content-type: " + jsonType), "-d " + quoted(inOneLine(body)));
  return words.join(" ");
};

const asShown = (text, type) => {
  if (!type.includes("json")) return text;
  try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
};

// Reads an answer piece by piece, so that a stream is shown while it lasts.
const readInto = async (place, answer) => {
  const type = answer.headers.get("content-type") || "";
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const {done, value} = await reader.read();
    text += done ? decoder.decode() : decoder.decode(value, {stream: true});
    const isTooLong = text.length > shownBytes;
    place.textContent = isTooLong ? text.slice(0, shownBytes) : text;
    if (isTooLong) {
      reader.cancel();
      return "Only the beginning is shown.";
    }
    if (done) {
      place.textContent = asShown(text, type);
      return "";
    }
  }
};

const send = async (call, fields, body, result) => {
  result.stop?.abort();
  const stop = new AbortController();
  Object.assign(result, {stop});
  const say = text => { if (result.stop === stop) result.state.textContent = text; };
  result.text.textContent = "";
  result.text.hidden = true;
  say("Sending …");
  const began = performance.now();
  try {
    const answer = await fetch(target(call, fields), {
      method: call.method.toUpperCase(), cache: "no-store", signal: stop.signal, body: body === null ? undefined : body,
      headers: [...headersOf(fields), ...(body === null ? [] : [["content-type", jsonType]])],
    });
    const time = Math.round(performance.now() - began);
    const name = answer.headers.get("x-request-id");
    const head = `${answer.status} ${answer.statusText} · ${time} ms · x-request-id: ${name || "none"}`;
    say(head + " · reading …");
    result.text.hidden = false;
    const more = await readInto(result.text, answer);
    if (!result.text.textContent) result.text.hidden = true;
    say(more ? `${head} · ${more}` : head);
  } catch (error) {
    say(stop.signal.aborted ? "Stopped." : `No answer: ${error.message}`);
  }
};

const copy = async (button, text) => {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    // Not allowed without https: the line is selected instead, for the keyboard.
    getSelection().selectAllChildren(button.parentElement.querySelector("code"));
    button.textContent = "Selected";
  }
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
};

// The curl line, and under "Try it" the same request with fields to change.
const requestBlocks = (path, method, operation) => {
  const types = Object.keys((resolve((operation.responses || {})["200"]) || {}).content || {});
  const call = {path, method, isStream: types.includes("text/event-stream")};
  const example = requestBody(operation);
  const fields = (operation.parameters || []).map(value => {
    const parameter = resolve(value);
    const input = element("input", {type: "text", autocomplete: "off", spellcheck: "false", autocapitalize: "off"});
    input.value = parameterExample(parameter);
    return {parameter, input};
  });
  const area = example === undefined ? null
    : element("textarea", {rows: "8", spellcheck: "false", autocapitalize: "off"});
  if (area) area.value = JSON.stringify(example, null, 2);
  const now = () => fields.map(({parameter, input}) => ({parameter, value: input.value}));
  const body = () => area ? area.value : null;

  const line = element("code", {});
  const draw = () => { line.textContent = curlLine(call, now(), body()); };
  const copyButton = element("button", {type: "button"}, "Copy");
  copyButton.addEventListener("click", () => copy(copyButton, line.textContent));
  draw();

  const result = {
    state: element("p", {class: "result", role: "status"}),
    text: element("pre", {class: "answer", tabindex: "0", hidden: ""}),
  };
  const sendButton = element("button", {type: "button", class: "send"}, "Send");
  const stopButton = element("button", {type: "button", class: "stop"}, "Stop");
  const go = () => send(call, now(), body(), result);
  sendButton.addEventListener("click", go);
  stopButton.addEventListener("click", () => result.stop?.abort());
  for (const {input} of fields) {
    input.addEventListener("input", draw);
    input.addEventListener("keydown", event => { if (event.key === "Enter") go(); });
  }
  if (area) area.addEventListener("input", draw);
  const labelled = (name, words, field) => element("label", {},
    element("span", {}, element("code", {}, name), words ? element("span", {class: "type"}, words) : null), field);
  return [
    element("div", {class: "curl"}, element("pre", {tabindex: "0"}, line), copyButton),
    element("details", {class: "try"}, element("summary", {}, "Try it"),
      element("p", {class: "muted"}, method === "get" ? "The request is sent to this server."
        : "The request is sent to this server, which carries it out. The example values are made up."),
      fields.map(({parameter, input}) =>
        labelled(parameter.name, parameter.required ? "required" : "", input)),
      area ? labelled("body", jsonType, area) : null,
      element("p", {class: "buttons"}, sendButton, call.isStream ? stopButton : null), result.state, result.text),
  ];
};
