import KasiaProtocol
import Kaspa
import SampleOperations
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

/// A store that is shared out, with all of its shards open in one process.
struct ShardBench {
    static let channel = "kaspa"
    static let devices = 48

    let bench: StoreBench
    let store: Store
    let shards: [StoreShard]

    /// A fresh one.
    init(count: Int, bench: StoreBench? = nil) throws {
        let bench = try bench ?? StoreBench()
        self.bench = bench
        store = try PostgresStore.open(bench.location, network: .mainnet, shards: count)
        shards = try (1..<max(count, 1)).map { try ShardBench.shard($0, of: count, bench) }
    }

    static func shard(_ number: Int, of count: Int, _ bench: StoreBench) throws(StoreError) -> StoreShard {
        try PostgresStore.openShard(
            number, of: count, bench.location, network: .mainnet, standby: nil, times: StoreBench.quiet)
    }

    static func device(_ number: Int) -> DeviceRecord { Samples.device(number, channels: [channel]) }

    /// The numbers of the devices of a shard.
    func numbers(of shard: Int) -> [Int] {
        (1...ShardBench.devices).filter { store.shards.shard(of: ShardBench.device($0).id) == shard }
    }

    func registerAll() async throws {
        for number in 1...ShardBench.devices {
            let device = ShardBench.device(number)
            try await store.registry.upsertDevice(device.id) { _ in device }
        }
    }

    /// Accepts a broadcast that all devices hear.
    func accept(_ number: Int) async throws {
        _ = try await store.history.apply(
            LifeSamples.step([LifeSamples.operation(number, .broadcast)], to: number), now: 1_000,
            withdrawsUnsent: false)
    }

    /// Fans all events of a store out.
    func fanOut(_ store: Store) async throws -> FanOutStep {
        var sum = FanOutStep()
        for event in try await store.outbox.events(after: 0, limit: 100) {
            let walk = LifeSamples.walk(event.number, .channel(ShardBench.channel), .notify)
            while true {
                let step = try await store.outbox.fanOut([walk], limit: 5, ordinaryWatchers: .max, now: 1_000)[0]
                sum.notified += step.notified
                sum.scheduled += step.scheduled
                if step.finished { break }
            }
        }
        return sum
    }

    /// Has a shard take over what it was told; returns the devices that are gone.
    @discardableResult
    func intake(_ shard: StoreShard) async throws -> [DeviceID] {
        var removed: [DeviceID] = []
        while true {
            let orders = try await shard.orders(
                after: try shard.store.outbox.lastTakenOrder(), limit: 7, waitingAtMost: .zero)
            guard !orders.isEmpty else { return removed }
            removed += try await shard.store.outbox.take(orders).removed
        }
    }

    func settle(_ keys: [ScheduleKey], in store: Store, about number: Int, _ effect: Settlement.DeviceEffect)
        async throws
    {
        let settlements = keys.map {
            Settlement(key: $0, transactionID: LifeSamples.transaction(number), next: .done, effect: effect)
        }
        let results = try await store.outbox.settle(settlements, now: 2_000)
        #expect(results.allSatisfy { $0.found })
    }

    func expectSound() throws {
        for each in [store] + shards.map(\.store) {
            let check = try each.checkBooks()
            #expect(check.isSound, "shard \(each.shards.own): \(check.problems)")
        }
    }
}
