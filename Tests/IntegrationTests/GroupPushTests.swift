import APNsSandbox
import Foundation
import Kaspa
import KaspadReplay
import Store
import Testing

/// Group messages reach who proved a wallet, and nobody else.
@Suite("Group messages")
struct GroupPushTests {
    /// Carol's group in the recorded blocks, in which two messages count.
    static let group = "9ccb746acba6cc62a6bcaf33e043070ae2e9617b25d16b30163977b5a634f742"
    static let messages: Set<String> = [
        "f82b9e06c7dbc2c9539a034071deaf6cb5272f990776632df4d84195457db35e",
        "78ca9e0d795347689b9bfd6037ecab6358e7e51580a2834509effa8dc866fc35",
    ]

    @Test(
        "are pushed to a signed registration, not to their sender, and not after a sign-out", .timeLimit(.minutes(10)))
    func signedDevices() async throws {
        let recording = try Fixture.recording()
        let (dave, carol) = (try CastWallet("dave"), try CastWallet("carol"))
        let tokens = (String(repeating: "d1", count: 32), String(repeating: "c1", count: 32))
        try await World.with(recording) { world in
            world.replay.setFaults { $0.isSynced = false }
            await world.replay.advanceToEnd()
            let sent = try await world.withIndexer(now: { RecordedTimes(recording).end }) { indexer in
                for (wallet, token) in [(dave, tokens.0), (carol, tokens.1)] {
                    let body = try await wallet.registration(token: token, groups: [Self.group], rest: indexer.rest)
                    try await indexer.rest.register(body)
                    // The same once more is a replay.
                    #expect(try await indexer.rest.send("POST", "/v1/push/register", body).status == 401)
                }
                var unsigned = try #require(
                    JSONSerialization.jsonObject(
                        with: try await dave.registration(
                            token: String(repeating: "e1", count: 32), groups: [Self.group], rest: indexer.rest))
                        as? [String: Any])
                unsigned["auth"] = nil
                let refused = try await indexer.rest.send(
                    "POST", "/v1/push/register", JSONSerialization.data(withJSONObject: unsigned))
                #expect(refused.status == 401)
                world.replay.setFaults { $0.isSynced = true }
                try await indexer.untilQuiet(at: ReplayedChain(recording, entries: world.replay.entryCount).sink)
                return world.sandbox.notifications
            }
            let groups = try sent.filter { notification in
                let body = try JSONSerialization.jsonObject(with: Data(notification.body)) as? [String: Any]
                let kasia = body?["kasia"] as? [String: Any]
                guard kasia?["type"] as? String == "group_message" else { return false }
                #expect(kasia?["groupId"] as? String == Self.group)
                return true
            }
            #expect(Set(groups.map(\.token)) == [tokens.0])
            #expect(Set(groups.compactMap(\.collapseID)) == Self.messages)
            #expect(groups.count == 2)
        }
    }
}
