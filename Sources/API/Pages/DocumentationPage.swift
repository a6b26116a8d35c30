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
            <p class="muted"><span id="version"></span> <a href="openapi.json">openapi.json</a> · <a href="./">status</a></p>
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
          <nav id="contents" aria-label="Calls"></nav>
          <main id="calls" tabindex="-1"><div id="about"></div></main>
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
          border-radius: 4px; overflow-wrap: anywhere;
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
        .call > p { margin-top: 6px; }
        .path { overflow-wrap: anywhere; }
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
        details { margin: 2px 0; }
        summary { cursor: pointer; }
        .response > summary { padding: 4px 0; }
        .response > div { padding: 2px 0 8px 20px; }
        .status { font: 600 0.9rem var(--mono); margin-right: 8px; }
        .s2 { color: var(--good); } .s4 { color: var(--warn); } .s5 { color: var(--bad); }
        pre { margin: 6px 0; padding: 10px 12px; overflow-x: auto; background: var(--soft); border-radius: 6px; }
        @media (max-width: 860px) {
          .columns { grid-template-columns: minmax(0, 1fr); gap: 8px; padding: 12px; }
          nav { position: static; max-height: 40vh; }
          header { position: static; }
        }
        @media print { nav, .search { display: none; } .columns { display: block; } header { position: static; } }

        """

    static let script = #"""

        "use strict";
        let description = {};

        const element = (tag, attributes, ...children) => {
          const made = document.createElement(tag);
          for (const [name, value] of Object.entries(attributes)) {
            if (value !== null && value !== undefined) made.setAttribute(name, value);
          }
          made.append(...children.flat(3).filter(child => child !== null && child !== undefined));
          return made;
        };

        // What stands between backquotes is code.
        const prose = text =>
          String(text).split("`").map((part, index) => index % 2 ? element("code", {}, part) : part);

        // What a reference leads to, under the reference's name; what stands beside it goes before.
        const resolve = value => {
          for (let hop = 0; value && value.$ref && hop < 16; hop++) {
            const {$ref: reference, ...beside} = value;
            const steps = reference.slice(2).split("/").map(step => step.replaceAll("~1", "/").replaceAll("~0", "~"));
            const target = steps.reduce((node, step) => node ? node[step] : undefined, description);
            value = {...(target || {}), ...beside, refers: steps.at(-1)};
          }
          return value || {};
        };

        const isNothing = schema => resolve(schema).type === "null";
        const choices = schema => [...(schema.oneOf || []), ...(schema.anyOf || [])];
        const types = schema => [schema.type || []].flat();

        const typeName = value => {
          const schema = resolve(value);
          if ("const" in schema) return JSON.stringify(schema.const);
          if (schema.enum) return schema.enum.map(entry => JSON.stringify(entry)).join(" | ");
          if (types(schema).includes("array") && schema.items) {
            const others = types(schema).filter(type => type !== "array");
            return ["array of " + typeName(schema.items), ...others].join(" or ");
          }
          if (choices(schema).length && !schema.properties) return choices(schema).map(typeName).join(" or ");
          if (schema.refers && (schema.properties || schema.allOf)) return schema.refers;
          return types(schema).join(" or ") || (schema.properties || schema.allOf ? "object" : "any");
        };

        const limitWords = value => {
          const schema = resolve(value);
          const said = schema.items ? limitWords(schema.items).map(words => "each " + words) : [];
          const say = (key, words) => { if (schema[key] !== undefined) said.push(words(schema[key])); };
          say("minLength", number => `at least ${number} characters`);
          say("maxLength", number => `at most ${number} characters`);
          say("minItems", number => `at least ${number} items`);
          say("maxItems", number => `at most ${number} items`);
          say("minimum", number => `at least ${number}`);
          say("maximum", number => `at most ${number}`);
          say("default", entry => `default ${JSON.stringify(entry)}`);
          say("pattern", pattern => `pattern ${pattern}`);
          return said;
        };
        const limits = value => {
          const said = limitWords(value);
          return said.length ? element("span", {class: "limits"}, said.join(" · ")) : null;
        };

        // The members of an object, those of all its parts together.
        const members = value => {
          const schema = resolve(value);
          const found = {properties: {...schema.properties}, required: [...(schema.required || [])]};
          for (const part of schema.allOf || []) {
            const inner = members(part);
            found.properties = {...inner.properties, ...found.properties};
            found.required.push(...inner.required);
          }
          return found;
        };

        // What is inside a schema; null for a plain value. `above` are the names on the way here.
        const inside = (value, above) => {
          const schema = resolve(value);
          if (schema.refers && above.includes(schema.refers)) return null;
          const way = schema.refers ? [...above, schema.refers] : above;
          const blocks = [];
          const {properties, required} = members(schema);
          if (Object.keys(properties).length) blocks.push(memberList(properties, required, way));
          const others = schema.additionalProperties;
          if (others && typeof others === "object") {
            blocks.push(element("ul", {class: "members"}, member("(any name)", others, false, way)));
          }
          if (schema.items) blocks.push(inside(schema.items, way));
          const several = choices(schema).filter(choice => !isNothing(choice));
          for (const choice of several) {
            const inner = inside(choice, way);
            if (!inner) continue;
            blocks.push(several.length === 1 ? inner
              : element("details", {}, element("summary", {}, typeName(choice)), inner));
          }
          const shown = blocks.filter(block => block);
          return shown.length ? element("div", {class: "schema"}, shown) : null;
        };

        const member = (name, value, isRequired, above) => {
          const inner = inside(value, above);
          const about = resolve(value).description;
          return element("li", {},
            element("code", {class: "name"}, name), element("span", {class: "type"}, typeName(value)),
            isRequired ? element("span", {class: "required"}, "required") : null,
            about ? element("div", {}, prose(about)) : null, limits(value),
            inner ? element("details", {}, element("summary", {}, "what is in it"), inner) : null);
        };

        const memberList = (properties, required, above) =>
          element("ul", {class: "members"}, Object.entries(properties).map(([name, value]) =>
            member(name, value, required.includes(name), above)));

        const examples = (media, schema) => {
          const given = media.example !== undefined ? {"Example": {value: media.example}} : {...media.examples};
          if (!Object.keys(given).length && schema.examples) given["Example"] = {value: schema.examples[0]};
          return Object.entries(given).map(([name, entry]) => element("details", {},
            element("summary", {}, name === "Example" ? name : "Example: " + name),
            element("pre", {tabindex: "0"}, element("code", {}, JSON.stringify(entry.value, null, 2)))));
        };

        // What a body holds, for each content type.
        const content = value => Object.entries(value || {}).map(([type, media]) => {
          const schema = resolve(media.schema);
          return [
            element("p", {}, element("code", {}, type), element("span", {class: "type"}, typeName(media.schema))),
            schema.description ? element("p", {}, prose(schema.description)) : null,
            inside(media.schema, []), examples(media, schema),
          ];
        });

        const parameters = list => element("div", {class: "table"}, element("table", {},
          element("thead", {}, element("tr", {},
            ["Name", "In", "Type", "Meaning"].map(name => element("th", {scope: "col"}, name)))),
          element("tbody", {}, list.map(value => {
            const parameter = resolve(value);
            const about = parameter.description || resolve(parameter.schema).description || "";
            return element("tr", {},
              element("td", {}, element("code", {class: "name"}, parameter.name),
                parameter.required ? element("span", {class: "required"}, "required") : null),
              element("td", {}, parameter.in), element("td", {}, typeName(parameter.schema)),
              element("td", {}, prose(about), limits(parameter.schema)));
          }))));

        const responses = list => Object.entries(list).map(([status, value]) => {
          const response = resolve(value);
          const headers = Object.entries(response.headers || {}).map(([name, header]) =>
            element("p", {}, element("code", {}, name), " header. ", prose(resolve(header).description || "")));
          return element("details", {class: "response", "data-status": status},
            element("summary", {},
              element("span", {class: "status s" + status[0]}, status), prose(response.description || "")),
            element("div", {}, headers, content(response.content)));
        });

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
              badge(method), element("code", {class: "path"}, path))),
            operation.summary ? element("p", {}, prose(operation.summary)) : null,
            operation.description ? element("p", {class: "muted"}, prose(operation.description)) : null,
            opens ? element("p", {}, element("a", {href: "." + path}, "Open it")) : null,
            operation.parameters ? [element("h4", {}, "Parameters"), parameters(operation.parameters)] : null,
            body ? [element("h4", {}, body.required ? "Body, required" : "Body"), content(body.content)] : null,
            element("h4", {}, "Answers"), responses(operation.responses || {}));
        };

        const draw = () => {
          const info = description.info || {};
          document.getElementById("title").textContent = (info.title || "") + ": REST API";
          document.getElementById("version").textContent =
            `Version ${info.version || "?"} · OpenAPI ${description.openapi || "?"} ·`;
          document.getElementById("about").append(element("p", {}, prose(info.description || "")));
          const calls = Object.entries(description.paths || {}).flatMap(([path, methods]) =>
            Object.entries(methods).map(([method, operation]) => ({path, method, operation})));
          const tags = (description.tags || []).map(tag => tag.name);
          for (const {operation} of calls) {
            for (const tag of operation.tags || ["other"]) if (!tags.includes(tag)) tags.push(tag);
          }
          for (const tag of tags) {
            const own = calls.filter(({operation}) => (operation.tags || ["other"])[0] === tag);
            const about = (description.tags || []).find(entry => entry.name === tag);
            document.getElementById("contents").append(element("div", {"data-group": tag},
              element("h2", {}, tag),
              element("ul", {}, own.map(({path, method, operation}) =>
                element("li", {"data-for": operation.operationId},
                  element("a", {href: "#" + operation.operationId}, badge(method), element("span", {}, path)))))));
            document.getElementById("calls").append(element("section", {"data-group": tag, "aria-label": tag},
              element("h2", {id: "tag-" + tag}, tag),
              about && about.description ? element("p", {class: "muted"}, prose(about.description)) : null,
              own.map(({path, method, operation}) => callCard(path, method, operation))));
          }
          search("");
          document.getElementById("search-box").hidden = false;
          const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
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
          document.getElementById("count").textContent =
            words.length ? `${shown} of ${cards.length} calls` : `${cards.length} calls`;
        };

        document.getElementById("search").addEventListener("input", event => search(event.target.value));
        document.addEventListener("keydown", event => {
          const field = document.getElementById("search");
          if (event.key === "/" && document.activeElement !== field && !event.ctrlKey && !event.metaKey) {
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
            const notice = document.getElementById("trouble");
            notice.textContent = `openapi.json could not be read (${error.message}). Load the page again.`;
            notice.hidden = false;
          });

        """#
}
