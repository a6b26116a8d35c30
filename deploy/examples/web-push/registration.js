"use strict";

// Calls of a push indexer, and how they are signed (app developer guide, "Sign").

// What the indexer answered instead of success. `code` is the word that stays; the message is for people.
class CallError extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, {status, code});
  }
}

class Indexer {
  // `address` is an http or https URL; a path in it is kept as a prefix.
  constructor(address) {
    this.address = new URL(address).href.replace(/[?#].*$/, "").replace(/\/*$/, "");
    if (!/^https?:/.test(this.address)) throw new Error("the indexer's address must begin with https:// or http://");
  }

  async call(method, path, body) {
    const answer = await fetch(this.address + path, {
      method,
      headers: body === undefined ? {} : {"content-type": "application/json"},
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "omit",
      signal: AbortSignal.timeout(30_000),
    });
    const json = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new CallError(answer.status, json.code, json.error ?? `the answer was ${answer.status}`);
    return json;
  }

  // Sends a call with the wallet's signature, or as it is without a key.
  //
  // `token` is the device's: the subscription's endpoint.
  async send(method, path, body, token, wallet) {
    if (!wallet) return this.call(method, path, body);
    const challenge = await this.call("POST", "/v1/push/challenge", {});
    const auth = {
      auth_version: 2,
      wallet_pubkey: toHex(schnorr.publicKey(wallet.secret)),
      wallet_address: wallet.address,
      nonce: challenge.nonce,
      // The server's own time, since the clock here may be wrong.
      timestamp_ms: challenge.issued_at_ms,
      expires_at_ms: challenge.expires_at_ms,
    };
    const digest = await sha256(utf8(await signedText(body, auth, method, path, token)));
    auth.signature = toHex(await schnorr.sign(wallet.secret, digest));
    return this.call(method, path, {...body, auth});
  }
}

const byBytes = (left, right) => {
  const [a, b] = [toHex(utf8(left)), toHex(utf8(right))];
  return a < b ? -1 : a > b ? 1 : 0;
};

// A list's hash is the same in any order, with repeats, and with spaces around its members.
const listHash = (list, change = text => text.toLowerCase()) => {
  const members = new Set((list ?? []).map(text => change(text.trim())).filter(text => text));
  return sha256Hex([...members].sort(byBytes).join("\n"));
};

// The text that the wallet signs, of version 2; `body` is the request's, without `auth`.
const signedText = async (body, auth, method, path, token) => [
  "domain=kasia-push-auth:v2",
  "auth_version=2",
  `nonce=${auth.nonce}`,
  `method=${method}`,
  `path=${path}`,
  `device_token_hash=${await sha256Hex(token)}`,
  `watched_addresses_hash=${await listHash(body.watched_addresses)}`,
  `watched_group_ids_hash=${await listHash(body.watched_group_ids)}`,
  `capabilities_hash=${await listHash(body.capabilities)}`,
  `primary_address=${(body.primary_address ?? "").trim().toLowerCase()}`,
  // Aliases keep their case.
  `aliases_hash=${await listHash(body.aliases, text => text)}`,
  `wallet_pubkey=${auth.wallet_pubkey.toLowerCase()}`,
  `wallet_address=${auth.wallet_address.trim().toLowerCase()}`,
  `timestamp_ms=${auth.timestamp_ms}`,
  `expires_at_ms=${auth.expires_at_ms}`,
].join("\n");

// A wallet from a private key in hex. `prefix` is kaspa, kaspatest, kaspasim or kaspadev.
const walletOf = (secretHex, prefix) => {
  const secret = fromHex(secretHex);
  return {secret, address: kaspaAddress(schnorr.publicKey(secret), prefix)};
};

// The address of a Schnorr key: version 0 and the key in groups of five bits, then forty bits of checksum.
const kaspaAddress = (publicKey, prefix) => {
  const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
  const generators = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];
  const checksum = values => values.reduce((sum, value) => {
    const top = sum >> 35n;
    const next = ((sum & 0x07ffffffffn) << 5n) ^ BigInt(value);
    return generators.reduce((result, generator, bit) => top >> BigInt(bit) & 1n ? result ^ generator : result, next);
  }, 1n) ^ 1n;
  const bits = Array.from(joined([0], publicKey), byte => byte.toString(2).padStart(8, "0")).join("");
  const values = bits.match(/.{1,5}/g).map(group => parseInt(group.padEnd(5, "0"), 2));
  const letters = Array.from(prefix, letter => letter.charCodeAt(0) & 31);
  const check = checksum([...letters, 0, ...values, ...Array(8).fill(0)]);
  const last = Array.from({length: 8}, (_, at) => Number(check >> BigInt(5 * (7 - at)) & 31n));
  return `${prefix}:${[...values, ...last].map(value => alphabet[value]).join("")}`;
};
