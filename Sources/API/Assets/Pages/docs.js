"use strict";

// Draws the page from openapi.json.

const exampleBlocks = (type, media, isWhole) =>
  type !== jsonType ? [] : bodyExamples(media, isWhole).map(([name, value]) => element("details", {class: "example"},
    element("summary", {}, name),
    element("pre", {tabindex: "0"}, element("code", {}, JSON.stringify(value, null, 2)))));

// The content of a body, for each content type.
const content = (value, hasExamples, isWhole) => Object.entries(value || {}).map(([type, media]) => {
  const schema = resolve(media.schema);
  return [
    element("p", {}, element("code", {}, type), element("span", {class: "type"}, typeName(media.schema))),
    schema.description ? element("div", {}, prose(schema.description)) : null,
    hasExamples ? exampleBlocks(type, media, isWhole) : null, inside(media.schema, []),
  ];
});

const parameters = list => element("div", {class: "table"}, element("table", {},
  element("thead", {}, element("tr", {},
    ["Name", "In", "Type", "Description"].map(name => element("th", {scope: "col"}, name)))),
  element("tbody", {}, list.map(value => {
    const parameter = resolve(value);
    const about = parameter.description || resolve(parameter.schema).description || "";
    return element("tr", {},
      element("td", {}, element("code", {class: "name"}, parameter.name),
        parameter.required ? element("span", {class: "required"}, "required") : null),
      element("td", {}, parameter.in), element("td", {}, typeName(parameter.schema)),
      element("td", {}, prose(about), limits(parameter.schema)));
  }))));

const hasOwnExamples = response => Object.values(response.content || {})
  .some(media => media.example !== undefined || media.examples);
const responses = list => Object.entries(list).map(([status, value]) => {
  const response = resolve(value);
  const headers = Object.entries(response.headers || {}).map(([name, header]) =>
    element("p", {}, element("code", {}, name), " header. ", prose(resolve(header).description || "")));
  return element("details", {class: "response", "data-status": status},
    element("summary", {},
      element("span", {class: "status s" + status[0]}, status), prose(response.description || "")),
    element("div", {}, headers, content(response.content, status[0] === "2" || hasOwnExamples(response), true)));
});

// Successful responses are open; errors, much the same for all calls, are folded under one line.
const answers = list => {
  const [good, bad] = [true, false].map(isGood =>
    Object.fromEntries(Object.entries(list).filter(([status]) => (status[0] === "2") === isGood)));
  const statuses = Object.keys(bad).join(", ");
  return [responses(good), statuses ? element("details", {class: "refusals"},
    element("summary", {}, "Errors: " + statuses), responses(bad)) : null];
};

const badge = method => element("span", {class: "method " + method}, method.toUpperCase());

const callCard = (path, method, operation) => {
  const needsNothing = !(operation.parameters || []).some(value => resolve(value).required);
  const opens = method === "get" && needsNothing && !path.includes("{");
  const body = operation.requestBody && resolve(operation.requestBody);
  return element("article", {
    class: "call", id: operation.operationId, "data-call": method.toUpperCase() + " " + path,
    "data-text": [method, path, operation.operationId, operation.summary, operation.description,
      ...(operation.parameters || []).map(value => resolve(value).name)].join(" ").toLowerCase(),
  },
    element("h3", {}, element("a", {href: "#" + operation.operationId},
      badge(method), element("code", {class: "path"}, breakable(path)))),
    operation.summary ? element("p", {}, prose(operation.summary)) : null,
    operation.description ? element("div", {class: "muted about"}, prose(operation.description)) : null,
    opens ? element("p", {}, element("a", {href: "." + path}, "Open it")) : null,
    requestBlocks(path, method, operation),
    operation.parameters ? [element("h4", {}, "Parameters"), parameters(operation.parameters)] : null,
    body ? [element("h4", {}, body.required ? "Body (required)" : "Body"), content(body.content, true, false)] : null,
    element("h4", {}, "Responses"), answers(operation.responses || {}));
};

const draw = () => {
  const info = description.info || {};
  byID("title").textContent = (info.title || "") + ": REST API";
  byID("version").textContent =
    `Version ${info.version || "?"} · OpenAPI ${description.openapi || "?"} ·`;
  byID("about").append(element("p", {}, prose(info.description || "")));
  const calls = Object.entries(description.paths || {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({path, method, operation})));
  const tags = (description.tags || []).map(tag => tag.name);
  for (const {operation} of calls) {
    for (const tag of operation.tags || ["other"]) if (!tags.includes(tag)) tags.push(tag);
  }
  for (const tag of tags) {
    const own = calls.filter(({operation}) => (operation.tags || ["other"])[0] === tag);
    const about = (description.tags || []).find(entry => entry.name === tag);
    byID("list").append(element("div", {"data-group": tag},
      element("h2", {}, tag),
      element("ul", {}, own.map(({path, method, operation}) =>
        element("li", {"data-for": operation.operationId},
          element("a", {href: "#" + operation.operationId}, badge(method), element("span", {}, breakable(path))))))));
    byID("calls").append(element("section", {"data-group": tag, "aria-label": tag},
      element("h2", {id: "tag-" + tag}, tag),
      about && about.description ? element("p", {class: "muted"}, prose(about.description)) : null,
      own.map(({path, method, operation}) => callCard(path, method, operation))));
  }
  search("");
  byID("search-box").hidden = false;
  for (const id of ["contents", "about"]) {
    byID(id).open = matchMedia("(min-width: 861px)").matches;
  }
  const target = location.hash && byID(decodeURIComponent(location.hash.slice(1)));
  if (target) target.scrollIntoView();
};

const search = text => {
  const words = text.toLowerCase().split(/\s+/).filter(word => word);
  const cards = [...document.querySelectorAll(".call")];
  for (const card of cards) {
    card.hidden = !words.every(word => card.dataset.text.includes(word));
    document.querySelector(`[data-for="${CSS.escape(card.id)}"]`).hidden = card.hidden;
  }
  for (const group of document.querySelectorAll("[data-group]")) {
    group.hidden = ![...group.querySelectorAll(".call, [data-for]")].some(entry => !entry.hidden);
  }
  const shown = cards.filter(card => !card.hidden).length;
  byID("count").textContent =
    words.length ? `${shown} of ${cards.length} calls` : `${cards.length} calls`;
  // On a narrow screen the list of calls is folded.
  if (words.length) byID("contents").open = true;
};

byID("search").addEventListener("input", event => search(event.target.value));
document.addEventListener("keydown", event => {
  const field = byID("search");
  const isTyping = document.activeElement?.matches("input, textarea");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape" && document.activeElement === field) {
    field.value = "";
    search("");
  }
});

fetch("openapi.json")
  .then(answer => answer.ok ? answer.json() : Promise.reject(new Error("status " + answer.status)))
  .then(found => { description = found; draw(); })
  .catch(error => {
    const notice = byID("trouble");
    notice.textContent = `openapi.json could not be read (${error.message}). Load the page again.`;
    notice.hidden = false;
  });
