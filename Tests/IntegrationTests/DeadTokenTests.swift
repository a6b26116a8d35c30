import APNsSandbox
import Foundation
import Kaspa
import KaspadReplay
import Push
import Store
import Testing

/// What Apple says of tokens, end to end: the device and its index entries go, and nothing else.
@Suite("Dead tokens")
struct DeadTokenTests {
    @Test("a 410 removes the device with its index entries, and nothing else", .timeLimit(.minutes(5)))
    func unregistered() async throws {
        try await scenario(
            rule: { token, now in
                SandboxRule(
                    .answer(SandboxAnswer(status: 410, reason: "Unregistered", timestampMilliseconds: now + 1)),
                    token: token)
            }
        ) { dead, indexer in
            let isRegistered = try await indexer.rest.isRegistered(dead.token)
            #expect(!isRegistered)
            let bytes = try #require(Hex.decode(dead.token))
            let state = try await indexer.store.outbox.deviceState(DeviceID(token: bytes))
            #expect(state == DeviceState())
        }
    }

    @Test("a registration newer than the 410's timestamp survives", .timeLimit(.minutes(5)))
    func registeredAgain() async throws {
        try await scenario(
            rule: { token, now in
                SandboxRule(
                    .answer(SandboxAnswer(status: 410, reason: "Unregistered", timestampMilliseconds: now - 1)),
                    token: token)
            }
        ) { dead, indexer in
            let isRegistered = try await indexer.rest.isRegistered(dead.token)
            #expect(isRegistered)
        }
    }

    @Test("three times BadDeviceToken in a row removes the device", .timeLimit(.minutes(5)))
    func badDeviceToken() async throws {
        try await scenario(
            rule: { token, _ in
                SandboxRule(.answer(SandboxAnswer(status: 400, reason: "BadDeviceToken")), token: token)
            }
        ) { dead, indexer in
            let isRegistered = try await indexer.rest.isRegistered(dead.token)
            #expect(!isRegistered)
            let asked = indexer.world.sandbox.requests.filter { $0.token == dead.token }
            // Strikes stand still while too few of the last answers are successes, so it can take more.
            #expect(asked.count >= 3)
        }
    }

    /// Catches up with the recorded blocks while one of the golden devices is dead; all others get all of theirs.
    private func scenario(
        rule: @escaping @Sendable (String, UInt64) -> SandboxRule,
        _ check: @escaping @Sendable (GoldenNotifications.Device, RunningIndexer) async throws -> Void
    ) async throws {
        let golden = try Fixture.goldenNotifications()
        let recording = try Fixture.recording()
        let now = RecordedTimes(recording).end
        // The device with the most: strikes need three.
        let dead = try #require(golden.devices.first { $0.name == "watcher-without-primary" })
        try await World.with(recording) { world in
            world.replay.setFaults { $0.isSynced = false }
            await world.replay.advanceToEnd()
            world.sandbox.addRule(rule(dead.token, now))
            try await world.withIndexer(now: { now }) { indexer in
                for device in golden.devices { try await indexer.rest.register(device.registration) }
                let before = try await indexer.store.totals()
                world.replay.setFaults { $0.isSynced = true }
                try await indexer.untilQuiet(at: ReplayedChain(recording, entries: world.replay.entryCount).sink)

                let expected = Set(golden.notifications.filter { $0.token != dead.token }.map(\.apnsID))
                #expect(Set(world.sandbox.notifications.map(\.id)) == expected)
                for device in golden.devices where device.token != dead.token {
                    let isRegistered = try await indexer.rest.isRegistered(device.token)
                    #expect(isRegistered, "\(device.name)")
                }
                try await check(dead, indexer)
                let isGone = try await !indexer.rest.isRegistered(dead.token)
                let after = try await indexer.store.totals()
                // It watches three addresses and has no primary one.
                #expect(before.devices - after.devices == (isGone ? 1 : 0))
                #expect(before.watchEntries - after.watchEntries == (isGone ? 3 : 0))
            }
        }
    }
}
