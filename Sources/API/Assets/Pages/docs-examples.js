"use strict";

// Example values for a schema: its own, or made to fit.

// A text that matches a pattern: the first of several alternatives, each part as few times as allowed.
// Empty for a pattern with syntax that is not supported here.
const textFor = pattern => {
  let at = 0;
  let drawn = 0;
  const escaped = sign => ({d: "0123456789", w: "abcdefghijklmnopqrstuvwxyz", s: " "})[sign] || sign;
  const classOf = () => {
    let choice = "";
    const isNegated = pattern[at] === "^";
    if (isNegated) at += 1;
    for (; pattern[at] !== "]"; at++) {
      if (at >= pattern.length) throw new Error("no end");
      if (pattern[at] === "\\") { choice += escaped(pattern[++at]); continue; }
      if (pattern[at + 1] !== "-" || pattern[at + 2] === "]") { choice += pattern[at]; continue; }
      for (let code = pattern.charCodeAt(at); code <= pattern.charCodeAt(at + 2); code++) {
        choice += String.fromCharCode(code);
      }
      at += 2;
    }
    at += 1;
    if (isNegated) return [..."abcdefghijklmnopqrstuvwxyz"].filter(sign => !choice.includes(sign)).join("");
    const lower = choice.replace(/[A-Z]/g, "");
    return lower && lower !== choice.replace(/[A-Za-z]/g, "") ? lower : choice;
  };
  const timesOf = () => {
    if (pattern[at] === "*" || pattern[at] === "?") { at += 1; return 0; }
    if (pattern[at] === "+") { at += 1; return 1; }
    const bounds = pattern.slice(at).match(/^\{(\d+)(,\d*)?\}/);
    if (!bounds) return 1;
    at += bounds[0].length;
    return Number(bounds[1]);
  };
  const oneOf = choice => () => choice[drawn++ % choice.length];
  const part = () => {
    const sign = pattern[at++];
    if (sign === "^" || sign === "$") return () => "";
    if (sign === "[") return oneOf(classOf());
    if (sign === "\\") return oneOf(escaped(pattern[at++]));
    if (sign === ".") return oneOf("abcdefghijklmnopqrstuvwxyz");
    if (sign !== "(") return () => sign;
    if (pattern[at] === "?" && pattern.slice(at, at + 2) !== "?:") throw new Error("not known");
    if (pattern[at] === "?") at += 2;
    const inner = alternatives();
    at += 1;
    return inner;
  };
  const alternatives = () => {
    const all = [[]];
    while (at < pattern.length && pattern[at] !== ")") {
      if (pattern[at] === "|") { at += 1; all.push([]); continue; }
      const made = part();
      const times = timesOf();
      all.at(-1).push(() => Array.from({length: times}, made).join(""));
    }
    return () => all[0].map(made => made()).join("");
  };
  try {
    const made = alternatives()();
    return new RegExp(pattern, "u").test(made) ? made : "";
  } catch { return ""; }
};

// With `isWhole` all members, as a response has them; without it the required ones, as a request needs them.
const exampleOf = (value, isWhole, above = []) => {
  const schema = resolve(value);
  if (schema.example !== undefined) return schema.example;
  if (schema.examples && schema.examples.length) return schema.examples[0];
  if ("const" in schema) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum.find(entry => entry !== null);
  if (schema.refers && above.includes(schema.refers)) return null;
  const way = schema.refers ? [...above, schema.refers] : above;
  const {properties, required} = members(schema);
  const several = choices(schema).filter(choice => !isNothing(choice));
  const chosen = several.length ? exampleOf(several[0], isWhole, way) : undefined;
  if (Object.keys(properties).length) {
    const names = isWhole ? Object.keys(properties) : required;
    return Object.assign({}, ...names.map(name => ({[name]: exampleOf(properties[name], isWhole, way)})), chosen);
  }
  if (chosen !== undefined) return chosen;
  if (schema.items) return schema.maxItems === 0 ? [] : [exampleOf(schema.items, isWhole, way)];
  const type = types(schema)[0];
  if (type === "object" || schema.additionalProperties) return {};
  if (type === "array") return [];
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return schema.minimum ?? 0;
  if (type === "null") return null;
  return schema.pattern ? textFor(schema.pattern) : "text";
};

// Examples of a body: those of the document by name, or one that is made.
const bodyExamples = (media, isWhole) => {
  if (media.example !== undefined) return [["Example", media.example]];
  if (media.examples) {
    return Object.entries(media.examples).map(([name, entry]) => ["Example: " + name, entry.value]);
  }
  return [["Example", exampleOf(media.schema, isWhole)]];
};
