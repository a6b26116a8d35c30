import APNsSandbox
import Carriers
import Crypto
import Foundation
import Kaspa
import KaspadReplay
import Testing

@testable import WebPush

/// The example page of deploy/examples/web-push in a real browser, against the real service.
///
/// Skipped, and said so, where chromium is not installed.
@Suite(
    "WebPushPage", .timeLimit(.minutes(10)),
    .enabled(if: Browser.executable != nil, "chromium is not installed: deploy/install-deps.sh --tests"))
struct WebPushPageTests {
    @Test(
        "A page subscribes, registers by signature, shows each push once, fetches what did not fit and what it missed")
    func pushes() async throws {
        let bob = try CastWallet("bob")
        let alice = try CastWallet("alice")
        try await Self.withWebPush { indexer, server in
            let sandbox = indexer.world.sandbox
            let subscription = sandbox.makeSubscription()
            let page = try await WebPushPage(at: server.origin, subscription: subscription)
            try await page.type(Self.secret(of: "bob"), into: "secret")
            try await page.type("\(alice.address)\n \(bob.address)\n\n", into: "watched")
            #expect(try await page.click("register") == "Registered, signed by \(bob.address).")
            #expect(try await Self.status(subscription, indexer) == ["registered": true, "bound": true])
            #expect(try await page.subscribedKey() == Self.publicKey(indexer))
            #expect(try await !page.settings().contains(Self.secret(of: "bob")))

            let messages = try await Self.sent(to: subscription, by: indexer)
            let fitting = try #require(messages.last { $0.hasPayload && $0.type == "contextual" })
            let bare = try #require(messages.first { !$0.hasPayload && $0.type == "contextual" })
            let keys = try await page.makeKeys()
            for message in [fitting, bare] {
                let opened = try await page.decrypt(MessageEncryption.seal(Array(message.text.utf8), for: keys))
                #expect(opened == message.text)
                try await page.deliver(opened)
                try await page.expectShown(message.notification)
            }
            try await page.untilStored(bare, payload: Self.body(of: bare.transaction, indexer))
            #expect(server.requests.contains("GET /v1/messages/\(bare.transaction)"))
            #expect(!server.requests.contains("GET /v1/messages/\(fitting.transaction)"))
            try await page.untilStored(fitting, payload: try #require(fitting.payload))

            let repeated = fitting.text.replacing(#""body":"New message""#, with: #""body":"once more""#)
            try await page.deliver(repeated)
            try await page.expectShown(
                .init(title: fitting.notification.title, body: "once more", tag: fitting.transaction))
            #expect(try await page.notifications().count == 2)

            // Of the others only /v1/push/missed tells.
            try await page.tab.go(to: server.origin + "/")
            try await page.tab.until(
                "document.getElementById('status').textContent === 'Registered. The list is complete.'")
            let stored = try await page.stored()
            #expect(Set(stored.compactMap { $0["tx_id"] as? String }) == Set(messages.map(\.transaction)))
            #expect(stored.count == messages.count && messages.count > 5)
            for message in messages {
                let entry = try #require(stored.first { $0["tx_id"] as? String == message.transaction })
                #expect(entry["type"] as? String == message.type && entry["seq"] as? Int == message.seq)
                #expect(entry["payload"] is String, "\(message.type)")
            }
            let listed = try await page.tab.strings(
                "[...document.querySelectorAll('#pushes li')].map(item => item.dataset.transaction)")
            #expect(listed == stored.compactMap { $0["tx_id"] as? String })

            #expect(try await page.click("unregister").contains("auth is required"))
            try await page.type(Self.secret(of: "bob"), into: "secret")
            #expect(try await page.click("unregister") == "Unregistered.")
            #expect(try await Self.status(subscription, indexer) == ["registered": false])
            try await page.type("", into: "secret")
            #expect(try await page.click("register") == "Registered, unsigned.")
            #expect(try await Self.status(subscription, indexer) == ["registered": true, "bound": false])
            #expect(page.workerErrors == [])
        }
    }

    @Test("The service worker shows something for every message, whatever it is")
    func oddMessages() async throws {
        try await IdleIndexer.with { rest in
            try await WebPushPageServer.with(indexer: rest.port) { server in
                let page = try await WebPushPage(at: server.origin)
                let long = String(repeating: "x", count: 201)
                for (message, title, body) in [
                    ("no JSON", "Kaspa", "Something new"), ("null", "Kaspa", "Something new"),
                    (#"{"title":"A test","body":"of the operator","type":"test"}"#, "A test", "of the operator"),
                    (#"{"title":7,"body":"\#(long)","tx_id":"../x","seq":-1}"#, "Kaspa", String(long.dropLast())),
                ] {
                    let before = try await page.notifications().count
                    try await page.deliver(message)
                    let expected = WebPushPage.Notification(title: title, body: body, tag: "")
                    let shown = try await page.notifications()
                    #expect(shown.count == before + 1 && shown.contains(expected), "\(message)")
                }
                #expect(try await page.stored().isEmpty)
                #expect(page.workerErrors == [])
            }
        }
    }

    @Test("The page says what is wrong where it cannot register")
    func refusals() async throws {
        try await IdleIndexer.with { rest in
            try await WebPushPageServer.with(indexer: rest.port) { server in
                let page = try await WebPushPage(at: server.origin)
                #expect(page.tab.complaints == [])
                #expect(try await page.click("register").hasPrefix("Web Push is not served here"))
                try await page.type("http://127.0.0.1:\(rest.port)/", into: "indexer")
                #expect(try await page.click("register").contains("only from pages of its own origin"))
                try await page.type("ftp://example.org", into: "indexer")
                #expect(try await page.click("missed").contains("must begin with https://"))
                try await page.type(server.origin, into: "indexer")
                for secret in ["xyz", "00", String(repeating: "0", count: 64), String(repeating: "f", count: 64)] {
                    try await page.type(secret, into: "secret")
                    let answer = try await page.click("register")
                    #expect(answer.hasPrefix("not hex") || answer.hasPrefix("this is no private key"), "\(secret)")
                }
                #expect(try await page.click("unregister") == "This browser is not registered.")
            }
        }
    }
}

// MARK: The world

extension WebPushPageTests {
    /// What the service sent to a browser.
    struct Message {
        let text: String
        let transaction: String
        let type: String
        let seq: Int
        let payload: String?
        let notification: WebPushPage.Notification

        var hasPayload: Bool { payload != nil }

        init(_ contents: [UInt8]) throws {
            text = String(decoding: contents, as: UTF8.self)
            let json = try #require(JSONSerialization.jsonObject(with: Data(contents)) as? [String: Any])
            transaction = try #require(json["tx_id"] as? String)
            type = try #require(json["type"] as? String)
            seq = try #require(json["seq"] as? Int)
            payload = json["payload"] as? String
            notification = WebPushPage.Notification(
                title: try #require(json["title"] as? String), body: try #require(json["body"] as? String),
                tag: transaction)
        }
    }

    /// The service with Web Push, before a node that has the recorded blocks and is not yet in sync, and the page.
    private static func withWebPush(
        _ body: @Sendable @escaping (RunningIndexer, WebPushPageServer) async throws -> Void
    ) async throws {
        let recording = try Fixture.recording()
        try await World.with(recording, sandbox: { $0.webPush = true }) { world in
            world.replay.setFaults { $0.isSynced = false }
            await world.replay.advanceToEnd()
            let settings = [
                "WEB_PUSH_VAPID_KEY": VAPIDKey.make().privateKeyPEM, "WEB_PUSH_SUBJECT": "mailto:operator@example.org",
                "WEB_PUSH_ALLOWED_ORIGINS": world.sandbox.origin, "WEB_PUSH_PRIVATE_ADDRESSES": "true",
                "WEB_PUSH_CA_PATH": world.folder.appendingPathComponent("ca.pem").path,
            ]
            try await world.withIndexer(
                now: World.clock(from: RecordedTimes(recording).end), settings: settings
            ) { indexer in
                try await WebPushPageServer.with(indexer: indexer.rest.port) { try await body(indexer, $0) }
            }
        }
    }

    /// Lets the service follow the recorded blocks, and returns what it sent.
    private static func sent(
        to subscription: SandboxSubscription, by indexer: RunningIndexer
    ) async throws -> [Message] {
        let world = indexer.world
        world.replay.setFaults { $0.isSynced = true }
        let chain = try ReplayedChain(try Fixture.recording(), entries: world.replay.entryCount)
        try await indexer.untilQuiet(at: chain.sink)
        return try world.sandbox.notifications.filter { $0.token == subscription.id }
            .map { try Message(try #require($0.contents)) }
    }

    /// The private key in hex, as `Tests/Fixtures/README.md` tells it.
    private static func secret(of name: String) -> String {
        Hex.encode(SHA256.hash(data: Data("kasia fixture \(name)".utf8)))
    }

    private static func object(_ path: String, _ indexer: RunningIndexer) async throws -> [String: Any] {
        let answer = try await indexer.rest.send("GET", path)
        return try #require(JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
    }

    private static func publicKey(_ indexer: RunningIndexer) async throws -> String {
        try #require(try await object("/v1/push/vapid", indexer)["public_key"] as? String)
    }

    /// The members `registered` and `bound` of a device's status.
    private static func status(
        _ subscription: SandboxSubscription, _ indexer: RunningIndexer
    ) async throws -> [String: Bool] {
        let token = subscription.endpoint.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let answer = try await object("/v1/push/status?device_token=\(token)", indexer)
        return answer.filter { ["registered", "bound"].contains($0.key) }.compactMapValues { $0 as? Bool }
    }

    /// A message's sealed part, as a push would have it.
    private static func body(of transaction: String, _ indexer: RunningIndexer) async throws -> String {
        let message = try await object("/v1/messages/\(transaction)", indexer)
        let hex = try #require(message["message_payload"] as? String)
        let bytes = try #require(Hex.decode(hex))
        return bytes.allSatisfy { (0x20...0x7e).contains($0) } ? String(decoding: bytes, as: UTF8.self) : hex
    }
}

extension WebPushPage {
    /// Checks that a notification is shown, and no other of its tag.
    fileprivate func expectShown(_ notification: Notification) async throws {
        let shown = try await notifications()
        #expect(shown.filter { $0.tag == notification.tag } == [notification])
    }

    /// Waits until the page lists a push, and checks its payload.
    fileprivate func untilStored(_ message: WebPushPageTests.Message, payload: String) async throws {
        let item = "document.querySelector('#pushes li[data-transaction=\"\(message.transaction)\"]')"
        try await tab.until("\(item)?.querySelector('pre') != null")
        #expect(
            try await tab.evaluate("\(item).querySelector('summary').textContent") as? String
                == "sealed payload, \(payload.count) characters")
        let entry = try await stored().first { $0["tx_id"] as? String == message.transaction }
        #expect(entry?["payload"] as? String == payload)
        #expect(entry?["title"] as? String == message.notification.title)
    }

    /// The key that the page has subscribed with, in base64url.
    fileprivate func subscribedKey() async throws -> String {
        let value = try await tab.evaluate("localStorage.subscribedKey")
        return Base64URL.encode(try #require((value as? String).flatMap { Hex.decode($0) }))
    }

    /// Everything that the page keeps of its form, as JSON.
    fileprivate func settings() async throws -> String {
        let value = try await tab.evaluate(
            "inStore('settings', 'readonly', store => finished(store.getAll())).then(JSON.stringify)")
        return try #require(value as? String)
    }
}
