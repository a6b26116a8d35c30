import APNs
import APNsSandbox
import Carriers
import Foundation
import Kaspa
import KaspadReplay
import SignedPushes
import Store
import Testing
import WebPush

/// An iPhone, an Android phone and a browser of the same owner are told the same.
@Suite("Carriers")
struct CarriersTests {
    /// The golden devices, each once more with every other carrier.
    private struct Device {
        let iPhone: GoldenNotifications.Device
        let android: String
        let browser: SandboxSubscription
    }

    @Test("Every carrier brings every message to its device, once, with the same numbers", .timeLimit(.minutes(10)))
    func same() async throws {
        let recording = try Fixture.recording()
        let golden = try Fixture.goldenNotifications()
        let sent = try await Self.withCarriers { world in
            try await world.withIndexer(now: World.clock(from: RecordedTimes(recording).end)) { indexer in
                let devices = try await Self.register(golden.devices, at: indexer)
                world.replay.setFaults { $0.isSynced = true }
                try await indexer.untilQuiet(at: ReplayedChain(recording, entries: world.replay.entryCount).sink)
                let problems = try indexer.store.checkBooks().problems
                #expect(problems == [])
                return (devices, world.sandbox.notifications)
            }
        }
        let (devices, notifications) = sent
        #expect(!notifications.isEmpty)
        for device in devices {
            let apple = notifications.filter { $0.token == device.iPhone.token }
            let google = notifications.filter { $0.token == device.android }
            let browser = notifications.filter { $0.token == device.browser.id }
            let transactions = apple.compactMap(\.collapseID)
            #expect(transactions.count == apple.count, "\(device.iPhone.name)")
            let data = try google.map { try #require($0.androidData) }
            #expect(data.compactMap { $0["tx_id"] } == transactions, "\(device.iPhone.name)")
            #expect(data.compactMap { $0["seq"] } == (0..<data.count).map { String($0 + 1) })
            let shown = try browser.map { try #require($0.browserContents) }
            #expect(shown.compactMap { $0["tx_id"] as? String } == transactions, "\(device.iPhone.name)")
            for (left, right) in zip(data, shown) {
                #expect(left["type"] == right["type"] as? String && left["title"] == right["title"] as? String)
                #expect(left["body"] == right["body"] as? String)
            }
        }
    }

    @Test("What a carrier calls dead is removed; the other devices of its owner stay", .timeLimit(.minutes(10)))
    func dead() async throws {
        let recording = try Fixture.recording()
        let golden = try Fixture.goldenNotifications()
        let busy = try #require(golden.devices.first { $0.name == "watcher-without-primary" })
        try await Self.withCarriers { world in
            try await world.withIndexer(now: World.clock(from: RecordedTimes(recording).end)) { indexer in
                let device = try #require(try await Self.register([busy], at: indexer).first)
                world.sandbox.addRule(
                    SandboxRule(
                        .answer(SandboxAnswer(status: 404, reason: "UNREGISTERED")), token: device.android))
                _ = world.sandbox.endSubscription(id: device.browser.id)
                world.replay.setFaults { $0.isSynced = true }
                try await indexer.untilQuiet(at: ReplayedChain(recording, entries: world.replay.entryCount).sink)
                let registered = [
                    try await indexer.rest.isRegistered(device.iPhone.token),
                    try await indexer.rest.isRegistered(device.android),
                    try await indexer.store.registry.isRegistered(
                        DeviceID(token: Array(device.browser.endpoint.utf8))),
                ]
                #expect(registered == [true, false, false])
                #expect(world.sandbox.requests.count { $0.token == device.android } == 1)
                #expect(world.sandbox.requests.count { $0.token == device.browser.id } == 1)
                let problems = try indexer.store.checkBooks().problems
                #expect(problems == [])
            }
        }
    }

    @Test("A carrier that refuses us keeps what is its own, and holds up no other", .timeLimit(.minutes(10)))
    func outage() async throws {
        let recording = try Fixture.recording()
        let golden = try Fixture.goldenNotifications()
        let busy = try #require(golden.devices.first { $0.name == "watcher-without-primary" })
        try await Self.withCarriers { world in
            try await world.withIndexer(now: World.clock(from: RecordedTimes(recording).end)) { indexer in
                let device = try #require(try await Self.register([busy], at: indexer).first)
                world.sandbox.addRule(
                    SandboxRule(
                        .answer(SandboxAnswer(status: 403, reason: "PERMISSION_DENIED")), name: "off",
                        token: device.android))
                world.replay.setFaults { $0.isSynced = true }
                let tip = try ReplayedChain(recording, entries: world.replay.entryCount).sink
                try await eventually("the chain is followed") {
                    try await indexer.store.history.cursor()?.blockHash == tip
                }
                try await eventually("all but Google's have arrived") {
                    let sent = world.sandbox.notifications
                    let apple = sent.count { $0.token == device.iPhone.token }
                    let waiting = try await indexer.store.totals().deliveries
                    return apple > 1 && sent.count { $0.token == device.browser.id } == apple && waiting == apple
                }
                let ready = try await indexer.rest.parts()
                #expect(ready["fcm"]?.contains("PERMISSION_DENIED") == true, "\(ready)")
                #expect(ready["apns"] == "ok" && ready["web_push"] == "ok")
                #expect(world.sandbox.notifications.allSatisfy { $0.token != device.android })
                // The next probe gets through.
                _ = world.sandbox.removeRules(named: "off")
                try await indexer.untilQuiet(at: tip)
                let sent = world.sandbox.notifications
                #expect(
                    sent.count { $0.token == device.android } == sent.count { $0.token == device.iPhone.token })
            }
        }
    }

    @Test(
        "With a key every push is signed for its device, on every carrier, wherever there is room",
        .timeLimit(.minutes(10)))
    func signed() async throws {
        let recording = try Fixture.recording()
        let golden = try Fixture.goldenNotifications()
        let key = SigningKey.make()
        try await Self.withCarriers { world in
            let file = world.folder.appendingPathComponent("signing.pem")
            try Data(key.privateKeyPEM.utf8).write(to: file)
            try await world.withIndexer(
                now: World.clock(from: RecordedTimes(recording).end), settings: ["PUSH_SIGNING_KEY_PATH": file.path]
            ) { indexer in
                let devices = try await Self.register(golden.devices, at: indexer)
                let told = try await indexer.rest.send("GET", "/v1/push/key")
                #expect(
                    String(decoding: told.body, as: UTF8.self)
                        == #"{"algorithm":"ed25519","public_key":"\#(key.publicKey.text)","#
                        + #""key_id":"\#(key.publicKey.keyID)"}"#)
                world.replay.setFaults { $0.isSynced = true }
                try await indexer.untilQuiet(at: ReplayedChain(recording, entries: world.replay.entryCount).sink)
                for device in devices {
                    let sent = world.sandbox.notifications
                    let apple = sent.filter { $0.token == device.iPhone.token }.map {
                        (push: SignedPush(json: $0.body), room: NotificationEncoder.maximumBytes - $0.body.count)
                    }
                    Self.expectSigned(apple, by: key, for: device.iPhone.token)
                    let google = sent.filter { $0.token == device.android }.map { notification in
                        let data = notification.androidData ?? [:]
                        let size = data.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
                        return (push: Optional(SignedPush(data)), room: 4_096 - size)
                    }
                    Self.expectSigned(google, by: key, for: device.android)
                    let browser = sent.filter { $0.token == device.browser.id }.map {
                        (
                            push: SignedPush(json: $0.contents ?? []),
                            room: WebPushMessage.maximumBytes - ($0.contents?.count ?? 0)
                        )
                    }
                    Self.expectSigned(browser, by: key, for: device.browser.endpoint)
                    #expect(apple.count == google.count && apple.count == browser.count, "\(device.iPhone.name)")
                }
            }
        }
    }

    /// Each push bears a good signature, or had no room for one; at least one does.
    private static func expectSigned(
        _ pushes: [(push: SignedPush?, room: Int)], by key: SigningKey, for token: String
    ) {
        for (push, room) in pushes {
            if push?.signature == nil {
                #expect(room < PushSigner.memberBytes, "\(token.suffix(20))")
            } else {
                #expect(push?.isSigned(by: key.publicKey.bytes, for: token) == true, "\(token.suffix(20))")
            }
        }
        #expect(pushes.isEmpty || pushes.contains { $0.push?.signature != nil }, "\(token.suffix(20))")
    }

    // MARK: The world

    /// All carriers, and a chain whose end is told when the devices are registered.
    private static func withCarriers<Result: Sendable>(
        _ body: @Sendable @escaping (World) async throws -> Result
    ) async throws -> Result {
        try await World.with(try Fixture.recording(), allCarriers: true) { world in
            world.replay.setFaults { $0.isSynced = false }
            await world.replay.advanceToEnd()
            return try await body(world)
        }
    }

    /// Registers each device as it is, as an Android phone and as a browser.
    private static func register(
        _ devices: [GoldenNotifications.Device], at indexer: RunningIndexer
    ) async throws -> [Device] {
        var registered: [Device] = []
        for device in devices {
            let android = "fcm:" + device.name + String(repeating: "_", count: 100)
            let browser = indexer.world.sandbox.makeSubscription()
            try await indexer.rest.register(device.registration)
            var body = try #require(
                JSONSerialization.jsonObject(with: device.registration) as? [String: Any])
            body["platform"] = "android"
            body["device_token"] = android
            try await indexer.rest.register(JSONSerialization.data(withJSONObject: body))
            body["platform"] = "web"
            body["device_token"] = nil
            body["subscription"] = try JSONSerialization.jsonObject(with: Data(browser.json.utf8))
            try await indexer.rest.register(JSONSerialization.data(withJSONObject: body))
            registered.append(Device(iPhone: device, android: android, browser: browser))
        }
        return registered
    }
}

extension RESTClient {
    /// What `/ready` says of each part.
    fileprivate func parts() async throws -> [String: String] {
        let answer = try await send("GET", "/ready")
        let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        let parts = try #require(object?["parts"] as? [String: [String: Any]])
        return parts.compactMapValues { $0["state"] as? String }
    }
}
