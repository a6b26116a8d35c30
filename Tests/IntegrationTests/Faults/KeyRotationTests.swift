import APNs
import APNsSandbox
import Foundation
import Kaspa
import KaspadReplay
import Store
import Testing

/// SIGHUP and the APNs key, with the real executable.
@Suite("Key rotation")
struct KeyRotationTests {
    @Test(
        "a broken key is refused and the old one stays; a good one is taken up and nothing is lost",
        .timeLimit(.minutes(5)))
    func rotation() async throws {
        let newKeyID = "NEWKEY0001"
        try await FaultWorld.with(sandbox: { $0.keys[newKeyID] = $0.keys.values.first }) { faults in
            let world = faults.world
            let key = try String(contentsOf: world.folder.appendingPathComponent("key.p8"), encoding: .utf8)
            let file = world.folder.appendingPathComponent("indexer.yaml")
            let keyFile = world.folder.appendingPathComponent("rotated.p8")
            func write(keyID: String, _ pem: String) throws {
                try Data(pem.utf8).write(to: keyFile)
                try Data("apns:\n  key_id: \(keyID)\n  key_path: \(keyFile.path)\n".utf8).write(to: file)
            }
            try write(keyID: world.credentials.keyID, key)
            let environment = world.environment.filter { !["APNS_KEY_ID", "APNS_KEY_PATH"].contains($0.key) }
            let process = try LaunchedIndexer(environment: environment, arguments: ["--config", file.path])
            try await faults.registerAll(try await process.listening())

            try write(keyID: newKeyID, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
            process.signal(SIGHUP)
            try await eventually("the broken key is refused") { process.logged.contains("apns.key.kept") }
            await world.replay.advance(to: 400)
            try await world.sandbox.waitForNotifications(count: 20)
            let connections = world.sandbox.counts.connections

            try write(keyID: newKeyID, key)
            process.signal(SIGHUP)
            try await eventually("the new key is taken up") { process.logged.contains("apns.key.rotated") }
            await world.replay.advanceToEnd()
            try await faults.expectAll(mayRepeat: false)
            #expect(world.sandbox.counts.connections > connections, "a key has connections of its own")
            #expect(world.sandbox.requests.allSatisfy { $0.status == 200 })

            #expect(!process.logged.contains("apns.settings.not_taken_up"))
            let more = "apns:\n  key_id: \(newKeyID)\n  key_path: \(keyFile.path)\n  streams: 7\n"
            try Data(more.utf8).write(to: file)
            process.signal(SIGHUP)
            try await eventually("what needs a restart is named") {
                process.logged.contains("apns.settings.not_taken_up") && process.logged.contains("keys=apns.streams")
            }
            #expect(await process.end(SIGTERM) == 0)

            let path = world.folder.appendingPathComponent("store").path
            let stored = try await #require(try Store(path: path, network: .mainnet).registry.providerToken())
            let token = try JSONDecoder().decode(StoredProviderToken.self, from: Data(stored))
            #expect(token.keyID == newKeyID)
        }
    }
}
