import APNsSandbox
import Foundation
import Kaspa
import KaspaNode
import KasiaProtocol
import KaspadReplay
import Recordings
import Store
import StoreSupport
import Testing

/// Plain transfers of a generated network, end to end: through the replay node's gRPC, the store and Apple's stand-in.
@Suite("Watch-only funds")
struct WatchOnlyFundsTests {
    @Test(
        "every plain transfer to a watch-only address is told once, also after a restart, and at most 30 an hour",
        .timeLimit(.minutes(10)), arguments: [(1, 12), (2, 60)] as [(UInt64, Int)])
    func everyTransfer(seed: UInt64, wallets count: Int) async throws {
        var parameters = GeneratorParameters()
        parameters.seed = seed
        parameters.blocks = 150
        parameters.wallets = count
        parameters.operationShare = 0.5
        parameters.reorganisationRate = 0.1
        var generator = RecordingGenerator(parameters)
        let (header, wallets) = (generator.header, generator.wallets)
        let devices = (0..<6).map { FundsDevice(number: $0, wallets: wallets) }
        var ledgers = devices.map(FundsLedger.init)
        var entries: [Recording_RecordingEntry] = []
        while let entry = generator.next() {
            entries.append(entry.message)
            if let step = entry.step { for index in ledgers.indices { ledgers[index].observe(step) } }
        }
        let recording = Recording(header: header, entries: entries)
        let half = entries.count / 2
        let (middle, sink) = (
            try ReplayedChain(recording, entries: half).sink, try ReplayedChain(recording, entries: entries.count).sink
        )
        let expected = ledgers

        try await World.with(recording) { world in
            let now = RecordedTimes(recording).end
            world.replay.setFaults { $0.isSynced = false }
            try await world.withIndexer(now: { now }) { indexer in
                for device in devices { try await indexer.rest.register(device.registration) }
                world.replay.setFaults { $0.isSynced = true }
                await world.replay.advance(to: half)
                try await indexer.untilQuiet(at: middle)
            }
            try await world.withIndexer(now: { now }) { indexer in
                let scripts = indexer.store.registry.watchedScripts
                // Beside a database no file keeps the filter: it is filled while the chain is followed already.
                #expect(scripts.isFilled || !TestEngine.isRocksDB, "the stop has kept the filter")
                try await eventually("the filter is filled") { scripts.isFilled }
                await world.replay.advanceToEnd()
                try await indexer.untilQuiet(at: sink)
                for device in devices { try await checkMissed(device, indexer) }
                #expect(try indexer.store.checkBooks().problems == [], "seed \(seed)")
                #expect(try await indexer.store.outbox.books().balance)
            }
            for ledger in expected {
                try check(world.sandbox.notifications.filter { $0.token == ledger.device.token }, ledger, seed)
            }
            #expect(expected.contains { !$0.standing.isEmpty }, "seed \(seed) has no transfer to anybody")
        }
    }

    /// What an app finds of funds that it missed is what the pushes said.
    private func checkMissed(_ device: FundsDevice, _ indexer: RunningIndexer) async throws {
        let pushes = indexer.world.sandbox.notifications.filter { $0.token == device.token }
        var after = 0
        var found: [String: (amount: UInt64?, address: String?)] = [:]
        while true {
            let uri = "/v1/push/missed?device_token=\(device.token)&after=\(after)"
            let answer = try await indexer.rest.send("GET", uri)
            let page = try #require(JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
            let items = try #require(page["items"] as? [[String: Any]])
            guard let last = items.last?["seq"] as? Int else { break }
            after = last
            for item in items {
                let id = try #require(item["tx_id"] as? String)
                found[id] = ((item["amount"] as? NSNumber)?.uint64Value, item["address"] as? String)
            }
        }
        for push in pushes {
            let body = try #require(JSONSerialization.jsonObject(with: Data(push.body)) as? [String: Any])
            let kasia = try #require(body["kasia"] as? [String: Any])
            let id = try #require(kasia["txId"] as? String)
            let item = try #require(found[id])
            #expect(item.amount == (kasia["amount"] as? NSNumber)?.uint64Value)
            #expect(item.address == kasia["address"] as? String)
        }
    }

    private func check(_ notifications: [ReceivedNotification], _ ledger: FundsLedger, _ seed: UInt64) throws {
        var told: Set<String> = []
        for notification in notifications {
            let body = try #require(JSONSerialization.jsonObject(with: Data(notification.body)) as? [String: Any])
            let kasia = try #require(body["kasia"] as? [String: Any])
            // Payments and handshakes to the primary address are told of as such, and only so.
            guard kasia["type"] as? String == "address_activity" else {
                #expect(ledger.seen[kasia["txId"] as? String ?? ""] == nil, "seed \(seed)")
                continue
            }
            let id = try #require(kasia["txId"] as? String)
            #expect(told.insert(id).inserted, "seed \(seed): \(id) was told twice")
            let credit = try #require(ledger.seen[id], "seed \(seed): \(id) was not expected")
            #expect((kasia["amount"] as? NSNumber)?.uint64Value == credit.amount, "seed \(seed)")
            #expect(kasia["address"] as? String == credit.address, "seed \(seed)")
            let aps = try #require(body["aps"] as? [String: Any])
            #expect(aps["thread-id"] as? String == "funds:\(credit.address)", "seed \(seed)")
            #expect(
                (aps["alert"] as? [String: String]) == [
                    "title": "Funds received", "body": "Received \(Sompi(credit.amount).kas) KAS",
                ])
        }
        // All of this happens within an hour of the indexer's clock.
        if ledger.seen.count <= HourlyLimit.funds.pushes {
            #expect(told.isSuperset(of: ledger.standing), "seed \(seed), device \(ledger.device.number)")
        } else {
            #expect(
                told.count <= HourlyLimit.funds.pushes
                    && told.count >= min(HourlyLimit.funds.pushes, ledger.standing.count))
        }
    }
}

/// A device with two wallets' addresses watched for funds, the second of which is its primary address.
private struct FundsDevice: Sendable {
    let number: Int
    let primary: String
    let watched: [String]

    init(number: Int, wallets: [GeneratedWallet]) {
        func address(_ index: Int) -> String { wallets[index % wallets.count].address.description }
        self.number = number
        primary = address(number + 1)
        watched = [address(number), address(number + 1)]
    }

    var token: String { Hex.encode((0..<32).map { UInt8(truncatingIfNeeded: number &* 37 &+ $0) }) }

    var registration: Data {
        let list = watched.map { "\"\($0)\"" }.joined(separator: ",")
        return Data(
            """
            {"device_token":"\(token)","platform":"ios","watched_addresses":[],"primary_address":"\(primary)",
             "watch_only_addresses":[\(list)]}
            """.utf8)
    }
}

/// What a device must hear of, written down a second time from the recording itself.
private struct FundsLedger: Sendable {
    struct Credit: Equatable, Sendable {
        var address: String
        var amount: UInt64
    }

    let device: FundsDevice
    /// Transfers that some chain block accepted, by transaction.
    private(set) var seen: [String: Credit] = [:]
    /// Those of them that the final chain accepts.
    private(set) var standing: Set<String> = []

    init(_ device: FundsDevice) {
        self.device = device
    }

    mutating func observe(_ step: VirtualChainStep) {
        for accepted in step.removed.flatMap(\.accepted) { standing.remove(accepted.transaction.id.description) }
        for accepted in step.added.flatMap(\.accepted) {
            guard let credit = credit(of: accepted) else { continue }
            seen[accepted.transaction.id.description] = credit
            standing.insert(accepted.transaction.id.description)
        }
    }

    private func credit(of accepted: AcceptedTransaction) -> Credit? {
        let message = accepted.transaction.message
        let payload = Hex.decode(message.payload) ?? []
        // A coinbase's payload is no operation, whatever it says.
        if !accepted.transaction.isCoinbase, case .operation = PayloadGrammar.classify(payload) { return nil }
        let spenders = accepted.spent.map(\.output.verboseData.scriptPublicKeyAddress)
        guard !spenders.contains(where: device.watched.contains) else { return nil }
        var credit: Credit?
        for output in message.outputs where device.watched.contains(output.verboseData.scriptPublicKeyAddress) {
            credit = Credit(
                address: credit?.address ?? output.verboseData.scriptPublicKeyAddress,
                amount: (credit?.amount ?? 0) + output.amount)
        }
        return credit
    }
}
