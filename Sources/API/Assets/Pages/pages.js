"use strict";

// What the scripts of several pages use.

const byID = id => document.getElementById(id);

// An element with its attributes and children; those that are null or undefined are left out.
const element = (tag, attributes, ...children) => {
  const isThere = value => value !== null && value !== undefined;
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (isThere(value)) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter(isThere));
  return made;
};

// A text whose lines may end after a punctuation mark, and not inside a word.
const breakable = text => (String(text).match(/[._/:=-]*[^._/:=-]+[._/:=-]*|[._/:=-]+/g) || [])
  .flatMap((part, index) => index ? [element("wbr", {}), part] : [part]);
