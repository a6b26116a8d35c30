import Kaspa
import SampleOperations
import Testing

@testable import Push
@testable import Store
import StoreSupport

@Suite("ScheduleCursor", .timeLimit(.minutes(10)))
struct ScheduleCursorTests {
    private let bench: PushBench

    /// 200 devices with a delivery each: 144 ordinary ones in all partitions, and 56 in the bulk lane.
    init() async throws {
        bench = try await PushBench()
        try await ScheduleCursorTests.fill(bench)
    }

    /// Takes of one lane alone.
    private func take(
        _ cursor: inout ScheduleCursor, _ lane: ScheduleKey.Lane, in bench: PushBench, now: UInt64, limit: Int
    ) async throws -> [ScheduleKey] {
        let request = DueRequest(steps: [.init(lane)], limit: limit, laneLimits: [lane: limit])
        let taken = await bench.store.outbox.take(request, from: cursor, now: now)
        cursor = taken.cursor
        if let failure = taken.failure { throw failure }
        return taken.keys
    }

    private func nextDue(_ cursor: inout ScheduleCursor, in bench: PushBench, now: UInt64) async throws -> UInt64? {
        let look = try await bench.store.outbox.nextDue(cursor, now: now)
        cursor = look.cursor
        return look.due
    }

    private static func fill(_ bench: PushBench) async throws {
        try await bench.register(1..<201)
        try await bench.accept(1..<2)
        let event = try #require(try await bench.store.outbox.events(after: 0, limit: 1).first)
        _ = try await bench.store.outbox.fanOut(
            event: event.number, lists: [.address(Samples.alice)], limit: 1000, ordinaryWatchers: 144,
            now: bench.clock.now, expiresAt: .max
        ) { _, _ in .notify }
    }

    @Test("Taken one by one, both lanes in turn, every partition comes first in its time")
    func isFair() async throws {
        var cursor = ScheduleCursor()
        var partitions: [UInt8] = []
        for _ in 0..<Int(DeviceID.partitionCount) {
            let keys = try await take(&cursor, .ordinary, in: bench, now: .max, limit: 1)
            partitions.append(try #require(keys.first).device.partition)
            _ = try await take(&cursor, .bulk, in: bench, now: .max, limit: 1)
        }
        // The walk is in device order: the first 144 devices are those of the lower partitions.
        #expect(Set(partitions).count >= 11)
    }

    @Test("Each entry is taken once, whatever the limits", arguments: [1, 2, 3, 7, 64, 1000])
    func takesOnce(limit: Int) async throws {
        var cursor = ScheduleCursor()
        var seen: Set<ScheduleKey> = []
        for lane in ScheduleKey.Lane.allCases {
            while true {
                let keys = try await take(&cursor, lane, in: bench, now: .max, limit: limit)
                guard !keys.isEmpty else { break }
                #expect(keys.count <= limit)
                for key in keys { #expect(seen.insert(key).inserted) }
            }
        }
        #expect(seen.count == 200)
        #expect(try await nextDue(&cursor, in: bench, now: .max) == nil)
    }

    @Test("Nothing is taken before it is due, to the millisecond")
    func waitsForDue() async throws {
        var cursor = ScheduleCursor()
        let due = bench.clock.now
        #expect(try await take(&cursor, .ordinary, in: bench, now: due - 1, limit: 9).isEmpty)
        #expect(try await nextDue(&cursor, in: bench, now: due - 1) == due)
        #expect(try await take(&cursor, .ordinary, in: bench, now: due, limit: 9).count == 9)
        #expect(try await take(&cursor, .ordinary, in: bench, now: due, limit: 0).isEmpty)
    }

    @Test("An entry that is given back is taken again")
    func goesBack() async throws {
        var cursor = ScheduleCursor()
        var all: [ScheduleKey] = []
        while true {
            let keys = try await take(&cursor, .ordinary, in: bench, now: .max, limit: 50)
            guard !keys.isEmpty else { break }
            all += keys
        }
        let given = all[70]
        cursor.added(given)
        #expect(try await nextDue(&cursor, in: bench, now: .max) == given.due)
        #expect(try await take(&cursor, .ordinary, in: bench, now: .max, limit: 1000).contains(given))
    }

    @Test("What is due beyond the longest delay is of a clock since set back, and due now", arguments: [-1, 0, 1])
    func clockSetBack(_ beyond: Int) async throws {
        var cursor = ScheduleCursor()
        let now = UInt64(Int(bench.clock.now) - Int(ScheduleCursor.longestDelay) - beyond)
        let keys = try await take(&cursor, .ordinary, in: bench, now: now, limit: 1000)
        #expect(keys.isEmpty == (beyond <= 0))
        #expect(try await nextDue(&cursor, in: bench, now: now) == (beyond > 0 ? now : bench.clock.now))
    }

    @Test(
        "A clock that was set back has each entry taken once, and again when it is given back",
        arguments: [1, 7, 64, 1000])
    func jumps(limit: Int) async throws {
        var cursor = ScheduleCursor()
        var seen: Set<ScheduleKey> = []
        let late = bench.clock.now
        let early = late - 7_200_000
        #expect(try await take(&cursor, .ordinary, in: bench, now: late - 1, limit: limit).isEmpty)
        while true {
            let keys = try await take(&cursor, .ordinary, in: bench, now: early, limit: limit)
            guard !keys.isEmpty else { break }
            #expect(keys.count <= limit)
            for key in keys { #expect(seen.insert(key).inserted) }
        }
        #expect(seen.count == 144)
        let given = try #require(seen.first)
        cursor.added(given)
        #expect(try await nextDue(&cursor, in: bench, now: early) == early)
        #expect(try await take(&cursor, .ordinary, in: bench, now: early, limit: 1) == [given])
    }

    @Test("While nothing is due nothing is read, until something is added or falls due")
    func staysQuiet() async throws {
        let reads = Tally()
        let bench = try await PushBench(
            conditions: StoreConditions(freeBytes: { _ in .max }) { (step) throws(StoreError) in
                if step == .read { reads.add() }
            })
        var cursor = ScheduleCursor()
        func readsOfTake(_ now: UInt64) async throws -> Int {
            let before = reads.count
            #expect(try await take(&cursor, .ordinary, in: bench, now: now, limit: 9).isEmpty)
            return reads.count - before
        }
        let now = bench.clock.now
        let partitions = Int(DeviceID.partitionCount)
        // The due, and what a clock since set back left far ahead.
        #expect(try await readsOfTake(now) == 2 * partitions)
        #expect(try await readsOfTake(now + 1) == 0)
        cursor.added(ScheduleKey(lane: .ordinary, due: now + 10, device: Samples.device(1).id, seq: 1))
        cursor.added(ScheduleKey(lane: .bulk, due: now, device: Samples.device(2).id, seq: 1))
        #expect(try await readsOfTake(now + 9) == 0)
        #expect(try await readsOfTake(now + 10) == 1)
        #expect(try await readsOfTake(now + 11) == 0)
        #expect(try await readsOfTake(now + 10) == 2 * partitions)
    }

    @Test("An entry that nobody announced is found by the look for what is due next")
    func findsUnannounced() async throws {
        var cursor = ScheduleCursor()
        for lane in ScheduleKey.Lane.allCases {
            while try await !take(&cursor, lane, in: bench, now: bench.clock.now, limit: 1000).isEmpty {}
        }
        try await bench.register(300..<301, watching: Samples.bob)
        try await bench.accept(2..<3, from: Samples.bob)
        let event = try #require(try await bench.store.outbox.events(after: 1, limit: 1).first)
        let step = try await bench.store.outbox.fanOut(
            event: event.number, lists: [.address(Samples.bob)], limit: 9, ordinaryWatchers: 9,
            now: bench.clock.now + 1, expiresAt: .max
        ) { _, _ in .notify }
        let later = bench.clock.now + 1
        #expect(try await take(&cursor, .ordinary, in: bench, now: later, limit: 9).isEmpty)
        #expect(try await nextDue(&cursor, in: bench, now: later) == later)
        #expect(try await take(&cursor, .ordinary, in: bench, now: later, limit: 9) == step.scheduled)
    }

    @Test("A read that fails leaves nothing out and takes nothing twice", arguments: [0, 1, 2, 5, 16, 31, 32, 40])
    func survivesFailedRead(after good: Int) async throws {
        let left = Tally()
        left.set(-1)
        let bench = try await PushBench(
            conditions: StoreConditions(freeBytes: { _ in .max }) { (step) throws(StoreError) in
                guard step == .read, left.count >= 0, left.add(-1) == -1 else { return }
                throw StoreError(.inputOutput, "simulated")
            })
        try await ScheduleCursorTests.fill(bench)
        var cursor = ScheduleCursor()
        var seen: Set<ScheduleKey> = []
        var failures = 0
        left.set(good)
        while true {
            do {
                let keys = try await take(&cursor, .ordinary, in: bench, now: bench.clock.now, limit: 20)
                guard !keys.isEmpty else { break }
                for key in keys { #expect(seen.insert(key).inserted) }
            } catch {
                failures += 1
            }
        }
        #expect(failures == 1)
        #expect(seen.count == 144)
    }

    @Test("Lanes are looked at in their order, each within its own limit, that of its step and that of all")
    func request() {
        func keys(_ lane: ScheduleKey.Lane, _ count: Int) -> [ScheduleKey] {
            (0..<count).map { ScheduleKey(lane: lane, due: 0, device: Samples.device($0).id, seq: 1) }
        }
        let request = DueRequest(
            steps: [.init(.probation, limit: 1), .init(.bulk, limit: 2), .init(.ordinary), .init(.bulk)],
            limit: 9, laneLimits: [.ordinary: 4, .bulk: 5])
        var asked: [Int] = []
        let all = request.collect { (lane, limit) throws(StoreError) in
            asked.append(limit)
            return keys(lane, limit)
        }
        #expect(asked == [0, 2, 4, 3] && all.keys.map(\.lane.rawValue) == [1, 1, 0, 0, 0, 0, 1, 1, 1])
        let some = request.collect { (lane, limit) throws(StoreError) in
            if lane == .ordinary { throw StoreError(.corrupt, "damaged") }
            return keys(lane, limit)
        }
        #expect(some.keys.map(\.lane) == [.bulk, .bulk] && some.failure?.code == .corrupt)
    }

    @Test("What stands at several places is read together, and one that is damaged costs no other")
    func dueDeliveries() async throws {
        var cursor = ScheduleCursor()
        let keys = try await take(&cursor, .ordinary, in: bench, now: bench.clock.now, limit: 3)
        try await bench.store.write { transaction in
            transaction.put(.deliveries, Delivery.key(keys[1].device, keys[1].seq), [0xff])
        }
        try await bench.store.registry.removeDevice(keys[2].device)
        let rows = try await bench.store.outbox.dueDeliveries(keys)
        #expect(rows.count == 3)
        #expect(try rows[0].get()?.delivery.device == keys[0].device)
        #expect(throws: StoreError.self) { try rows[1].get() }
        #expect(try rows[2].get() == nil)
    }
}
