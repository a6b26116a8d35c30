import Kaspa
import SampleOperations
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

@Suite("Changing how a store is shared out", .timeLimit(.minutes(5)))
struct ShardMoveTests {
    /// What each device has: its deliveries that wait, what its log says, and whether it is registered.
    private func devices(_ store: Store) async throws -> [DeviceID: String] {
        var found: [DeviceID: String] = [:]
        for number in 1...ShardBench.devices {
            let id = ShardBench.device(number).id
            let outbox = try await store.outbox(of: id)
            let waiting = try await outbox.deliveries(of: id, limit: 9).map { "\($0.seq) \($0.transactionID)" }
            let page = try await outbox.deliveryLog(of: id, after: 0, queuedSince: 0, limit: 9)
            let log = page?.entries.map { "\($0.seq) \($0.state)" } ?? ["not registered"]
            let state = try await outbox.deviceState(id)
            found[id] = "\(waiting) \(log) \(state.lastSeq) \(state.isAccepted)"
        }
        return found
    }

    private func close(_ bench: inout ShardBench?) async throws {
        let closings = try #require(bench).shards.map(\.store.closing) + [try #require(bench).store.closing]
        bench = nil
        for closing in closings { #expect(await closing.wait(atMost: .seconds(10))) }
    }

    @Test("What waits, what was told and what was given up goes where its device goes, there and back")
    func thereAndBack() async throws {
        let place = try StoreBench()
        var bench: ShardBench? = try ShardBench(count: 1, bench: place)
        if let bench {
            try await bench.registerAll()
            for number in 1...3 {
                try await bench.accept(number)
                let step = try await bench.fanOut(bench.store)
                guard number < 3 else { break }
                let halves = [step.scheduled.prefix(20), step.scheduled.dropFirst(20)]
                try await bench.settle(Array(halves[0]), in: bench.store, about: number, .alive)
                let results = try await bench.store.outbox.settle(
                    halves[1].map {
                        Settlement(
                            key: $0, transactionID: LifeSamples.transaction(number), next: .done, ending: .dead,
                            reason: "BadTopic")
                    }, now: 2_000)
                #expect(results.allSatisfy { $0.found })
            }
        }
        let before = try await devices(try #require(bench).store)
        try await close(&bench)
        for count in [3, 5, 16, 2, 1] {
            bench = try ShardBench(count: count, bench: place)
            if let bench {
                try bench.expectSound()
                #expect(try await devices(bench.store) == before, "\(count) shards")
                let shards = try await bench.store.allShards()
                #expect(shards.count == count)
                let schemas = "select count(*) from pg_namespace where nspname like current_schema() || '\\_shard\\_%'"
                #expect(try place.number(schemas) == count - 1)
                #expect(try place.number("select version from store_layout") == (count > 1 ? 4 : 3))
                var (waiting, letters, delivered, dead): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
                for shard in shards {
                    let books = try await shard.outbox.books()
                    waiting += books.deliveriesQueued
                    letters += books.deadLetters
                    delivered += books.deliveriesDelivered
                    dead += books.deadByReason["BadTopic", default: 0]
                    #expect(books.deliveriesDead == books.deadByReason["BadTopic", default: 0])
                }
                #expect((waiting, letters, delivered, dead) == (48, 56, 40, 56))
            }
            try await close(&bench)
        }
        // What waits is sent from where it is.
        bench = try ShardBench(count: 2, bench: place)
        if let bench {
            var (cursor, failure) = await bench.shards[0].store.outbox.read(ahead: ScheduleCursor(), now: 5_000)
            let due = cursor.take(
                DueRequest(
                    steps: ScheduleKey.Lane.allCases.map { .init($0) }, limit: 100,
                    laneLimits: [.ordinary: 100, .bulk: 100, .probation: 100]), now: 5_000
            ) { _ in true }
            #expect(due.count == bench.numbers(of: 1).count && failure == nil)
        }
        try await close(&bench)
    }

    @Test("It is refused while a process works on another shard, and while an event is half-way")
    func refused() async throws {
        let place = try StoreBench()
        var bench: ShardBench? = try ShardBench(count: 2, bench: place)
        try await bench?.registerAll()
        try await bench?.accept(1)
        _ = try await bench?.fanOut(try #require(bench).store)
        var shard = bench?.shards[0]
        let closing = try #require(bench).store.closing
        bench = nil
        #expect(await closing.wait(atMost: .seconds(10)))
        let locked = #expect(throws: StoreError.self) { _ = try ShardBench(count: 1, bench: place) }
        #expect(locked?.code == .unsupported && locked?.message.contains("stop all of them first") == true)
        let shardClosing = try #require(shard?.store.closing)
        shard = nil
        #expect(await shardClosing.wait(atMost: .seconds(10)))
        // It has not taken over yet what it was told.
        let halfWay = #expect(throws: StoreError.self) { _ = try ShardBench(count: 1, bench: place) }
        #expect(halfWay?.code == .unfinished && halfWay?.message.contains("store.shards = 2") == true)
        bench = try ShardBench(count: 2, bench: place)
        if let bench {
            try await bench.intake(bench.shards[0])
            _ = try await bench.fanOut(bench.shards[0].store)
        }
        try await close(&bench)
        bench = try ShardBench(count: 1, bench: place)
        try bench?.expectSound()
        try await close(&bench)
    }

    @Test("A command that opens the store to write leaves the shards as they are")
    func untouched() async throws {
        let place = try StoreBench()
        var bench: ShardBench? = try ShardBench(count: 3, bench: place)
        try await close(&bench)
        let store = try PostgresStore.open(place.location, network: .mainnet)
        #expect(store.shards == ShardPlan(count: 3))
        let refusal = await StoreBench.failure { () throws(StoreError) in _ = try await store.repairIndexes(now: 1) }
        #expect(refusal?.code == .unsupported)
    }
}
