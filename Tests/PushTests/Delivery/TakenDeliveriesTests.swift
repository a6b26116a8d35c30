import Kaspa
import SampleOperations
import Store
import Testing

@testable import Push

@Suite("TakenDeliveries")
struct TakenDeliveriesTests {
    private let damage = StoreError(.corrupt, "damaged")

    private func key(_ device: Int, _ seq: UInt64 = 1, lane: ScheduleKey.Lane = .ordinary) -> ScheduleKey {
        ScheduleKey(lane: lane, due: 1, device: DeviceID(token: Samples.token(device)), seq: seq)
    }

    private func attempt(_ key: ScheduleKey) -> FinishedAttempt {
        FinishedAttempt(key, Samples.delivery(.contextualMessage), Disposition(unsent: .expired))
    }

    /// The expectation macro cannot call what mutates.
    private func expect(_ result: Bool, _ isSo: Bool = true, _ comment: Comment? = nil) {
        #expect(result == isSo, comment)
    }

    private func sending(_ keys: ScheduleKey..., isElsewhere: Bool = false) -> TakenDeliveries {
        var deliveries = TakenDeliveries(capacity: 8)
        for key in keys {
            expect(deliveries.take(key))
            expect(deliveries.begin(key, isElsewhere: isElsewhere))
        }
        return deliveries
    }

    @Test("A delivery goes from the schedule to the sender, is answered, written and gone")
    func life() {
        var deliveries = TakenDeliveries(capacity: 8)
        let key = key(1)
        #expect(deliveries.isEmpty && deliveries.phase(of: key) == nil)
        expect(deliveries.take(key))
        #expect(deliveries.phase(of: key) == .taken && deliveries.room(of: 8) == 8)
        expect(deliveries.begin(key, isElsewhere: false))
        #expect(deliveries.phase(of: key) == .sending(isElsewhere: false) && deliveries.room(of: 8) == 7)
        deliveries.answer(attempt(key))
        #expect(deliveries.phase(of: key) == .answered && deliveries.room(of: 8) == 7 && deliveries.hasAnswered)
        let batch = deliveries.beginWriting()
        #expect(batch.map(\.settlement.key) == [key] && !deliveries.hasAnswered)
        #expect(deliveries.phase(of: key) == .writing && deliveries.room(of: 8) == 7)
        let next = deliveries.settle(key)
        #expect(next == nil && deliveries.isEmpty && deliveries.room(of: 8) == 8)
    }

    @Test("What is here already is not taken again, in whichever phase")
    func takenOnce() {
        let key = key(1)
        var deliveries = TakenDeliveries(capacity: 8)
        expect(deliveries.take(key))
        expect(deliveries.take(key), false, "taken")
        expect(deliveries.begin(key, isElsewhere: false))
        expect(deliveries.take(key), false, "sending")
        deliveries.answer(attempt(key))
        expect(deliveries.take(key), false, "answered")
        let batch = deliveries.beginWriting()
        expect(deliveries.take(key), false, "writing")
        let parked = deliveries.park(batch[0], after: damage)
        #expect(parked.isParked && parked.next == nil && deliveries.phase(of: key) == .parked)
        expect(deliveries.take(key), false, "parked")
        let next = deliveries.settle(key)
        #expect(next == nil && deliveries.isEmpty)
        expect(deliveries.take(key))
    }

    @Test("What comes for a device meanwhile waits until its present one has left, and of several the last counts")
    func oneOfADevice() {
        var deliveries = sending(key(1, 1))
        for seq in [2, 3, 3] as [UInt64] { expect(deliveries.take(key(1, seq)), false) }
        expect(deliveries.take(key(2)))
        deliveries.answer(attempt(key(1, 1)))
        expect(deliveries.take(key(1, 4)), false)
        _ = deliveries.beginWriting()
        let next = deliveries.settle(key(1, 1))
        #expect(next == key(1, 4))
        expect(deliveries.take(key(1, 4)))
    }

    @Test("What the sender did not try is given back, with what came for its device")
    func leaves() {
        var deliveries = sending(key(1, 1), key(2))
        expect(deliveries.take(key(1, 2)), false)
        var back = deliveries.leave(key(1, 1), isDue: true)
        #expect(back == [key(1, 1), key(1, 2)])
        back = deliveries.leave(key(2), isDue: false)
        #expect(back.isEmpty && deliveries.isEmpty && deliveries.room(of: 8) == 8)
        #expect(deliveries.lanesWithRoom == ScheduleKey.Lane.allCases)
    }

    @Test("The other host takes a quarter of the capacity; the rest is held back, and released one for each answer")
    func elsewhere() {
        var deliveries = sending(key(1), key(2), isElsewhere: true)
        for device in 3...5 {
            expect(deliveries.take(key(device)))
            expect(deliveries.begin(key(device), isElsewhere: true), false)
            #expect(deliveries.phase(of: key(device)) == .heldBack)
        }
        #expect(deliveries.sendingCount == 2 && deliveries.elsewhereCount == 2 && deliveries.room(of: 8) == 6)
        var released = deliveries.releaseHeldBack()
        #expect(released.isEmpty)
        // Held back, it keeps nothing from a device that came back.
        expect(deliveries.take(key(3, 9)))
        expect(deliveries.begin(key(3, 9), isElsewhere: false))
        deliveries.answer(attempt(key(1)))
        released = deliveries.releaseHeldBack()
        #expect(released == [key(4)] && deliveries.phase(of: key(4)) == nil)
        deliveries.answer(attempt(key(2)))
        released = deliveries.releaseHeldBack()
        #expect(released == [key(5)])
    }

    @Test("There is room for one at the other host, however small the capacity", arguments: [1, 3, 4, 5, 8])
    func elsewhereLeast(capacity: Int) {
        var deliveries = TakenDeliveries(capacity: capacity)
        var count = 0
        for device in 1...capacity + 1 {
            expect(deliveries.take(key(device)))
            if deliveries.begin(key(device), isElsewhere: true) { count += 1 }
        }
        #expect(count == max(1, capacity / 4))
    }

    @Test("What the store did not take is written before what was answered meanwhile")
    func keepsOrder() {
        var deliveries = sending(key(1), key(2), key(3))
        deliveries.answer(attempt(key(2)))
        deliveries.answer(attempt(key(1)))
        let batch = deliveries.beginWriting()
        deliveries.answer(attempt(key(3)))
        #expect(deliveries.unwrittenCount == 3)
        deliveries.keep(batch)
        #expect(deliveries.phase(of: key(1)) == .answered && deliveries.unwrittenCount == 3)
        let again = deliveries.beginWriting()
        #expect(again.map(\.settlement.key) == [key(2), key(1), key(3)])
    }

    @Test("A parked one takes up no room, and keeps its device from nothing else")
    func parked() {
        var deliveries = sending(key(1, 1))
        deliveries.answer(attempt(key(1, 1)))
        expect(deliveries.take(key(1, 2)), false)
        let batch = deliveries.beginWriting()
        let parked = deliveries.park(batch[0], after: damage)
        #expect(parked.isParked && parked.next == key(1, 2))
        #expect(deliveries.room(of: 8) == 8 && deliveries.parked.failure == damage && !deliveries.isEmpty)
        expect(deliveries.take(key(1, 2)))
        let again = deliveries.park(batch[0], after: damage)
        #expect(again.isParked && again.next == nil && deliveries.phase(of: key(1, 2)) == .taken)
        let next = deliveries.settle(key(1, 1))
        #expect(next == nil && deliveries.parked.failure == nil)
    }
}

/// Lives of deliveries from a seed, told to the value alone, and what must hold after each step.
@Suite("TakenDeliveries: any order of events")
struct TakenDeliveriesModelTests {
    private static let capacity = 6

    private struct Life {
        var random: SeededRandom
        var deliveries = TakenDeliveries(capacity: TakenDeliveriesModelTests.capacity)
        /// What each delivery that is not settled should be in.
        var phases: [ScheduleKey: TakenDeliveries.Phase] = [:]
        /// What waits behind a device's present one.
        var next: [DeviceID: ScheduleKey] = [:]
        var writing: [FinishedAttempt] = []
        var seqs: [Int: UInt64] = [:]
        /// What was given back, and may be taken again.
        var schedule: [ScheduleKey] = []

        init(seed: UInt64) { random = SeededRandom(seed: seed) }

        func keys(in phase: (TakenDeliveries.Phase) -> Bool) -> [ScheduleKey] {
            phases.filter { phase($0.value) }.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        }

        func active(_ device: DeviceID) -> ScheduleKey? {
            phases.first { $0.key.device == device && $0.value != .parked }?.key
        }

        mutating func any<Value>(_ values: [Value]) -> Value? {
            values.isEmpty ? nil : values[Int(random.next() % UInt64(values.count))]
        }
    }

    private func attempt(_ key: ScheduleKey) -> FinishedAttempt {
        FinishedAttempt(key, Samples.delivery(.contextualMessage), Disposition(unsent: .expired))
    }

    @Test("keeps each delivery in one phase, counts what there is, forgets nothing, and drains", arguments: 0..<40)
    func lives(seed: Int) {
        var life = Life(seed: UInt64(seed))
        for _ in 0..<400 {
            step(&life, mayTake: true)
            check(life, seed)
        }
        for _ in 0..<4_000 where !life.deliveries.isEmpty {
            step(&life, mayTake: false)
            check(life, seed)
        }
        #expect(life.deliveries.isEmpty && life.phases.isEmpty && life.next.isEmpty, "seed \(seed)")
        #expect(life.deliveries.room(of: Self.capacity) == Self.capacity, "seed \(seed)")
        #expect(life.deliveries.lanesWithRoom == ScheduleKey.Lane.allCases, "seed \(seed)")
    }

    private func step(_ life: inout Life, mayTake: Bool) {
        switch life.random.next() % 8 {
        case 0, 1: if mayTake { take(&life) }
        case 2: begin(&life)
        case 3: answer(&life)
        case 4: leave(&life)
        case 5:
            let released = life.deliveries.releaseHeldBack()
            for key in released {
                if life.phases.removeValue(forKey: key) == nil { #expect(life.next[key.device] == key) }
                life.schedule.append(key)
            }
            for device in Set(released.map(\.device)) { life.next[device] = nil }
        case 6:
            guard life.writing.isEmpty else { break }
            life.writing = life.deliveries.beginWriting()
            for attempt in life.writing { life.phases[attempt.settlement.key] = .writing }
        default: write(&life)
        }
    }

    private func take(_ life: inout Life) {
        guard life.deliveries.room(of: Self.capacity) > 0 else { return }
        let device = Int(life.random.next() % 9)
        let lane = life.any(ScheduleKey.Lane.allCases) ?? .ordinary
        var key = ScheduleKey(
            lane: lane, due: 1, device: DeviceID(token: Samples.token(device)), seq: life.seqs[device, default: 1])
        if life.random.hit(3) {
            key.seq += 1
            life.seqs[device] = key.seq
        } else if let known = life.any(life.schedule + life.phases.keys.map { $0 }) {
            key = known
        }
        life.schedule.removeAll { $0 == key }
        let isTaken = life.deliveries.take(key)
        if life.phases[key] != nil { return #expect(!isTaken) }
        if let present = life.active(key.device) {
            guard life.phases[present] == .heldBack else {
                life.next[key.device] = key
                return #expect(!isTaken)
            }
            life.phases[present] = nil
            life.next[key.device] = nil
        }
        #expect(isTaken)
        life.phases[key] = .taken
    }

    private func begin(_ life: inout Life) {
        guard let key = life.any(life.keys { $0 == .taken }) else { return }
        let isElsewhere = life.random.hit(2)
        let elsewhere = life.keys { $0 == .sending(isElsewhere: true) }.count
        let hasBegun = life.deliveries.begin(key, isElsewhere: isElsewhere)
        #expect(hasBegun == (!isElsewhere || elsewhere < 1))
        life.phases[key] = hasBegun ? .sending(isElsewhere: isElsewhere) : .heldBack
    }

    private func answer(_ life: inout Life) {
        let key = life.any(
            life.keys { phase in
                switch phase {
                case .taken, .sending: true
                default: false
                }
            })
        guard let key else { return }
        life.deliveries.answer(attempt(key))
        life.phases[key] = .answered
    }

    private func leave(_ life: inout Life) {
        let key = life.any(
            life.keys { phase in
                switch phase {
                case .taken, .sending: true
                default: false
                }
            })
        guard let key else { return }
        let isDue = life.random.hit(2)
        let back = life.deliveries.leave(key, isDue: isDue)
        let next = life.next.removeValue(forKey: key.device)
        #expect(back == (isDue ? [key] : []) + (next.map { [$0] } ?? []))
        life.phases[key] = nil
        life.schedule += back
    }

    /// The store takes everything, nothing, or one after another.
    private func write(_ life: inout Life) {
        for parked in life.keys(in: { $0 == .parked }) where life.random.hit(3) {
            let next = life.deliveries.settle(parked)
            #expect(next == nil)
            life.phases[parked] = nil
        }
        guard !life.random.hit(4) else {
            life.deliveries.keep(life.writing)
            for attempt in life.writing { life.phases[attempt.settlement.key] = .answered }
            return life.writing = []
        }
        var kept: [FinishedAttempt] = []
        for attempt in life.writing {
            let key = attempt.settlement.key
            switch life.random.next() % 6 {
            case 0:
                kept.append(attempt)
                life.phases[key] = .answered
                continue
            case 1:
                let (isParked, next) = life.deliveries.park(attempt, after: StoreError(.corrupt, "damaged"))
                #expect(isParked && next == life.next[key.device])
                life.phases[key] = .parked
            default:
                let next = life.deliveries.settle(key)
                #expect(next == life.next[key.device])
                life.phases[key] = nil
            }
            if let next = life.next.removeValue(forKey: key.device) { life.schedule.append(next) }
        }
        life.deliveries.keep(kept)
        life.writing = []
    }

    private func check(_ life: Life, _ seed: Int) {
        let deliveries = life.deliveries
        for (key, phase) in life.phases {
            #expect(deliveries.phase(of: key) == phase, "seed \(seed): \(key)")
        }
        let active = life.phases.filter { $0.value != .parked }
        #expect(Set(active.keys.map(\.device)).count == active.count, "seed \(seed): two of one device")
        let sending = active.values.filter { if case .sending = $0 { true } else { false } }
        let elsewhere = active.values.count { $0 == .sending(isElsewhere: true) }
        let unwritten = active.values.count { $0 == .answered || $0 == .writing }
        #expect(deliveries.sendingCount == sending.count, "seed \(seed)")
        #expect(deliveries.elsewhereCount == elsewhere && elsewhere <= 1, "seed \(seed)")
        #expect(deliveries.unwrittenCount == unwritten, "seed \(seed)")
        #expect(deliveries.room(of: Self.capacity) == max(0, Self.capacity - sending.count - unwritten), "seed \(seed)")
        #expect(deliveries.isEmpty == life.phases.isEmpty, "seed \(seed)")
        #expect(deliveries.parked.attempts.count == life.phases.count - active.count, "seed \(seed)")
    }
}
