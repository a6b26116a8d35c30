import Foundation
import Kaspa
import StoreSupport
import Testing

@testable import Store

@Suite("After a crash", .rocksDBAlone("its log is damaged; PostgresStoreTests kills a server"), .timeLimit(.minutes(5)))
struct RecoveryTests {
    private typealias Change = @Sendable (StoreFixture) async throws -> Void

    /// Every kind of write, each one batch.
    private static let changes: [Change] = [
        {
            try await $0.register(
                Sample.device(1, watching: [Sample.address(1), Sample.address(2)]), onProbation: true)
        },
        { try await $0.accept(1) },
        { try await $0.fanOut(event: 1) },
        { _ = try await $0.store.history.recordPending([Sample.operation(2), Sample.operation(3)]) },
        {
            try await $0.register(
                Sample.device(2, watching: [Sample.address(1)], primary: Sample.address(3)), onProbation: true)
        },
        {
            _ = try await $0.store.history.apply(
                Sample.step(
                    removed: [1],
                    accepting: [1, 2, 3].map { Sample.operation($0, acceptedIn: 4) }, cursor: 4),
                now: 5_500, withdrawsUnsent: true)
        },
        { try await $0.fanOut(event: 2, limit: 1) },
        { try await $0.fanOut(event: 2) },
        {
            let place = try #require(try await $0.place(Sample.id(1)))
            _ = try await $0.store.outbox.settle(
                [Settlement(key: place, transactionID: Sample.transaction(1), next: .done, effect: .alive)], now: 7_000)
        },
        { try await $0.store.registry.removeDevice(Sample.id(2)) },
        { try await $0.store.outbox.pruneEnqueuedMarkers(before: .max, limit: 2, keepsUncorrected: false) },
    ]

    /// The store after each change, and how long the log was then.
    private struct History {
        let fixture: StoreFixture
        let copy: String
        var states: [(dump: StoreDump, logSize: Int)] = []

        init() async throws {
            fixture = try StoreFixture()
            let files = StoreFiles(path: fixture.path)
            states.append((try StoreDump(fixture.store), try files.logSize()))
            for change in RecoveryTests.changes {
                try await change(fixture)
                states.append((try StoreDump(fixture.store), try files.logSize()))
            }
            copy = try fixture.copyFiles(to: "crashed")
        }

        func recovered(_ name: String, _ harm: (StoreFiles) throws -> Void) async throws -> StoreDump {
            let files = StoreFiles(path: fixture.directory.file(name))
            try FileManager.default.copyItem(atPath: copy, toPath: files.path)
            try harm(files)
            return try StoreDump(try Store(path: files.path, network: .mainnet))
        }
    }

    @Test("A log cut at any byte gives exactly the batches that are whole, cursor, acceptance and event together")
    func cutLog() async throws {
        let history = try await History()
        var random = SeededRandom(seed: SeededRandom.runSeed)
        let last = try #require(history.states.last).logSize
        var sizes = Set(history.states.flatMap { [$0.logSize - 1, $0.logSize, $0.logSize + 1] })
        for _ in 0..<8 { sizes.insert(random.below(last)) }
        let first = history.states[0].logSize
        for size in sizes.sorted() where (first...last).contains(size) {
            let expected = try #require(history.states.last { $0.logSize <= size })
            let dump = try await history.recovered("cut-\(size)") { try $0.truncateLog(to: size) }
            #expect(
                dump == expected.dump,
                "size \(size), seed \(SeededRandom.runSeed): \(dump.differingFamilies(expected.dump))")
        }
    }

    @Test("A log damaged inside what no fsync covered opens with everything before the damage")
    func damagedLog() async throws {
        let history = try await History()
        for index in 1..<history.states.count {
            let offset = (history.states[index - 1].logSize + history.states[index].logSize) / 2
            let dump = try await history.recovered("damaged-\(index)") { try $0.damageLog(at: offset) }
            #expect(dump == history.states[index - 1].dump, "change \(index)")
        }
    }

    @Test("What was synced survives the loss of everything that was written after it")
    func synced() async throws {
        let fixture = try StoreFixture()
        let files = StoreFiles(path: fixture.path)
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)]))
        try await fixture.store.sync()
        let kept = (dump: try StoreDump(fixture.store), size: try files.logSize())
        for number in 1...20 { try await fixture.accept(number) }
        let copy = StoreFiles(path: try fixture.copyFiles(to: "crashed"))
        try copy.truncateLog(to: kept.size)
        #expect(try StoreDump(try Store(path: copy.path, network: .mainnet)) == kept.dump)
    }

    @Test("A recovered store goes on where it was: the same step again changes nothing, the next one is applied")
    func continued() async throws {
        let fixture = try StoreFixture()
        try await fixture.accept(1)
        let copy = try Store(path: try fixture.copyFiles(to: "crashed"), network: .mainnet)
        let step = Sample.step(accepting: [Sample.operation(1, acceptedIn: 1)], cursor: 1)
        #expect(try await copy.history.apply(step, now: 9_000, withdrawsUnsent: false) == ChainStepResult())
        #expect(try StoreDump(copy) == StoreDump(fixture.store))
        let next = Sample.step(accepting: [Sample.operation(2, acceptedIn: 2)], cursor: 2)
        #expect(try await copy.history.apply(next, now: 9_000, withdrawsUnsent: false).accepted == 1)
        #expect(try await copy.outbox.events(after: 0, limit: 10).map(\.number) == [1, 2])
    }

    @Test("A batch whose body throws leaves nothing behind")
    func throwingBody() async throws {
        let fixture = try StoreFixture()
        let before = try StoreDump(fixture.store)
        await #expect(throws: StoreError(.engine, "stop")) {
            try await fixture.store.write { (transaction) throws(StoreError) in
                transaction.put(.meta, [1], [2])
                try transaction.adjust(.devices, by: 5)
                throw StoreError(.engine, "stop")
            }
        }
        #expect(try StoreDump(fixture.store) == before)
    }

    @Test(
        "A damaged counter or event number is corrupt, not a trap",
        arguments: [
            (Counter.events.key, [UInt8](repeating: 0xff, count: 8)), (Counter.events.key, [1]),
            (MetaKey.lastEvent, [UInt8](repeating: 0xff, count: 8)), (MetaKey.lastEvent, []),
        ])
    func damagedCounters(_ key: [UInt8], _ value: [UInt8]) async throws {
        let fixture = try StoreFixture()
        try await fixture.store.write { (transaction) throws(StoreError) in transaction.put(.meta, key, value) }
        let before = try StoreDump(fixture.store)
        do {
            try await fixture.accept(1)
            Issue.record("accepted over a damaged number")
        } catch let error as StoreError {
            #expect(error.code == .corrupt)
        }
        #expect(try StoreDump(fixture.store) == before)
    }
}
