import Kaspa
import Testing

@testable import Store
import StoreSupport

@Suite("Fan-out")
struct FanOutTests {
    private let fixture: StoreFixture
    private var store: Store { fixture.store }
    private static let watchers = 5
    /// The watchers in the order of the index.
    private let ids = (1...watchers).map { Sample.id($0) }.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }

    init() async throws {
        fixture = try StoreFixture()
        for number in 1...FanOutTests.watchers {
            try await fixture.register(Sample.device(number, watching: [Sample.address(1)]))
        }
    }

    @Test(
        "In steps of any size each watcher gets one delivery, and the event is gone at the end",
        arguments: [1, 2, watchers - 1, watchers, watchers + 1])
    func chunks(_ limit: Int) async throws {
        try await fixture.accept(1)
        var notified = 0
        var scheduled: [ScheduleKey] = []
        var finished = false
        while !finished {
            let step = try await fixture.fanOut(event: 1, limit: limit)
            #expect(step.notified <= limit)
            notified += step.notified
            scheduled += step.scheduled
            finished = step.finished
            #expect(try await store.totals().deliveries == UInt64(notified))
            #expect(
                try await store.outbox.events(after: 0, limit: 1).first?.progress.walked
                    == (finished ? nil : UInt64(notified)))
            guard notified < FanOutTests.watchers || finished || step.notified > 0 else {
                Issue.record("the walk does not end")
                return
            }
        }
        #expect(notified == FanOutTests.watchers)
        #expect(scheduled.map(\.device) == ids)
        #expect(try await store.totals() == .init(devices: 5, watchEntries: 5, deliveries: 5, events: 0))
        #expect(try Set(fixture.schedule()) == Set(scheduled))
        for id in ids {
            let deliveries = try await store.outbox.deliveries(of: id, limit: 9)
            #expect(deliveries.map(\.seq) == [1])
            #expect(deliveries.first?.transactionID == Sample.transaction(1))
            #expect(deliveries.first?.expiresAt == 99_000)
            #expect(deliveries.first?.queuedAt == 5_000)
        }
        // An event that is gone is finished, and nothing is doubled.
        var over = FanOutStep()
        over.finished = true
        #expect(try await fixture.fanOut(event: 1) == over)
    }

    @Test("A step of nothing changes nothing")
    func emptyStep() async throws {
        try await fixture.accept(1)
        let dump = try StoreDump(store)
        #expect(try await fixture.fanOut(event: 1, limit: 0) == FanOutStep())
        #expect(try StoreDump(store) == dump)
    }

    @Test("Several events in one batch leave what one after another leaves")
    func together() async throws {
        let other = try StoreFixture()
        for number in 1...FanOutTests.watchers {
            try await other.register(Sample.device(number, watching: [Sample.address(1)]))
        }
        var alone: [FanOutStep] = []
        for number in 1...4 {
            try await fixture.accept(number)
            try await other.accept(number)
        }
        for number in 1...4 { alone.append(try await other.fanOut(event: UInt64(number))) }
        #expect(try await fixture.fanOut(events: 1...5) == alone + [try await other.fanOut(event: 5)])
        #expect(try StoreDump(store) == StoreDump(other.store))
    }

    @Test(
        "A batch ends behind the event with which enough watchers were looked at",
        arguments: [(0, 1), (4, 1), (5, 1), (6, 2), (9, 2), (10, 2), (11, 3), (20, 4), (21, 4)])
    func budget(_ limit: Int, _ steps: Int) async throws {
        for number in 1...4 { try await fixture.accept(number) }
        let batch = try await fixture.fanOut(events: 1...4, limit: limit)
        #expect(batch.count == steps)
        #expect(batch.map(\.notified) == Array(repeating: min(limit, FanOutTests.watchers), count: steps))
    }

    @Test("Nothing of a batch is written when one of its events cannot be read", arguments: 1...3)
    func damagedAmongOthers(_ damaged: UInt64) async throws {
        for number in 1...3 { try await fixture.accept(number) }
        try await store.write { $0.put(.events, PushEvent.key(damaged), [1, 2, 3]) }
        let dump = try StoreDump(store)
        let error = await #expect(throws: StoreError.self) { try await fixture.fanOut(events: 1...3) }
        #expect(error?.code == .corrupt)
        #expect(try StoreDump(store) == dump)
    }

    @Test(
        "A walk that a crash interrupts goes on behind the last committed watcher",
        .rocksDBAlone("the directory is copied; PostgresStoreTests kills a server"))
    func resumes() async throws {
        try await fixture.accept(1)
        try await fixture.fanOut(event: 1, limit: 2)
        let copy = try Store(path: try fixture.copyFiles(to: "crashed"), network: .mainnet)
        let event = try #require(try await copy.outbox.events(after: 0, limit: 1).first)
        #expect(event.progress == FanOutProgress(list: 0, walked: 2, last: ids[1]))
        let step = try await copy.outbox.fanOut(
            event: 1, lists: [.address(Sample.address(1))], limit: 9, ordinaryWatchers: .max, now: 6_000,
            expiresAt: 99_000
        ) { _, _ in .notify }
        #expect(step.scheduled.map(\.device) == Array(ids[2...]))
        #expect(step.finished)
    }

    @Test("Who registers behind the walk is not told, who registers ahead of it is, and who leaves is not")
    func movingWatchers() async throws {
        try await store.registry.removeDevice(ids[0])
        try await store.registry.removeDevice(ids[4])
        try await fixture.accept(1)
        try await fixture.fanOut(event: 1, limit: 1)
        for number in 1...FanOutTests.watchers where [ids[0], ids[4]].contains(Sample.id(number)) {
            try await fixture.register(Sample.device(number, watching: [Sample.address(1)]))
        }
        try await store.registry.removeDevice(ids[2])
        let step = try await fixture.fanOut(event: 1)
        #expect(step.scheduled.map(\.device) == [ids[3], ids[4]])
    }

    @Test("Deliveries of a device are numbered 1, 2, 3 …, and only the first is in the schedule")
    func numbering() async throws {
        for number in 1...4 {
            try await fixture.accept(number)
            let step = try await fixture.fanOut(event: UInt64(number), limit: 100)
            #expect(step.notified == 5)
            #expect(step.scheduled.count == (number == 1 ? 5 : 0))
        }
        for id in ids {
            let deliveries = try await store.outbox.deliveries(of: id, limit: 9)
            #expect(deliveries.map(\.seq) == [1, 2, 3, 4])
            #expect(deliveries.map(\.transactionID) == (1...4).map { Sample.transaction($0) })
            #expect(try await store.outbox.deliveries(of: id, limit: 2).map(\.seq) == [1, 2])
            #expect(try await fixture.place(id)?.seq == 1)
        }
        #expect(try fixture.schedule().count == 5)
        #expect(try await store.totals().deliveries == 20)
    }

    @Test(
        "The first watchers of an event go in the ordinary lane, the rest in bulk",
        arguments: [0, 1, watchers - 1, watchers, watchers + 1], [1, 2, 100])
    func lanes(_ ordinary: Int, _ limit: Int) async throws {
        try await fixture.accept(1)
        while try await !fixture.fanOut(event: 1, limit: limit, ordinary: UInt64(ordinary)).finished {}
        for (index, id) in ids.enumerated() {
            #expect(try await fixture.place(id)?.lane == (index < ordinary ? .ordinary : .bulk))
        }
    }

    @Test("The rule is asked with the list's position; suppressed watchers are counted by reason, skipped ones are not")
    func decisions() async throws {
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)], primary: Sample.address(1)))
        try await fixture.accept(1)
        let quiet = Sample.id(2)
        let old = Sample.id(3)
        var step = FanOutStep()
        var rounds = 0
        while !step.finished {
            rounds += 1
            let next = try await store.outbox.fanOut(
                event: 1, lists: [.primary(Sample.address(1)), .address(Sample.address(1))], limit: 2,
                ordinaryWatchers: .max, now: 6_000, expiresAt: 9_000
            ) { device, list in
                if list == 1, device.primaryAddress != nil { return .skip }
                if device.id == quiet { return .suppress(.ownMessage) }
                return device.id == old ? .suppress(.beforeRegistration) : .notify
            }
            step.notified += next.notified
            step.suppressed.merge(next.suppressed, uniquingKeysWith: +)
            step.finished = next.finished
        }
        #expect(step.notified == 3)
        #expect(step.suppressed == [.ownMessage: 1, .beforeRegistration: 1])
        // Six watchers in two lists, two at a time, and the end of the second list.
        #expect(rounds == 4)
        #expect(try await store.outbox.deliveries(of: quiet, limit: 1).isEmpty)
        #expect(try await store.outbox.deliveries(of: Sample.id(1), limit: 9).count == 1)
        #expect(try await store.outbox.deviceState(quiet).lastSeq == 0)
    }

    @Test("An event nobody watches, or without lists, is gone after one step", arguments: [true, false])
    func nobody(_ hasLists: Bool) async throws {
        try await fixture.accept(1)
        let step = try await store.outbox.fanOut(
            event: 1, lists: hasLists ? [.address(Sample.address(7)), .primary(Sample.address(7))] : [], limit: 1,
            ordinaryWatchers: 1, now: 1, expiresAt: 2
        ) { _, _ in .notify }
        #expect(step.finished && step.notified == 0)
        #expect(try await store.totals().events == 0)
    }
}
