extension DocumentationPage {
    static let script = schemas + examples + requests + drawing

    /// What a schema says, in words and lists.
    private static let schemas = #"""

        "use strict";
        let description = {};

        const element = (tag, attributes, ...children) => {
          const made = document.createElement(tag);
          for (const [name, value] of Object.entries(attributes)) {
            if (value !== null && value !== undefined) made.setAttribute(name, value);
          }
          made.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
          return made;
        };

        // A path, whose line may end behind a slash or a hyphen, and not inside a word.
        const breakable = path => (path.match(/[^\/_-]*[\/_-]|[^\/_-]+/g) || [])
          .flatMap((part, index) => index ? [element("wbr", {}), part] : [part]);

        // What stands between backquotes is code.
        const inline = text => text.split("`").map((part, index) => index % 2 ? element("code", {}, part) : part);
        // Paragraphs, lists and blocks of code; behind the first paragraph they are folded away.
        const prose = text => {
          const parts = String(text).split(/^```\n?/m).flatMap((part, index) => index % 2
            ? [element("pre", {tabindex: "0"}, element("code", {}, part.trimEnd()))]
            : part.split(/\n{2,}/).filter(block => block.trim()).map(block => block.trimStart().startsWith("- ")
              ? element("ul", {}, block.trim().slice(2).split(/\n- /).map(item => element("li", {}, inline(item))))
              : element("p", {}, inline(block.trim()))));
          if (parts.length < 2) return inline(String(text));
          return [parts[0], element("details", {class: "more"}, element("summary", {}, "more"), parts.slice(1))];
        };

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

        """#

    /// Draws the page from the description.
    private static let drawing = #"""

        const exampleBlocks = (type, media, isWhole) =>
          type !== jsonType ? [] : bodyExamples(media, isWhole).map(([name, value]) => element("details", {class: "example"},
            element("summary", {}, name),
            element("pre", {tabindex: "0"}, element("code", {}, JSON.stringify(value, null, 2)))));

        // What a body holds, for each content type.
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

        // What a call is for stands open; its refusals, which are much the same everywhere, under one line.
        const answers = list => {
          const [good, refused] = [true, false].map(isGood =>
            Object.fromEntries(Object.entries(list).filter(([status]) => (status[0] === "2") === isGood)));
          const statuses = Object.keys(refused).join(", ");
          return [responses(good), statuses ? element("details", {class: "refusals"},
            element("summary", {}, "Refused with " + statuses), responses(refused)) : null];
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
            body ? [element("h4", {}, body.required ? "Body, required" : "Body"), content(body.content, true, false)] : null,
            element("h4", {}, "Answers"), answers(operation.responses || {}));
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
            document.getElementById("list").append(element("div", {"data-group": tag},
              element("h2", {}, tag),
              element("ul", {}, own.map(({path, method, operation}) =>
                element("li", {"data-for": operation.operationId},
                  element("a", {href: "#" + operation.operationId}, badge(method), element("span", {}, breakable(path))))))));
            document.getElementById("calls").append(element("section", {"data-group": tag, "aria-label": tag},
              element("h2", {id: "tag-" + tag}, tag),
              about && about.description ? element("p", {class: "muted"}, prose(about.description)) : null,
              own.map(({path, method, operation}) => callCard(path, method, operation))));
          }
          search("");
          document.getElementById("search-box").hidden = false;
          for (const id of ["contents", "about"]) {
            document.getElementById(id).open = matchMedia("(min-width: 861px)").matches;
          }
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
          // On a narrow screen what is found is one touch away.
          if (words.length) document.getElementById("contents").open = true;
        };

        document.getElementById("search").addEventListener("input", event => search(event.target.value));
        document.addEventListener("keydown", event => {
          const field = document.getElementById("search");
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
            const notice = document.getElementById("trouble");
            notice.textContent = `openapi.json could not be read (${error.message}). Load the page again.`;
            notice.hidden = false;
          });

        """#
}
