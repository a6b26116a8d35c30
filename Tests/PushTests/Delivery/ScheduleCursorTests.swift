import Kaspa
import SampleOperations
import TestRandom
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
        _ cursor: inout ScheduleCursor, _ lane: ScheduleKey.Lane, in bench: PushBench, now: UInt64, limit: Int,
        except taken: Set<ScheduleKey> = []
    ) async throws -> [ScheduleKey] {
        try await read(&cursor, in: bench, now: now)
        return cursor.take(
            DueRequest(steps: [.init(lane)], limit: limit, laneLimits: [lane: limit]), now: now
        ) { !taken.contains($0) }
    }

    /// Has the cursor read what it must; on an error nothing may be taken.
    private func read(_ cursor: inout ScheduleCursor, in bench: PushBench, now: UInt64) async throws {
        guard cursor.mustRead([.apns], now: now) else { return }
        let look = await bench.store.outbox.read(ahead: cursor, of: [.apns], now: now)
        cursor = look.cursor
        if let failure = look.failure { throw failure }
    }

    private func nextDue(_ cursor: inout ScheduleCursor, in bench: PushBench, now: UInt64) async throws -> UInt64? {
        try await read(&cursor, in: bench, now: now)
        return cursor.nextDue([.apns: ScheduleKey.Lane.allCases], now: now)
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
            let keys = try await take(&cursor, .ordinary, in: bench, now: bench.clock.now, limit: 1)
            partitions.append(try #require(keys.first).device.partition)
            _ = try await take(&cursor, .bulk, in: bench, now: bench.clock.now, limit: 1)
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
                let keys = try await take(&cursor, lane, in: bench, now: bench.clock.now, limit: limit)
                guard !keys.isEmpty else { break }
                #expect(keys.count <= limit)
                for key in keys { #expect(seen.insert(key).inserted) }
            }
        }
        #expect(seen.count == 200)
        #expect(try await nextDue(&cursor, in: bench, now: bench.clock.now) == nil)
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
            let keys = try await take(&cursor, .ordinary, in: bench, now: bench.clock.now, limit: 50)
            guard !keys.isEmpty else { break }
            all += keys
        }
        let given = all[70]
        cursor.added(given)
        #expect(try await nextDue(&cursor, in: bench, now: bench.clock.now) == given.due)
        #expect(try await take(&cursor, .ordinary, in: bench, now: bench.clock.now, limit: 1000).contains(given))
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

    @Test("What is added is taken without a read, when it is due; the schedule is asked again after a second")
    func readsSeldom() async throws {
        let reads = Tally()
        let bench = try await PushBench(
            conditions: StoreConditions(freeBytes: { _ in .max }) { (step) throws(StoreError) in
                if step == .read { reads.add() }
            })
        var cursor = ScheduleCursor()
        func taken(_ now: UInt64) async throws -> (keys: [ScheduleKey], reads: Int) {
            let before = reads.count
            let keys = try await take(&cursor, .ordinary, in: bench, now: now, limit: 9)
            return (keys, reads.count - before)
        }
        let now = bench.clock.now
        let places = Int(DeviceID.partitionCount) * ScheduleKey.Lane.allCases.count
        // The first entries, and what a clock since set back left far ahead.
        #expect(try await taken(now) == ([], 2 * places))
        #expect(try await taken(now + 1) == ([], 0))
        let key = ScheduleKey(lane: .ordinary, due: now + 10, device: Samples.device(1).id, seq: 1)
        cursor.added(key)
        cursor.added(ScheduleKey(lane: .bulk, due: now, device: Samples.device(2).id, seq: 1))
        #expect(try await taken(now + 9) == ([], 0))
        #expect(try await taken(now + 10) == ([key], 0))
        #expect(try await taken(now + 999) == ([], 0))
        #expect(try await taken(now + 1_000) == ([], places))
        #expect(try await taken(now + 1_001) == ([], 0))
        #expect(try await taken(now + 1_000) == ([], places))
    }

    @Test("An entry that nobody announced is found within a second")
    func findsUnannounced() async throws {
        var cursor = ScheduleCursor()
        for lane in ScheduleKey.Lane.allCases {
            while true {
                let keys = try await take(&cursor, lane, in: bench, now: bench.clock.now, limit: 1000)
                guard !keys.isEmpty else { break }
                try await bench.store.write { transaction in
                    for key in keys { transaction.delete(.schedule, key.bytes) }
                }
            }
        }
        try await bench.register(300..<301, watching: Samples.bob)
        try await bench.accept(2..<3, from: Samples.bob)
        let event = try #require(try await bench.store.outbox.events(after: 1, limit: 1).first)
        let step = try await bench.store.outbox.fanOut(
            event: event.number, lists: [.address(Samples.bob)], limit: 9, ordinaryWatchers: 9,
            now: bench.clock.now + 1, expiresAt: .max
        ) { _, _ in .notify }
        let later = bench.clock.now + ScheduleCursor.lookInterval
        #expect(try await nextDue(&cursor, in: bench, now: later - 1) == nil)
        #expect(try await nextDue(&cursor, in: bench, now: later) == bench.clock.now + 1)
        #expect(try await take(&cursor, .ordinary, in: bench, now: later, limit: 9) == step.scheduled)
    }

    /// Entries of one lane and partition.
    private func entries(_ count: Int) -> [ScheduleKey] {
        (0..<count).map {
            ScheduleKey(lane: .bulk, due: bench.clock.now, device: Samples.device(500).id, seq: UInt64($0 + 1))
        }
    }

    @Test("More than one read brings is read in parts", arguments: [255, 256, 257, 512, 513])
    func readsInParts(count: Int) async throws {
        let bench = try await PushBench()
        let entries = entries(count)
        try await bench.store.write { transaction in
            for key in entries { transaction.put(.schedule, key.bytes, []) }
        }
        var cursor = ScheduleCursor()
        var all: [ScheduleKey] = []
        for _ in 0..<count {
            all += try await take(&cursor, .bulk, in: bench, now: bench.clock.now, limit: 100)
        }
        #expect(all == entries)
    }

    @Test("Of what is added, twice as much as one read brings is kept", arguments: [511, 512, 513])
    func bound(count: Int) async throws {
        let bench = try await PushBench()
        var cursor = ScheduleCursor()
        let now = bench.clock.now
        #expect(try await take(&cursor, .bulk, in: bench, now: now, limit: 1) == [])
        let entries = entries(count)
        for key in entries.reversed() { cursor.added(key) }
        for key in entries { cursor.added(key) }
        var kept = 0
        while !cursor.mustRead([.apns], now: now) {
            let keys = cursor.take(
                DueRequest(steps: [.init(.bulk)], limit: 1, laneLimits: [.bulk: 1]), now: now
            ) { _ in true }
            guard let key = keys.first else { break }
            #expect(key == entries[kept])
            kept += 1
        }
        #expect(kept == (count > 512 ? 256 : count))
    }

    @Test("Whatever is added, removed, given back, told and not told: what is there is taken")
    func lives() async throws {
        var seeds = SeededRandom()
        for _ in 0..<3 { try await live(SeededRandom(seed: seeds.next())) }
    }

    private func live(_ random: SeededRandom) async throws {
        var random = random
        let seed = random.seed
        let bench = try await PushBench()
        var cursor = ScheduleCursor()
        var now = bench.clock.now
        // What waits, whether it was told or not; what was taken and not settled.
        var (waiting, taken): (Set<ScheduleKey>, Set<ScheduleKey>) = ([], [])
        var seq: UInt64 = 0
        // One that nobody announced is found only behind what has been taken.
        var latest = now
        for _ in 0..<250 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                let isTold = Bool.random(using: &random)
                let first = isTold ? now - 50 : max(latest + 1, now)
                let added = (0..<[1, 3, 300][Int.random(in: 0..<3, using: &random)]).map { _ in
                    seq += 1
                    return ScheduleKey(
                        lane: ScheduleKey.Lane.allCases[Int.random(in: 0..<3, using: &random)],
                        due: first + UInt64.random(in: 0..<200, using: &random),
                        device: Samples.device(Int.random(in: 0..<9, using: &random)).id, seq: seq)
                }
                latest = max(latest, added.map(\.due).max() ?? 0)
                try await bench.store.write { transaction in
                    for key in added { transaction.put(.schedule, key.bytes, []) }
                }
                if isTold { for key in added { cursor.added(key) } }
                waiting.formUnion(added)
            case 3:
                // A device is removed, and nobody says so.
                let gone = waiting.filter { _ in Int.random(in: 0..<20, using: &random) == 0 }
                try await bench.store.write { transaction in
                    for key in gone { transaction.delete(.schedule, key.bytes) }
                }
                waiting.subtract(gone)
            case 4:
                let given = taken.filter { _ in Bool.random(using: &random) }
                for key in given { cursor.added(key) }
                taken.subtract(given)
                waiting.formUnion(given)
            case 5:
                let settled = taken
                try await bench.store.write { transaction in
                    for key in settled { transaction.delete(.schedule, key.bytes) }
                }
                taken = []
            case 6: now += UInt64.random(in: 0..<1_500, using: &random)
            case 7: now -= UInt64.random(in: 0..<50, using: &random)
            default:
                let lane = ScheduleKey.Lane.allCases[Int.random(in: 0..<3, using: &random)]
                let limit = Int.random(in: 1..<200, using: &random)
                for key in try await take(&cursor, lane, in: bench, now: now, limit: limit, except: taken) {
                    // It may be gone: whoever takes it sees that.
                    if waiting.remove(key) != nil { #expect(taken.insert(key).inserted) }
                    #expect(key.due <= now, "seed \(seed)")
                }
            }
        }
        // Until all has been found.
        now += 2_000
        for _ in 0..<waiting.count where !waiting.isEmpty {
            for lane in ScheduleKey.Lane.allCases {
                taken.formUnion(try await take(&cursor, lane, in: bench, now: now, limit: 200, except: taken))
            }
            waiting.subtract(taken)
            now += 400
        }
        #expect(waiting.isEmpty, "seed \(seed)")
    }

    @Test("A read that fails leaves nothing out and takes nothing twice", arguments: [0, 1, 2, 5, 16, 31, 32, 95])
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
        let all = request.collect { lane, limit in
            asked.append(limit)
            return keys(lane, limit)
        }
        #expect(asked == [0, 2, 4, 3] && all.map(\.lane.rawValue) == [1, 1, 0, 0, 0, 0, 1, 1, 1])
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
