"use strict";

// What the schemas of openapi.json say, as lists and sentences.

// The document, once it has been read.
let description = {};

// Text between backquotes is code.
const inline = text => text.split("`").map((part, index) => index % 2 ? element("code", {}, part) : part);
// Paragraphs, lists and blocks of code. Everything after the first paragraph is folded away.
const prose = text => {
  const parts = String(text).split(/^```\n?/m).flatMap((part, index) => index % 2
    ? [element("pre", {tabindex: "0"}, element("code", {}, part.trimEnd()))]
    : part.split(/\n{2,}/).filter(block => block.trim()).map(block => block.trimStart().startsWith("- ")
      ? element("ul", {}, block.trim().slice(2).split(/\n- /).map(item => element("li", {}, inline(item))))
      : element("p", {}, inline(block.trim()))));
  if (parts.length < 2) return inline(String(text));
  return [parts[0], element("details", {class: "more"}, element("summary", {}, "more"), parts.slice(1))];
};

// What a reference leads to, with the reference's name as `refers`; members beside the reference win.
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

// The members of an object and of all its `allOf` parts.
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

// The members and items of a schema; null for a plain value. `above` names the schemas that contain it.
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
    inner ? element("details", {}, element("summary", {}, "members"), inner) : null);
};

const memberList = (properties, required, above) =>
  element("ul", {class: "members"}, Object.entries(properties).map(([name, value]) =>
    member(name, value, required.includes(name), above)));
