"use strict";

// Shows and keeps each push. The browser has decrypted it; its JSON is what the app developer guide calls flat.

importScripts("bytes.js", "registration.js", "pushes.js");

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", event => event.waitUntil(self.clients.claim()));

self.addEventListener("push", event => event.waitUntil(receive(event.data)));

const receive = async data => {
  const push = readPush(data);
  // First of all: a browser takes the subscription away from a page that shows nothing for a push.
  await self.registration.showNotification(push.title, {
    body: push.body,
    // A repeat has the same transaction, and replaces what is shown.
    tag: push.tx_id,
    timestamp: push.timestamp || Date.now(),
    data: {tx_id: push.tx_id},
  });
  if (!push.tx_id) return;
  await storePush(push);
  announceChange();
  await complete(push).catch(() => {
    // The page tries again when it opens.
  });
  announceChange();
};

// The push's members, of the types that the rest relies on.
const readPush = data => {
  let push;
  try { push = data.json(); } catch { /* Shown below as something new. */ }
  const text = (value, instead) => typeof value === "string" ? value.slice(0, 200) : instead;
  const number = value => Number.isSafeInteger(value) ? value : 0;
  return {
    ...push,
    title: text(push?.title, "Kaspa"),
    body: text(push?.body, "Something new"),
    tx_id: /^[0-9a-f]{64}$/.test(push?.tx_id) ? push.tx_id : undefined,
    timestamp: number(push?.timestamp),
    seq: number(push?.seq),
  };
};

// Fetches the payload if it did not fit, and the pushes before this one that did not come.
const complete = async push => {
  const [address, token] = [await setting("indexer"), await setting("token")];
  if (!address) return;
  const indexer = new Indexer(address);
  if (lacksPayload(push)) await fetchPayload(indexer, push);
  if (token) await catchUp(askMissed(indexer, token), push.seq);
};

self.addEventListener("notificationclick", event => {
  event.notification.close();
  event.waitUntil(openPage());
});

const openPage = async () => {
  const pages = await self.clients.matchAll({type: "window"});
  return pages.length > 0 ? pages[0].focus() : self.clients.openWindow("./");
};
