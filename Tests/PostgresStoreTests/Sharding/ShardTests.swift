import Kaspa
import Postgres
import SampleOperations
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

@Suite("A store that is shared out", .timeLimit(.minutes(5)))
struct ShardTests {
    @Test("Each device is told once, by its own shard, whatever their number", arguments: [1, 2, 3, 16])
    func everybody(count: Int) async throws {
        let bench = try ShardBench(count: count)
        try await bench.registerAll()
        try await bench.accept(1)
        var told: [DeviceID] = []
        let first = try await bench.fanOut(bench.store)
        #expect(Set(first.scheduled.map { bench.store.shards.shard(of: $0.device) }).isSubset(of: [0]))
        told += first.scheduled.map(\.device)
        try await bench.settle(first.scheduled, in: bench.store, about: 1, .alive)
        for shard in bench.shards {
            try await bench.intake(shard)
            let step = try await bench.fanOut(shard.store)
            #expect(step.scheduled.allSatisfy { bench.store.shards.shard(of: $0.device) == shard.number })
            told += step.scheduled.map(\.device)
            let due = try await shard.store.outbox.dueDeliveries(step.scheduled).map { try $0.get() }
            #expect(due.allSatisfy { $0?.device != nil && $0?.payload?.bytes.isEmpty == false })
            try await bench.settle(step.scheduled, in: shard.store, about: 1, .alive)
        }
        #expect(told.count == ShardBench.devices && Set(told).count == told.count)
        try bench.expectSound()
        // What each was told stands in its own shard's log, which shard 0 reads.
        for number in 1...ShardBench.devices {
            let outbox = try await bench.store.outbox(of: ShardBench.device(number).id)
            let page = try await outbox.deliveryLog(
                of: ShardBench.device(number).id, after: 0, queuedSince: 0, limit: 9)
            #expect(page?.entries.map(\.state) == [.delivered] && page?.latestSeq == 1)
        }
        let delivered = try await bench.store.allShards().asyncSum { try await $0.outbox.books().deliveriesDelivered }
        #expect(delivered == UInt64(ShardBench.devices))
    }

    @Test("An event is told to the shards that have a device for it, and to no other")
    func concerned() async throws {
        let bench = try ShardBench(count: 4)
        let (own, other) = (bench.numbers(of: 0)[0], bench.numbers(of: 2)[0])
        for number in [own, other] {
            let device = ShardBench.device(number)
            try await bench.store.registry.upsertDevice(device.id) { _ in device }
        }
        try await bench.accept(1)
        _ = try await bench.fanOut(bench.store)
        for shard in bench.shards {
            let orders = try await shard.orders(after: 0, limit: 100, waitingAtMost: .zero)
            #expect(orders.map(\.order.kind) == (shard.number == 2 ? [.registration, .event] : []))
            #expect(orders.map(\.number) == Array(1..<UInt64(orders.count + 1)))
        }
    }

    @Test("Orders come in the order of what happened, also within one transaction, and are taken once")
    func order() async throws {
        let bench = try ShardBench(count: 2)
        let (shard, number) = (bench.shards[0], bench.numbers(of: 1)[0])
        let device = ShardBench.device(number)
        try await bench.store.registry.upsertDevice(device.id) { _ in device }
        try await bench.accept(1)
        _ = try await bench.fanOut(bench.store)
        try await bench.intake(shard)
        #expect(try await bench.fanOut(shard.store).notified == 1)
        // Registered anew after it was removed: what waited for it is gone, and it counts from 1 again.
        try await bench.store.engine.write(.upkeep) { (transaction) throws(StoreError) in
            _ = try transaction.removeDevice(device.id, network: .mainnet)
            _ = try transaction.putDevice(device, replacing: nil, network: .mainnet)
        }
        let orders = try await shard.orders(
            after: try shard.store.outbox.lastTakenOrder(), limit: 100, waitingAtMost: .zero)
        #expect(orders.map(\.order.kind) == [.removal, .registration])
        let taken = try await shard.store.outbox.take(orders)
        #expect(taken.removed == [device.id] && !taken.isCleared)
        #expect(try await shard.store.outbox.deliveries(of: device.id, limit: 9).isEmpty)
        #expect(try await shard.store.outbox.deviceState(device.id).lastSeq == 0)
        // Once more, as after a lost answer.
        #expect(try await shard.store.outbox.take(orders).removed == [])
        #expect(try await shard.orders(after: 0, limit: 100, waitingAtMost: .zero).isEmpty)
        try bench.expectSound()
    }

    @Test("A registration that is refused, or changes nothing for another shard, tells it nothing")
    func silence() async throws {
        let bench = try ShardBench(count: 2)
        let device = ShardBench.device(bench.numbers(of: 0)[0])
        try await bench.store.registry.upsertDevice(device.id) { _ in device }
        let foreign = ShardBench.device(bench.numbers(of: 1)[0])
        let outcome: DeviceOutcome<Int> = try await bench.store.registry.changeDevice(foreign.id) { _ in .refuse(1) }
        guard case .refused(1) = outcome else {
            Issue.record("it was not refused: \(outcome)")
            return
        }
        #expect(try await bench.store.registry.removeDevice(foreign.id) == nil)
        #expect(try await bench.shards[0].orders(after: 0, limit: 9, waitingAtMost: .zero).isEmpty)
    }

    @Test("An unregister waits for the shard's word, and for nothing once the shard's process is gone")
    func cleared() async throws {
        let bench = try ShardBench(count: 2)
        let (shard, device) = (bench.shards[0], ShardBench.device(bench.numbers(of: 1)[0]))
        let store = bench.store
        try await store.registry.upsertDevice(device.id) { _ in device }
        try await bench.intake(shard)
        // Nobody was removed: it is cleared as it is taken.
        try await store.waitUntilCleared([device.id])
        _ = try await store.registry.removeDevice(device.id)
        async let answer: Void = store.waitUntilCleared([device.id])
        try await bench.intake(shard)
        #expect(try shard.store.database.number(at: MetaKey.clearedOrder) == 1)
        try await shard.store.outbox.noteCleared(try shard.store.outbox.lastTakenOrder())
        try await answer
        // Those of shard 0 are not asked about.
        try await store.waitUntilCleared([ShardBench.device(bench.numbers(of: 0)[0]).id])
        _ = try await store.registry.upsertDevice(device.id) { _ in device }
        _ = try await store.registry.removeDevice(device.id)
        try bench.bench.run("update \"\(try bench.schema(1))\".writer set is_released = true")
        try await store.waitUntilCleared([device.id])
    }

    @Test(
        "A shard's process that is silent for a lease is replaced before an unregister is answered, and can be followed"
    )
    func silent() async throws {
        let place = try StoreBench()
        let times = ServerTimes(lease: .milliseconds(300), renewal: .milliseconds(20))
        let store = try PostgresStore.open(
            place.location, network: .mainnet, limits: StoreLimits(), readOnly: false, times: times, shards: 2)
        // Its connection stays open, as of one that is cut off; it gives no sign of life.
        let cut = try ShardBench.shard(1, of: 2, place)
        let device = try #require(
            (1...ShardBench.devices).map(ShardBench.device).first { store.shards.shard(of: $0.id) == 1 })
        try await store.registry.upsertDevice(device.id) { _ in device }
        _ = try await store.registry.removeDevice(device.id)
        let begin = ContinuousClock.now
        try await store.waitUntilCleared([device.id])
        #expect(ContinuousClock.now - begin >= times.lease)
        let next = try ShardBench.shard(1, of: 2, place)
        #expect(
            try await next.orders(after: 0, limit: 9, waitingAtMost: .zero).map(\.order.kind) == [
                .registration, .removal,
            ])
        let refusal = await StoreBench.failure { () throws(StoreError) in try await cut.store.outbox.noteCleared(9) }
        #expect(refusal?.code == .stopped)
    }

    @Test("A token that a shard finds dead is removed by shard 0, unless it has registered anew")
    func reports() async throws {
        let bench = try ShardBench(count: 2)
        let shard = bench.shards[0]
        let devices = bench.numbers(of: 1).prefix(3).map(ShardBench.device)
        for device in devices { try await bench.store.registry.upsertDevice(device.id) { _ in device } }
        try await bench.accept(1)
        _ = try await bench.fanOut(bench.store)
        try await bench.intake(shard)
        let step = try await bench.fanOut(shard.store)
        let keys = step.scheduled.sorted { $0.device.bytes.lexicographicallyPrecedes($1.device.bytes) }
        #expect(keys.count == 3)
        try await bench.settle(Array(keys[0...1]), in: shard.store, about: 1, .gone(at: 5_000))
        try await bench.settle(Array(keys[2...2]), in: shard.store, about: 1, .aliveAt(.development))
        // Shard 0 has the say.
        #expect(try shard.store.database.deviceRow(keys[0].device) != nil)
        let renewed = try #require(devices.first { $0.id == keys[1].device })
        var later = renewed
        later.lastSeen = 9_000
        try await bench.store.registry.upsertDevice(later.id) { [later] _ in later }
        let removed = try await bench.store.takeReports()
        #expect(removed.map(\.device) == [keys[0].device] && removed.map(\.kind) == [.gone])
        #expect(try await bench.store.takeReports() == [])
        #expect(try await !bench.store.registry.isRegistered(keys[0].device))
        #expect(try await bench.store.registry.device(later.id)?.lastSeen == 9_000)
        #expect(
            try await bench.store.registry.device(keys[2].device)?.environment
                == .init(.development, isSaid: false))
        #expect(try await bench.intake(shard) == [keys[0].device])
        #expect(try shard.store.database.deviceRow(keys[0].device) == nil)
        // Its numbers go on.
        #expect(try shard.store.database.deviceRow(later.id) == later.encoded)
        #expect(try await shard.store.outbox.deviceState(later.id).lastSeq == 1)
        try bench.expectSound()
    }

    @Test("A shard has one process, and needs the store to be shared out so")
    func opening() async throws {
        let bench = try ShardBench(count: 3)
        let twice = #expect(throws: StoreError.self) { _ = try ShardBench.shard(1, of: 3, bench.bench) }
        #expect(twice?.code == .locked)
        let other = #expect(throws: StoreError.self) { _ = try ShardBench.shard(1, of: 2, bench.bench) }
        #expect(other?.code == .locked)
        let fresh = try StoreBench()
        try await fresh.use()
        let single = #expect(throws: StoreError.self) { _ = try ShardBench.shard(1, of: 2, fresh) }
        #expect(single?.code == .locked)
    }

    @Test("Two processes that make a provider token at once keep the same one")
    func providerToken() async throws {
        let bench = try ShardBench(count: 2)
        let registries = [bench.store.registry, bench.shards[0].store.registry]
        #expect(try await registries[0].providerToken() == nil)
        let kept = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for (number, registry) in registries.enumerated() {
                group.addTask { try await registry.replaceProviderToken(nil, by: [UInt8(number)]) }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(kept.count == 1)
        let first = try #require(kept.first)
        for registry in registries { #expect(try await registry.providerToken() == first) }
        #expect(try await registries[1].replaceProviderToken([9], by: [7]) == first)
        #expect(try await registries[1].replaceProviderToken(first, by: [7]) == [7])
        #expect(try await registries[0].providerToken() == [7])
    }
}

extension [Store] {
    fileprivate func asyncSum(_ value: (Store) async throws -> UInt64) async throws -> UInt64 {
        var sum: UInt64 = 0
        for store in self { sum += try await value(store) }
        return sum
    }
}

extension ShardBench {
    /// The name of a shard's schema.
    func schema(_ shard: Int) throws -> String {
        let main = try bench.connect().query("select current_schema()", []).text(0, 0)
        return "\(main)_shard_\(shard)"
    }
}
