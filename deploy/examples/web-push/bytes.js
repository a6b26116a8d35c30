"use strict";

// Bytes, hex and base64url.

const utf8 = text => new TextEncoder().encode(text);
const toHex = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");

const fromHex = text => {
  if (!/^([0-9a-f]{2})*$/i.test(text)) throw new Error("not hex: an even number of hex digits is needed");
  return Uint8Array.from(text.match(/../g) ?? [], pair => parseInt(pair, 16));
};

const fromBase64URL = text =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), letter => letter.charCodeAt(0));

const joined = (...parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", joined(...parts)));
const sha256Hex = async text => toHex(await sha256(utf8(text)));
