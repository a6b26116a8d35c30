import APNs
import APNsSandbox
import Carriers
import Foundation
import Kaspa
import KaspadReplay
import SignedPushes
import Store
import StoreSupport
import Testing

/// SIGHUP and the keys of pushes, with the real executable.
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
            let stored = try await #require(try TestStores.open(path).registry.providerToken())
            let token = try JSONDecoder().decode(StoredProviderToken.self, from: Data(stored))
            #expect(token.keyID == newKeyID)
        }
    }

    @Test(
        "a signing key that is none is refused and the old one stays; another one signs from then on",
        .timeLimit(.minutes(5)))
    func signingKey() async throws {
        let (first, second) = (SigningKey.make(), SigningKey.make())
        try await FaultWorld.with { faults in
            let world = faults.world
            let file = world.folder.appendingPathComponent("signing.pem")
            func write(_ pem: String) throws { try Data(pem.utf8).write(to: file) }
            try write(first.privateKeyPEM)
            let process = try LaunchedIndexer(
                environment: world.environment.merging(["PUSH_SIGNING_KEY_PATH": file.path]) { $1 })
            let rest = try await process.listening()
            #expect(process.logged.contains("push.signed") && process.logged.contains(first.publicKey.keyID))
            try await faults.registerAll(rest)
            func servedKey() async throws -> String? {
                let answer = try await rest.send("GET", "/v1/push/key")
                let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: String]
                return object?["key_id"]
            }

            try write(first.privateKeyPEM.replacing("MC4C", with: "MC4D"))
            process.signal(SIGHUP)
            try await eventually("the damaged key is refused") { process.logged.contains("push.signing_key.kept") }
            #expect(try await servedKey() == first.publicKey.keyID)
            await world.replay.advance(to: 400)
            try await world.sandbox.waitForNotifications(count: 20)

            try write(second.privateKeyPEM)
            process.signal(SIGHUP)
            try await eventually("the new key is taken up") { process.logged.contains("push.signing_key.replaced") }
            #expect(try await servedKey() == second.publicKey.keyID)
            process.signal(SIGHUP)
            try await eventually("the same key changes nothing") {
                process.logged.contains("push.signing_key.unchanged")
            }
            await world.replay.advanceToEnd()
            try await eventually("everything expected has been sent", within: .seconds(120)) {
                let sent = Set(world.sandbox.notifications.map(\.id))
                return faults.golden.notifications.allSatisfy { sent.contains($0.apnsID) }
            }
            var counts = (first: 0, second: 0)
            for notification in world.sandbox.notifications {
                let push = try #require(SignedPush(json: notification.body))
                guard push.signature != nil else { continue }
                let isFirst = push.isSigned(by: first.publicKey.bytes, for: notification.token)
                let isSecond = push.isSigned(by: second.publicKey.bytes, for: notification.token)
                #expect(isFirst != isSecond)
                if isFirst { counts.first += 1 } else { counts.second += 1 }
            }
            #expect(counts.first > 0 && counts.second > 0)
            #expect(await process.end(SIGTERM) == 0)
            for key in [first, second] {
                let secret = key.privateKeyPEM.split(separator: "\n")[1].suffix(20)
                #expect(!process.logged.contains(secret))
            }
        }
    }
}
