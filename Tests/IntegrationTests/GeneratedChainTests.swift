import APNsSandbox
import Foundation
import Kaspa
import KaspaNode
import KasiaProtocol
import KaspadReplay
import Push
import Recordings
import Store
import Testing

/// Generated networks, where an oracle outside the service knows who must be told of what.
@Suite("Generated chains")
struct GeneratedChainTests {
    @Test(
        "with reorganisations and double spends, every watcher is told of every accepted message once",
        .timeLimit(.minutes(5)), arguments: [1, 2, 3] as [UInt64])
    func everyoneIsTold(seed: UInt64) async throws {
        var parameters = GeneratorParameters()
        parameters.seed = seed
        parameters.blocks = 250
        parameters.wallets = 12
        parameters.reorganisationRate = 0.1
        let network = Network.mainnet
        var generator = RecordingGenerator(parameters)
        let (header, wallets) = (generator.header, generator.wallets)
        var oracle = GenerationOracle()
        var entries: [Recording_RecordingEntry] = []
        while let entry = generator.next() {
            oracle.observe(entry)
            entries.append(entry.message)
        }
        #expect(!oracle.reorganisations.isEmpty, "seed \(seed) has no reorganisation")
        let recording = Recording(header: header, entries: entries)
        let entryCount = entries.count
        let standings = oracle.standings

        try await World.with(recording) { world in
            let now = RecordedTimes(recording).end
            world.replay.setFaults { $0.isSynced = false }
            await world.replay.advance(to: entryCount / 2)
            let devices = wallets.enumerated().map { index, wallet in
                // Each watches its own address and two contacts.
                let contacts = [1, 2].map { wallets[(index + $0) % wallets.count].address }
                return GeneratedDevice(number: index, own: wallet.address, contacts: contacts)
            }
            try await world.withIndexer(now: { now }) { indexer in
                for device in devices { try await indexer.rest.register(device.registration) }
                world.replay.setFaults { $0.isSynced = true }
                // The first half in a catch-up, the second live.
                try await eventually("the first half is followed") {
                    try await indexer.store.history.cursor()?.blockHash
                        == ReplayedChain(recording, entries: world.replay.playedCount).sink
                }
                await world.replay.advanceToEnd()
                try await indexer.untilQuiet(at: ReplayedChain(recording, entries: entryCount).sink)

                // What is stored is what the oracle knows of the virtual chain.
                for (id, standing) in standings where standing.acceptances > 0 {
                    let stored = try await indexer.store.history.operation(id)
                    #expect(stored?.acceptance?.blockHash == standing.acceptingBlock, "seed \(seed): \(id)")
                }
            }
            let sent = world.sandbox.notifications.map { "\($0.token) \($0.collapseID ?? "")" }
            #expect(Set(sent).count == sent.count, "seed \(seed): something was sent twice")
            var required: Set<String> = []
            var allowed: Set<String> = []
            for device in devices {
                for standing in standings.values where device.isTold(of: standing.operation) {
                    let key = "\(device.token) \(standing.operation.id)"
                    // Accepted for a while and then lost: told or not, as the indexer asked before or after.
                    if standing.acceptances > 0 { allowed.insert(key) }
                    if standing.acceptingBlock != nil { required.insert(key) }
                }
            }
            #expect(required.subtracting(sent).isEmpty, "seed \(seed): \(required.subtracting(sent).count) missing")
            #expect(Set(sent).subtracting(allowed).isEmpty, "seed \(seed): not expected")
            #expect(network.addressPrefix == .kaspa && !required.isEmpty)
        }
    }
}

/// A device of a generated wallet, with the push rules written down a second time.
private struct GeneratedDevice: Sendable {
    let number: Int
    let own: Address
    let contacts: [Address]

    var token: String { Hex.encode((0..<32).map { UInt8(truncatingIfNeeded: number &* 37 &+ $0) }) }

    var registration: Data {
        let watched = ([own] + contacts).map { "\"\($0)\"" }.joined(separator: ",")
        return Data(
            """
            {"device_token":"\(token)","platform":"ios","primary_address":"\(own)","watched_addresses":[\(watched)]}
            """.utf8)
    }

    func isTold(of operation: GeneratedOperation) -> Bool {
        switch operation.kind {
        case .contextualMessage: operation.sender != own && contacts.contains(operation.sender)
        case .payment, .handshake: operation.receiver == own && operation.sender != own
        case .groupMessage, .groupControl, .selfStash, .broadcast: false
        }
    }
}
