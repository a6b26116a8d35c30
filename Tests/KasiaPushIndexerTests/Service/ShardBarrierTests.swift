import Carriers
import Clocks
import Foundation
import KasiaProtocol
import Kaspa
import Logging
import PostgresStore
import Push
import SampleOperations
import Store
import StoreSupport
import Synchronization
import TestRandom
import Testing

/// Three dispatchers on one store, each with its shard, while devices come and go.
@Suite("What holds across shards", .timeLimit(.minutes(5)))
struct ShardBarrierTests {
    private static let shards = 3
    private static let devices = 24
    private static let messages: UInt64 = 150
    /// Unregisters, at least: on a slow machine there are more messages for it.
    private static let departures = 30

    /// Takes everything, each after up to twenty milliseconds, and remembers when it began.
    private final class SlowCarrier: Carrier {
        struct Send {
            var device: DeviceID
            var seq: UInt64
            var shard: Int
            var begun: ContinuousClock.Instant
        }

        let name = CarrierName.apns
        let capacity = 100
        let shard: Int
        let sends: SendLog

        init(shard: Int, _ sends: SendLog) {
            self.shard = shard
            self.sends = sends
        }

        func run() async throws {}

        func send(_ push: OutgoingPush, ended: @escaping @Sendable (SendOutcome) -> Void) {
            let begun = ContinuousClock.now
            let send = Send(device: push.delivery.device, seq: push.delivery.seq, shard: shard, begun: begun)
            sends.all.withLock { $0.append(send) }
            Task {
                try? await Task.sleep(for: .milliseconds(.random(in: 0...20)))
                ended(.delivered)
            }
        }
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
        let departures = Atomic(0)
    }

    private final class SendLog: Sendable {
        let all = Mutex<[SlowCarrier.Send]>([])
    }

    /// A time in which a device was not registered, as its app knows.
    private struct Silence {
        var device: DeviceID
        var from: ContinuousClock.Instant
        var to: ContinuousClock.Instant
    }

    private let location: PostgresStore.Location

    init() throws { location = try TestStores.location(UUID().uuidString) }

    private func registration(_ number: Int) -> Registration {
        Registration(
            token: Samples.token(number), platform: .ios, watchedAddresses: [Samples.alice])
    }

    private func accept(_ number: UInt64, in store: Store) async throws {
        let now = MachineClock.system.wall()
        let block = Samples.hash(.max)
        let acceptance = OperationRecord.Acceptance(blockHash: block, daaScore: 5, blueScore: 1)
        let operation = OperationRecord(
            transactionID: Samples.hash(number), kind: .contextualMessage, sender: Samples.alice, receiver: nil,
            amount: 0, blockHash: block, blockTime: now, acceptance: acceptance,
            payload: Samples.message("message \(number)"))
        let cursor = ChainCursor(blockHash: block, daaScore: 5, blueScore: 1, timestamp: now)
        _ = try await store.history.apply(
            ChainStep(
                removed: [], accepted: [AcceptedOperation(operation: operation, notifies: true)], cursor: cursor),
            now: now, withdrawsUnsent: false)
    }

    @Test("After an unregister is answered nothing is begun by any shard; numbers have no gap; the books balance")
    func barrier() async throws {
        let random = SeededRandom()
        let store = try PostgresStore.open(location, network: .mainnet, shards: Self.shards)
        let others = try (1..<Self.shards).map {
            try PostgresStore.openShard($0, of: Self.shards, location, network: .mainnet)
        }
        let sends = SendLog()
        let clock = ServiceClock(given: MachineClock.system.wall)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let configuration = PushConfiguration(network: .mainnet)
        let dispatchers = ([store] + others.map(\.store)).enumerated().map { shard, store in
            Dispatcher(
                store: store, carriers: [SlowCarrier(shard: shard, sends)], configuration: configuration, clock: clock,
                shard: shard, logger: logger)
        }
        let intakes = zip(others, dispatchers.dropFirst()).map { shard, dispatcher in
            ShardIntake(store: shard.store, source: shard, dispatcher: dispatcher, logger: logger)
        }
        let registry = DeviceRegistry(store: store, inFlight: dispatchers[0].inFlight, clock: clock)
        for number in 0..<Self.devices { try await registry.register(registration(number)) }
        let isOver = Flag()
        let (silences, waits) = try await withThrowingTaskGroup(of: Void.self) { parts in
            for dispatcher in dispatchers { parts.addTask { try await dispatcher.run() } }
            for intake in intakes { parts.addTask { try await intake.run() } }
            defer { parts.cancelAll() }
            let found = try await withThrowingTaskGroup(of: ([Silence], [Duration]).self) { apps in
                // Each app has devices of its own, of all shards.
                for app in 0..<4 {
                    apps.addTask {
                        var own = SeededRandom(seed: random.seed &+ UInt64(app))
                        return try await come(and: registry, app: app, until: isOver, &own)
                    }
                }
                var number: UInt64 = 0
                while number < Self.messages || isOver.departures.load(ordering: .acquiring) < Self.departures {
                    try await accept(number, in: store)
                    dispatchers[0].wake()
                    number += 1
                    try await Task.sleep(for: .milliseconds(10))
                }
                isOver.value.store(true, ordering: .releasing)
                return try await apps.reduce(into: ([Silence](), [Duration]())) {
                    $0.0 += $1.0
                    $0.1 += $1.1
                }
            }
            for shard in [store] + others.map(\.store) {
                while try await shard.totals().events + shard.totals().deliveries > 0 {
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            return found
        }
        let all = sends.all.withLock { $0 }
        for silence in silences {
            let late = all.filter { $0.device == silence.device && $0.begun > silence.from && $0.begun < silence.to }
            #expect(late.isEmpty, "TEST_SEED=\(random.seed): sent to a device that had left")
        }
        #expect(all.allSatisfy { store.shards.shard(of: $0.device) == $0.shard })
        // A life begins with 1 and has no gap, whichever devices they are.
        for sends in Dictionary(grouping: all, by: \.device).values {
            let seqs = sends.map(\.seq)
            #expect(zip(seqs, seqs.dropFirst()).allSatisfy { $1 == $0 + 1 || $1 == 1 }, "TEST_SEED=\(random.seed)")
        }
        for shard in [store] + others.map(\.store) { #expect(try shard.checkBooks().isSound) }
        #expect(silences.count >= Self.departures && all.count > 500, "TEST_SEED=\(random.seed)")
        let sorted = waits.sorted()
        print(
            "unregister across shards: \(sorted.count), p50 \(sorted[sorted.count / 2]), most \(sorted.last ?? .zero)")
    }

    /// Registers and unregisters some devices in turn; returns when each was away, and how long the answers took.
    private func come(
        and registry: DeviceRegistry, app: Int, until isOver: Flag, _ random: inout SeededRandom
    ) async throws -> ([Silence], [Duration]) {
        var silences: [Silence] = []
        var waits: [Duration] = []
        while !isOver.value.load(ordering: .acquiring) {
            let number = 4 * Int.random(in: 0..<Self.devices / 4, using: &random) + app
            let asked = ContinuousClock.now
            #expect(try await registry.unregister(token: Samples.token(number)))
            let answered = ContinuousClock.now
            waits.append(answered - asked)
            isOver.departures.add(1, ordering: .acquiringAndReleasing)
            try await Task.sleep(for: .milliseconds(.random(in: 0...15, using: &random)))
            silences.append(Silence(device: DeviceID(token: Samples.token(number)), from: answered, to: .now))
            try await registry.register(registration(number))
            try await Task.sleep(for: .milliseconds(.random(in: 0...30, using: &random)))
        }
        return (silences, waits)
    }
}
