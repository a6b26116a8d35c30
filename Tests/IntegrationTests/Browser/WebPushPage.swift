import APNsSandbox
import Foundation
import Kaspa
import Store
import Testing

@testable import WebPush

/// The example page of deploy/examples/web-push in a browser, and what its user and the push service do.
struct WebPushPage {
    struct Notification: Equatable {
        let title: String
        let body: String
        let tag: String
    }

    let tab: BrowserTab
    private let origin: String
    /// The service worker's registration, as DevTools names it.
    private let registration: String
    /// The service worker itself, which DevTools keeps awake.
    private let worker: BrowserTab

    /// Opens the page, with notifications allowed.
    ///
    /// A browser without Google's service can have no subscription, so the page gets `subscription` from a stand-in for
    /// the browser's `PushManager`.
    init(at origin: String, subscription: SandboxSubscription? = nil) async throws {
        self.origin = origin
        let tab = try await Browser().open()
        self.tab = tab
        try await tab.send("ServiceWorker.enable")
        try await tab.browser.send(
            "Browser.grantPermissions", ["origin": origin, "permissions": ["notifications"]])
        if let subscription {
            let source = Self.pushManager(giving: subscription)
            try await tab.send("Page.addScriptToEvaluateOnNewDocument", ["source": source])
        }
        try await tab.go(to: origin + "/")
        var registration: String?
        try await eventually("the service worker is registered") {
            registration = Self.registrations(tab).last
            return registration != nil
        }
        self.registration = try #require(registration)
        worker = try await Self.worker(of: tab.browser)
        try await tab.until("document.getElementById('status').textContent === 'Not registered yet.'")
    }

    private static func registrations(_ tab: BrowserTab) -> [String] {
        tab.browser.events.filter { $0["method"] as? String == "ServiceWorker.workerRegistrationUpdated" }
            .compactMap { ($0["params"] as? [String: Any])?["registrations"] as? [[String: Any]] }
            .flatMap { $0.compactMap { $0["registrationId"] as? String } }
    }

    /// Attaches to the service worker, and has it count what it has shown.
    private static func worker(of browser: Browser) async throws -> BrowserTab {
        var id: String?
        try await eventually("the service worker runs") {
            let targets = try await browser.send("Target.getTargets")["targetInfos"] as? [[String: Any]]
            id = targets?.first { $0["type"] as? String == "service_worker" }?["targetId"] as? String
            return id != nil
        }
        let target = try #require(id)
        let attached = try await browser.send("Target.attachToTarget", ["targetId": target, "flatten": true])
        let worker = BrowserTab(browser: browser, session: try #require(attached["sessionId"] as? String))
        _ = try await worker.evaluate(
            """
            globalThis.shownCount = 0;
            globalThis.shown = [];
            registration.showNotification = async (title, options) => {
              await ServiceWorkerRegistration.prototype.showNotification.call(registration, title, options);
              const one = {title, body: options.body, tag: options.tag ?? ""};
              shown = [...shown.filter(other => other.tag === "" || other.tag !== one.tag), one];
              shownCount += 1;
            };
            0
            """)
        return worker
    }

    private static func pushManager(giving subscription: SandboxSubscription) -> String {
        """
        (() => {
          const json = \(subscription.json);
          const subscription = () => ({
            endpoint: json.endpoint,
            toJSON: () => json,
            options: {applicationServerKey: fromHex(localStorage.subscribedKey).buffer},
            unsubscribe: async () => { delete localStorage.subscribedKey; return true; },
          });
          PushManager.prototype.subscribe = async ({userVisibleOnly, applicationServerKey}) => {
            if (!userVisibleOnly) throw new Error("userVisibleOnly is needed");
            localStorage.subscribedKey = toHex(new Uint8Array(applicationServerKey));
            return subscription();
          };
          PushManager.prototype.getSubscription = async () => localStorage.subscribedKey ? subscription() : null;
        })()
        """
    }

    // MARK: The user

    /// Types a text into a field.
    func type(_ text: String, into field: String) async throws {
        let quoted = try Self.json(text)
        _ = try await tab.evaluate("document.getElementById('\(field)').value = \(quoted)")
    }

    /// Clicks a button and returns what the page says when it is done.
    func click(_ button: String) async throws -> String {
        _ = try await tab.evaluate("document.getElementById('\(button)').click()")
        return try await said()
    }

    /// What the page says once it is at rest.
    func said() async throws -> String {
        try await tab.until("!document.getElementById('missed').disabled")
        let text = try await tab.evaluate("document.getElementById('status').textContent")
        return try #require(text as? String)
    }

    /// What the browser has agreed to show; of one tag the last, as it replaces the others.
    ///
    /// The browser itself is not asked: a Chromium without a desktop forgets one now and then.
    func notifications() async throws -> [Notification] {
        let shown = try await worker.evaluate("shown")
        return try #require(shown as? [[String: String]]).map { one in
            Notification(title: one["title"] ?? "", body: one["body"] ?? "", tag: one["tag"] ?? "")
        }
    }

    /// The members of the stored pushes.
    func stored() async throws -> [[String: Any]] {
        let value = try await tab.evaluate("storedPushes()")
        return try #require(value as? [[String: Any]])
    }

    // MARK: The push service

    /// Hands a message to the service worker, as the browser does once it has decrypted it, and waits until it has
    /// shown a notification.
    func deliver(_ message: String) async throws {
        let count = try await worker.evaluate("shownCount")
        let before = try #require(count as? Int)
        try await tab.send(
            "ServiceWorker.deliverPushMessage", ["origin": origin, "registrationId": registration, "data": message])
        try await worker.until("shownCount === \(before + 1)")
    }

    /// Errors of the service worker.
    var workerErrors: [String] {
        tab.browser.events.filter { $0["method"] as? String == "ServiceWorker.workerErrorReported" }
            .map { "\($0["params"] ?? $0)" }
    }

    // MARK: Decryption

    /// Makes the keys of a subscription in the browser, by its WebCrypto, and keeps the private one there.
    func makeKeys() async throws -> DeviceRecord.SubscriptionKeys {
        let value = try await tab.evaluate(Self.decryption + "; receiver.make()")
        let keys = try #require(value as? [String])
        return DeviceRecord.SubscriptionKeys(
            publicKey: try #require(Hex.decode(keys[0])), secret: try #require(Hex.decode(keys[1])))
    }

    /// Decrypts a sealed message in the browser.
    func decrypt(_ sealed: [UInt8]) async throws -> String {
        let text = try await tab.evaluate("receiver.open('\(Hex.encode(sealed))')")
        return try #require(text as? String)
    }

    /// RFC 8291 and 8188 by the browser's own cryptography.
    private static let decryption = """
        globalThis.receiver = (() => {
          const curve = {name: "ECDH", namedCurve: "P-256"};
          let pair, secret, own;
          const make = async () => {
            pair = await crypto.subtle.generateKey(curve, false, ["deriveBits"]);
            secret = crypto.getRandomValues(new Uint8Array(16));
            own = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
            return [toHex(own), toHex(secret)];
          };
          const derive = async (salt, input, info, bytes) => {
            const key = await crypto.subtle.importKey("raw", input, "HKDF", false, ["deriveBits"]);
            const parameters = {name: "HKDF", hash: "SHA-256", salt, info};
            return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, bytes * 8));
          };
          const open = async hex => {
            const body = fromHex(hex);
            const [salt, length] = [body.slice(0, 16), body[20]];
            const size = new DataView(body.buffer).getUint32(16);
            const [sender, record] = [body.slice(21, 21 + length), body.slice(21 + length)];
            if (record.length > size) throw new Error("more than one record");
            const senderKey = await crypto.subtle.importKey("raw", sender, curve, false, []);
            const agreed = await crypto.subtle.deriveBits({name: "ECDH", public: senderKey}, pair.privateKey, 256);
            const input = await derive(secret, agreed, joined(utf8("WebPush: info\\0"), own, sender), 32);
            const bytes = await derive(salt, input, utf8("Content-Encoding: aes128gcm\\0"), 16);
            const iv = await derive(salt, input, utf8("Content-Encoding: nonce\\0"), 12);
            const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["decrypt"]);
            const padded = new Uint8Array(await crypto.subtle.decrypt({name: "AES-GCM", iv}, key, record));
            const end = padded.findLastIndex(byte => byte !== 0);
            if (padded[end] !== 2) throw new Error("no delimiter");
            return new TextDecoder("utf-8", {fatal: true}).decode(padded.slice(0, end));
          };
          return {make, open};
        })()
        """

    static func json(_ value: Any) throws -> String {
        String(
            decoding: try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed]), as: UTF8.self)
    }
}
