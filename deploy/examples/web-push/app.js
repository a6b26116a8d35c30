"use strict";

// The page: subscribes, registers, and lists the pushes.

// The most pushes and characters of a payload that are drawn.
const shownPushes = 100;
const shownCharacters = 2_000;

const field = id => document.getElementById(id);
const lines = id => field(id).value.split("\n").map(line => line.trim()).filter(line => line);

const say = (text, isBad = false) => {
  field("status").textContent = text;
  field("status").className = isBad ? "bad" : "";
};

// What the user can do about an error.
const explain = (error, indexer) => {
  if (error instanceof TypeError && indexer && new URL(indexer.address).origin !== location.origin) {
    return `${indexer.address} did not answer this page. An indexer takes registrations only from pages of its own`
      + " origin: serve this folder from there (see README.md).";
  }
  return error.message;
};

// Runs what a button does, one at a time, and says how it ended.
const run = async action => {
  const buttons = [...document.querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  let indexer;
  try {
    indexer = new Indexer(field("indexer").value);
    say("Working…");
    say(await action(indexer));
  } catch (error) {
    say(explain(error, indexer), true);
  } finally {
    for (const button of buttons) button.disabled = false;
    await draw();
  }
};

// The wallet of the key that was typed; undefined without one. The key is not stored.
const wallet = () => {
  const secret = field("secret").value.trim();
  return secret ? walletOf(secret, field("network").value) : undefined;
};

// A browser that cannot reach its push service may try for ever.
const subscribeSeconds = 60;
const within = (seconds, promise, message) => {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(message)), seconds * 1_000); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

// --- subscription -------------------------------------------------------------------------------------------------

const subscribe = async publicKey => {
  const {pushManager} = await navigator.serviceWorker.ready;
  const key = fromBase64URL(publicKey);
  const old = await pushManager.getSubscription();
  if (old) {
    const oldKey = old.options.applicationServerKey;
    if (oldKey && toHex(new Uint8Array(oldKey)) === toHex(key)) return old;
    // A subscription is good for one key, and the operator's has changed.
    await old.unsubscribe();
  }
  return within(subscribeSeconds, pushManager.subscribe({userVisibleOnly: true, applicationServerKey: key}),
    "The browser's push service did not answer: try again later.");
};

const register = async indexer => {
  // Before anything is awaited: some browsers ask the user only right after a click.
  if (await Notification.requestPermission() !== "granted") throw new Error("Notifications are not allowed here.");
  const signer = wallet();
  const {public_key} = await indexer.call("GET", "/v1/push/vapid");
  const subscription = await subscribe(public_key);
  const primary = field("primary").value.trim() || signer?.address;
  const body = {
    platform: "web",
    subscription: subscription.toJSON(),
    watched_addresses: lines("watched"),
    aliases: lines("aliases"),
    ...(primary ? {primary_address: primary} : {}),
  };
  const token = subscription.endpoint;
  const answer = await indexer.send("POST", "/v1/push/register", body, token, signer);
  // A new device's pushes are numbered from 1.
  if (await setting("token") !== token) await saveSetting("seq", 0);
  await saveSetting("token", token);
  await saveForm(indexer);
  const how = signer ? `signed by ${signer.address}` : "unsigned";
  return [`Registered, ${how}.`, ...answer.warnings ?? []].join(" ");
};

const unregister = async indexer => {
  const token = await setting("token");
  if (!token) throw new Error("This browser is not registered.");
  await indexer.send("DELETE", "/v1/push/unregister", {device_token: token}, token, wallet());
  await (await (await navigator.serviceWorker.ready).pushManager.getSubscription())?.unsubscribe();
  await saveSetting("token", null);
  await saveSetting("seq", 0);
  return "Unregistered.";
};

// --- what the page missed -----------------------------------------------------------------------------------------

const missed = async indexer => {
  const token = await setting("token");
  if (!token) return "Not registered yet.";
  const signer = wallet();
  const path = "/v1/push/missed";
  try {
    await catchUp(signer
      ? after => indexer.send("POST", path, {device_token: token, after, limit: 100}, token, signer)
      : askMissed(indexer, token));
  } catch (error) {
    if (error.status === 404) throw new Error("The indexer does not know this browser any more: register again.");
    if (error.status === 401 && !signer) throw new Error("This call must be signed: type the key, and ask again.");
    throw error;
  }
  for (const push of await storedPushes()) {
    if (!lacksPayload(push)) continue;
    // 404: not accepted yet, or no longer kept.
    await fetchPayload(indexer, push).catch(error => { if (error.status !== 404) throw error; });
  }
  const isSame = (await (await navigator.serviceWorker.ready).pushManager.getSubscription())?.endpoint === token;
  return isSame ? "Registered. The list is complete." : "The browser has ended the subscription: register again.";
};

// --- the page -----------------------------------------------------------------------------------------------------

const kept = ["network", "primary", "watched", "aliases"];

const saveForm = async indexer => {
  await saveSetting("indexer", indexer.address);
  for (const id of kept) await saveSetting(id, field(id).value);
};

const restoreForm = async () => {
  field("indexer").value = await setting("indexer") ?? location.origin;
  for (const id of kept) field(id).value = await setting(id) ?? field(id).value;
};

const element = (name, text, className = "") =>
  Object.assign(document.createElement(name), {textContent: text, className});

const pushItem = push => {
  const item = element("li", "");
  item.dataset.transaction = push.tx_id;
  const time = element("time", new Date(push.timestamp).toLocaleString());
  const type = element("span", push.type ?? "", "type");
  item.append(element("strong", push.title ?? (push.sender || "Unknown sender")), type, time);
  item.append(element("p", push.body ?? "Missed: it came by no push."), element("code", push.tx_id));
  if (push.payload) {
    const details = element("details", "");
    details.append(element("summary", `sealed payload, ${push.payload.length} characters`));
    details.append(element("pre", push.payload.slice(0, shownCharacters)));
    item.append(details);
  } else if (lacksPayload(push)) {
    item.append(element("p", "The payload has not been fetched yet.", "muted"));
  }
  return item;
};

const draw = async () => {
  const pushes = await storedPushes();
  field("count").textContent = String(pushes.length);
  field("pushes").replaceChildren(...pushes.slice(0, shownPushes).map(pushItem));
};

const start = async () => {
  if (!isSecureContext || !("serviceWorker" in navigator) || !("PushManager" in window)) {
    say("This browser has no Web Push here. It needs https or localhost, and on an iPhone the Home Screen.", true);
    return;
  }
  field("registration").addEventListener("submit", event => {
    event.preventDefault();
    run(register);
  });
  field("unregister").addEventListener("click", () => run(unregister));
  field("missed").addEventListener("click", () => run(missed));
  changes.addEventListener("message", draw);
  await navigator.serviceWorker.register("service-worker.js");
  await restoreForm();
  await run(missed);
};

start().catch(error => say(error.message, true));
