"use strict";

// The pushes that came, in IndexedDB: the service worker writes them, the page lists them.

// The most pushes that are kept; older ones go.
const maximumPushes = 500;
// What the page and the service worker tell each other: that the list has changed.
const changes = new BroadcastChannel("kasia-web-push");
const announceChange = () => changes.postMessage("changed");

const finished = request => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

let opened;
const openDatabase = () => opened ??= (() => {
  const request = indexedDB.open("kasia-web-push", 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("pushes", {keyPath: "tx_id"}).createIndex("timestamp", "timestamp");
    request.result.createObjectStore("settings");
  };
  return finished(request);
})();

// Runs `action` in one transaction and returns its result once the transaction is on disk.
const inStore = async (name, mode, action) => {
  const transaction = (await openDatabase()).transaction(name, mode);
  const ended = new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
  // When `action` fails, its error is the one to tell.
  ended.catch(() => {});
  const result = await action(transaction.objectStore(name));
  await ended;
  return result;
};

const setting = name => inStore("settings", "readonly", store => finished(store.get(name)));
const saveSetting = (name, value) => inStore("settings", "readwrite", store => finished(store.put(value, name)));

// Keeps a push by its transaction: a repeat replaces it, and an older one only adds what is missing.
const storePush = push => inStore("pushes", "readwrite", async store => {
  const kept = await finished(store.get(push.tx_id));
  const isOlder = kept && kept.seq > push.seq;
  await finished(store.put(isOlder ? {...push, ...kept} : {...kept, ...push}));
  let surplus = await finished(store.count()) - maximumPushes;
  for (const key of surplus > 0 ? await finished(store.index("timestamp").getAllKeys(null, surplus)) : []) {
    await finished(store.delete(key));
  }
});

// The newest pushes first.
const storedPushes = async () => {
  const pushes = await inStore("pushes", "readonly", store => finished(store.index("timestamp").getAll()));
  return pushes.reverse();
};

// --- what a push lacks --------------------------------------------------------------------------------------------

// Other kinds carry no payload.
const typesWithPayload = new Set(["contextual", "payment", "handshake", "group_message", "group_control"]);
const lacksPayload = push => typesWithPayload.has(push.type) && push.payload === undefined;

// As a push has it: text if all of it is printable ASCII, else hex.
const sealedText = hex => {
  const bytes = fromHex(hex);
  return bytes.every(byte => byte >= 0x20 && byte <= 0x7e) ? new TextDecoder().decode(bytes) : hex;
};

// Fetches the payload that did not fit into a push, by the transaction's id.
const fetchPayload = async (indexer, push) => {
  const message = await indexer.call("GET", `/v1/messages/${push.tx_id}`);
  const hex = message.message_payload ?? message.message ?? "";
  await storePush({...push, sender: push.sender || message.sender, payload: sealedText(hex)});
};

// --- what never came ----------------------------------------------------------------------------------------------

// Pushes are numbered by device. The setting `seq` is the number up to which all are known.
//
// `ask` gets a number and answers what `/v1/push/missed` says of the pushes after it. `arrived` is the number of a push
// that came; if none is missing before it, nothing is asked. One caller at a time.
const catchUp = (ask, arrived) => navigator.locks.request("kasia-web-push", async () => {
  let after = await setting("seq") ?? 0;
  if (arrived <= after) return;
  if (arrived === after + 1) return saveSetting("seq", arrived);
  for (let page = 0; page < 20; page += 1) {
    const answer = await ask(after);
    // The device was registered anew, and its numbers began again.
    if (answer.latest_seq < after) {
      after = 0;
      continue;
    }
    for (const {type, ...item} of answer.items) {
      await storePush({...item, type: type === "contextual_message" ? "contextual" : type});
    }
    after = answer.items.at(-1)?.seq ?? answer.latest_seq;
    await saveSetting("seq", after);
    if (after >= answer.latest_seq) return;
  }
});

// Asks without a signature, which push.auth_mode `strict` refuses.
const askMissed = (indexer, token) => after => {
  const query = new URLSearchParams({device_token: token, after, limit: 100});
  return indexer.call("GET", `/v1/push/missed?${query}`);
};
