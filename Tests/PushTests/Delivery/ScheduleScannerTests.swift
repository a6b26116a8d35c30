import Kaspa
import Store
import Testing

@testable import Push

@Suite("ScheduleScanner", .timeLimit(.minutes(10)))
struct ScheduleScannerTests {
    private let bench: PushBench

    /// 200 devices with a delivery each: 144 ordinary ones in all partitions, and 56 in the bulk lane.
    init() async throws {
        bench = try PushBench()
        try await ScheduleScannerTests.fill(bench)
    }

    private static func fill(_ bench: PushBench) async throws {
        try await bench.register(1..<201)
        try await bench.accept(1..<2)
        let event = try #require(try bench.store.events(after: 0, limit: 1).first)
        _ = try await bench.store.fanOut(
            event: event.number, lists: [.address(Samples.alice)], limit: 1000, ordinaryWatchers: 144,
            now: bench.clock.now, expiresAt: .max
        ) { _, _ in .notify }
    }

    @Test("Taken one by one, both lanes in turn, every partition comes first in its time")
    func isFair() throws {
        var scanner = ScheduleScanner()
        var partitions: [UInt8] = []
        for _ in 0..<Int(DeviceID.partitionCount) {
            let keys = try scanner.take(.ordinary, from: bench.store, now: .max, limit: 1)
            partitions.append(try #require(keys.first).device.partition)
            _ = try scanner.take(.bulk, from: bench.store, now: .max, limit: 1)
        }
        // The walk is in device order: the first 144 devices are those of the lower partitions.
        #expect(Set(partitions).count >= 11)
    }

    @Test("Each entry is taken once, whatever the limits", arguments: [1, 2, 3, 7, 64, 1000])
    func takesOnce(limit: Int) throws {
        var scanner = ScheduleScanner()
        var seen: Set<ScheduleKey> = []
        for lane in ScheduleKey.Lane.allCases {
            while true {
                let keys = try scanner.take(lane, from: bench.store, now: .max, limit: limit)
                guard !keys.isEmpty else { break }
                #expect(keys.count <= limit)
                for key in keys { #expect(seen.insert(key).inserted) }
            }
        }
        #expect(seen.count == 200)
        #expect(try scanner.nextDue(in: bench.store, now: .max) == nil)
    }

    @Test("Nothing is taken before it is due, to the millisecond")
    func waitsForDue() throws {
        var scanner = ScheduleScanner()
        let due = bench.clock.now
        #expect(try scanner.take(.ordinary, from: bench.store, now: due - 1, limit: 9).isEmpty)
        #expect(try scanner.nextDue(in: bench.store, now: due - 1) == due)
        #expect(try scanner.take(.ordinary, from: bench.store, now: due, limit: 9).count == 9)
        #expect(try scanner.take(.ordinary, from: bench.store, now: due, limit: 0).isEmpty)
    }

    @Test("An entry that is given back is taken again")
    func goesBack() throws {
        var scanner = ScheduleScanner()
        var all: [ScheduleKey] = []
        while true {
            let keys = try scanner.take(.ordinary, from: bench.store, now: .max, limit: 50)
            guard !keys.isEmpty else { break }
            all += keys
        }
        let given = all[70]
        scanner.added(given)
        #expect(try scanner.nextDue(in: bench.store, now: .max) == given.due)
        #expect(try scanner.take(.ordinary, from: bench.store, now: .max, limit: 1000).contains(given))
    }

    @Test("What is due beyond the longest delay is of a clock since set back, and due now", arguments: [-1, 0, 1])
    func clockSetBack(_ beyond: Int) throws {
        var scanner = ScheduleScanner()
        let now = UInt64(Int(bench.clock.now) - Int(ScheduleScanner.longestDelay) - beyond)
        let keys = try scanner.take(.ordinary, from: bench.store, now: now, limit: 1000)
        #expect(keys.isEmpty == (beyond <= 0))
        #expect(try scanner.nextDue(in: bench.store, now: now) == (beyond > 0 ? now : bench.clock.now))
    }

    @Test(
        "A clock that was set back has each entry taken once, and again when it is given back",
        arguments: [1, 7, 64, 1000])
    func jumps(limit: Int) throws {
        var scanner = ScheduleScanner()
        var seen: Set<ScheduleKey> = []
        let late = bench.clock.now
        let early = late - 7_200_000
        #expect(try scanner.take(.ordinary, from: bench.store, now: late - 1, limit: limit).isEmpty)
        while true {
            let keys = try scanner.take(.ordinary, from: bench.store, now: early, limit: limit)
            guard !keys.isEmpty else { break }
            #expect(keys.count <= limit)
            for key in keys { #expect(seen.insert(key).inserted) }
        }
        #expect(seen.count == 144)
        let given = try #require(seen.first)
        scanner.added(given)
        #expect(try scanner.nextDue(in: bench.store, now: early) == early)
        #expect(try scanner.take(.ordinary, from: bench.store, now: early, limit: 1) == [given])
    }

    @Test("While nothing is due nothing is read, until something is added or falls due")
    func staysQuiet() throws {
        let reads = Tally()
        let bench = try PushBench(
            conditions: StoreConditions(freeBytes: { _ in .max }) { (step) throws(StoreError) in
                if step == .read { reads.add() }
            })
        var scanner = ScheduleScanner()
        func readsOfTake(_ now: UInt64) throws -> Int {
            let before = reads.count
            #expect(try scanner.take(.ordinary, from: bench.store, now: now, limit: 9).isEmpty)
            return reads.count - before
        }
        let now = bench.clock.now
        let partitions = Int(DeviceID.partitionCount)
        // The due, and what a clock since set back left far ahead.
        #expect(try readsOfTake(now) == 2 * partitions)
        #expect(try readsOfTake(now + 1) == 0)
        scanner.added(ScheduleKey(lane: .ordinary, due: now + 10, device: Samples.device(1).id, seq: 1))
        scanner.added(ScheduleKey(lane: .bulk, due: now, device: Samples.device(2).id, seq: 1))
        #expect(try readsOfTake(now + 9) == 0)
        #expect(try readsOfTake(now + 10) == 1)
        #expect(try readsOfTake(now + 11) == 0)
        #expect(try readsOfTake(now + 10) == 2 * partitions)
    }

    @Test("An entry that nobody announced is found by the look for what is due next")
    func findsUnannounced() async throws {
        var scanner = ScheduleScanner()
        for lane in ScheduleKey.Lane.allCases {
            while try !scanner.take(lane, from: bench.store, now: bench.clock.now, limit: 1000).isEmpty {}
        }
        try await bench.register(300..<301, watching: Samples.bob)
        try await bench.accept(2..<3, from: Samples.bob)
        let event = try #require(try bench.store.events(after: 1, limit: 1).first)
        let step = try await bench.store.fanOut(
            event: event.number, lists: [.address(Samples.bob)], limit: 9, ordinaryWatchers: 9,
            now: bench.clock.now + 1, expiresAt: .max
        ) { _, _ in .notify }
        let later = bench.clock.now + 1
        #expect(try scanner.take(.ordinary, from: bench.store, now: later, limit: 9).isEmpty)
        #expect(try scanner.nextDue(in: bench.store, now: later) == later)
        #expect(try scanner.take(.ordinary, from: bench.store, now: later, limit: 9) == step.scheduled)
    }

    @Test("A read that fails leaves nothing out and takes nothing twice", arguments: [0, 1, 2, 5, 16, 31, 32, 40])
    func survivesFailedRead(after good: Int) async throws {
        let left = Tally()
        left.set(-1)
        let bench = try PushBench(
            conditions: StoreConditions(freeBytes: { _ in .max }) { (step) throws(StoreError) in
                guard step == .read, left.count >= 0, left.add(-1) == -1 else { return }
                throw StoreError(.inputOutput, "simulated")
            })
        try await ScheduleScannerTests.fill(bench)
        var scanner = ScheduleScanner()
        var seen: Set<ScheduleKey> = []
        var failures = 0
        left.set(good)
        while true {
            do {
                let keys = try scanner.take(.ordinary, from: bench.store, now: bench.clock.now, limit: 20)
                guard !keys.isEmpty else { break }
                for key in keys { #expect(seen.insert(key).inserted) }
            } catch {
                failures += 1
            }
        }
        #expect(failures == 1)
        #expect(seen.count == 144)
    }
}
