import KasiaProtocol
import Kaspa
import StoreSupport
import Testing

@testable import Store

@Suite("Payments that a reorganisation took out")
struct RetractionTests {
    private static let revertedAt: UInt64 = 1_000_000
    private let fixture: StoreFixture
    private var store: Store { fixture.store }

    init() throws { fixture = try StoreFixture() }

    private func accept(
        _ numbers: [Int], kind: OperationKind = .payment, removed: [Int] = [], in block: Int, now: UInt64 = 5_000,
        withdraws: Bool = false, retracts: Bool = true
    ) async throws -> ChainStepResult {
        let step = ChainStep(
            removed: removed.map { Sample.block($0) },
            accepted: numbers.map {
                AcceptedOperation(
                    operation: Sample.operation($0, kind: kind, receiver: Sample.address(1), acceptedIn: block),
                    notifies: true)
            }, cursor: Sample.cursor(block))
        let result = try await store.history.apply(
            step, now: now, withdrawsUnsent: withdraws, retractsPayments: retracts)
        #expect(try store.checkBooks().problems == [])
        return result
    }

    private func revert(
        _ block: Int, at time: UInt64 = revertedAt, withdraws: Bool = false, retracts: Bool = true
    ) async throws -> ChainStepResult {
        try await accept([], removed: [block], in: block + 100, now: time, withdraws: withdraws, retracts: retracts)
    }

    /// How many payments are corrected at `time`.
    private func retracted(at time: UInt64) async throws -> Int {
        defer { #expect((try? store.checkBooks().problems) == []) }
        return try await store.outbox.retractDue(now: time, knownUntil: time, limit: 100).enqueued
    }

    private func settle(_ device: Int, _ ending: DeliveryLogEntry.State) async throws {
        let place = try #require(try await fixture.place(Sample.id(device)))
        let delivery = try #require(try store.outbox.dueDelivery(place)?.delivery)
        _ = try await store.outbox.settle(
            [Settlement(key: place, transactionID: delivery.transactionID, next: .done, ending: ending)], now: 7_000)
    }

    /// Walks an event of a correction to its end.
    private func walk(_ event: UInt64, limit: Int = 100) async throws -> FanOutStep {
        var all = FanOutStep()
        while !all.finished {
            let step = try await store.outbox.fanOutRetraction(
                event: event, limit: limit, ordinaryWatchers: 2, now: 2_000_000, expiresAt: 3_000_000,
                decide: Sample.correction)
            all.notified += step.notified
            all.suppressed.merge(step.suppressed) { $0 + $1 }
            all.scheduled += step.scheduled
            all.finished = step.finished
        }
        #expect(try store.checkBooks().problems == [])
        return all
    }

    @Test(
        "A payment is corrected when it has been out for ten minutes, to the millisecond, and once", arguments: [0, 1])
    func due(_ late: UInt64) async throws {
        _ = try await accept([1], in: 1)
        let result = try await revert(1)
        #expect(result.revertedPushes == [.payment: 1] && result.reverted == 1)
        #expect(try await store.outbox.reverted(Sample.transaction(1))?.revertedAt == RetractionTests.revertedAt)
        #expect(try await retracted(at: RetractionTests.revertedAt + 599_999) == 0)
        #expect(try await retracted(at: RetractionTests.revertedAt + 600_000 + late) == 1)
        #expect(try await retracted(at: .max) == 0)
        let event = try #require(try await store.outbox.events(after: 1, limit: 1).first)
        #expect(event.kind == .paymentReverted && event.transactionID == Sample.transaction(1))
        #expect(event.amount == 1 && event.toldAt == 5_000 && event.queuedAt == 1_600_000 + late)
        // Back, out again: it has been said.
        _ = try await accept([1], in: 5)
        _ = try await revert(5, at: 3_000_000)
        #expect(try await store.outbox.reverted(Sample.transaction(1))?.isRetracted == true)
        #expect(try await retracted(at: .max) == 0)
    }

    @Test("One that comes back within the ten minutes is not corrected; when it goes again, the time begins anew")
    func comesBack() async throws {
        _ = try await accept([1], in: 1)
        _ = try await revert(1)
        _ = try await accept([1], in: 2, now: RetractionTests.revertedAt + 599_999)
        #expect(try await store.outbox.reverted(Sample.transaction(1)) == nil)
        #expect(try await retracted(at: .max) == 0)
        _ = try await revert(2, at: 5_000_000)
        #expect(try await retracted(at: 5_599_999) == 0)
        #expect(try await retracted(at: 5_600_000) == 1)
    }

    @Test("One that moves to another block in the same step was never out")
    func moved() async throws {
        _ = try await accept([1], in: 1)
        let result = try await accept([1], removed: [1], in: 2)
        #expect(result.reverted == 1 && result.revertedPushes.isEmpty)
        #expect(try StoreDump(store)[.reverted].isEmpty)
        #expect(try await retracted(at: .max) == 0)
    }

    @Test("Other kinds are recorded and not corrected", arguments: [OperationKind.handshake, .contextualMessage])
    func otherKinds(_ kind: OperationKind) async throws {
        _ = try await accept([1], kind: kind, in: 1)
        #expect(try await revert(1).revertedPushes == [PushKind(kind): 1])
        #expect(try await store.outbox.reverted(Sample.transaction(1)) != nil)
        #expect(try await retracted(at: .max) == 0)
    }

    @Test("Without push.retractions it is recorded only; what was withdrawn unsent is not even that")
    func off() async throws {
        _ = try await accept([1], in: 1)
        #expect(try await revert(1, retracts: false).revertedPushes == [.payment: 1])
        #expect(try await retracted(at: .max) == 0)
        _ = try await accept([2], in: 2)
        let result = try await revert(2, withdraws: true)
        #expect(result.withdrawn == 1 && result.revertedPushes.isEmpty)
        #expect(try await store.outbox.reverted(Sample.transaction(2)) == nil)
        #expect(try await retracted(at: .max) == 0)
    }

    @Test("Nothing is corrected before the chain is known up to then", arguments: [-1, 0, 1])
    func chainTime(_ milliseconds: Int) async throws {
        _ = try await accept([1], in: 1)
        _ = try await revert(1)
        let known = UInt64(Int(RetractionTests.revertedAt + Outbox.retractionDelay) + milliseconds)
        let result = try await store.outbox.retractDue(now: .max, knownUntil: known, limit: 9)
        #expect(result.enqueued == (milliseconds < 0 ? 0 : 1))
    }

    @Test("What waits survives a restart")
    func restart() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        do {
            let store = try Store(path: path, network: .mainnet)
            let operation = Sample.operation(1, kind: .payment, receiver: Sample.address(1), acceptedIn: 1)
            _ = try await store.history.apply(
                Sample.step(accepting: [operation], cursor: 1), now: 5_000, withdrawsUnsent: false,
                retractsPayments: true)
            _ = try await store.history.apply(
                Sample.step(removed: [1], cursor: 2), now: 6_000, withdrawsUnsent: false, retractsPayments: true)
        }
        let store = try await StoreFiles(path: path).open()
        #expect(try await store.outbox.retractDue(now: 605_999, knownUntil: .max, limit: 9).seen == 0)
        #expect(try await store.outbox.retractDue(now: 606_000, knownUntil: .max, limit: 9).enqueued == 1)
    }

    @Test("At most the limit becomes events in one call, the longest due first")
    func limit() async throws {
        for number in 1...3 {
            _ = try await accept([number], in: number)
            _ = try await revert(number, at: UInt64(number * 1_000))
        }
        #expect(try await store.outbox.retractDue(now: .max, knownUntil: .max, limit: 2) == (2, 2))
        #expect(try await store.outbox.retractDue(now: .max, knownUntil: .max, limit: 2) == (1, 1))
        #expect(
            try await store.outbox.events(after: 3, limit: 9).map(\.transactionID)
                == (1...3).map { Sample.transaction($0) })
    }

    @Test("Whoever was told is corrected, under a number of its own; whoever was not is left alone")
    func whoWasTold() async throws {
        for number in 1...5 { try await fixture.register(Sample.device(number, watching: [Sample.address(1)])) }
        _ = try await accept([1], in: 1)
        try await fixture.fanOut(event: 1)
        try await settle(1, .delivered)
        try await settle(2, .dead)
        try await settle(3, .expired)
        // Device 4 waits still; device 5 goes, and a sixth comes too late.
        try await store.registry.removeDevice(Sample.id(5))
        try await fixture.register(Sample.device(6, watching: [Sample.address(1)]))
        _ = try await revert(1)
        #expect(try await retracted(at: .max) == 1)
        let step = try await walk(2, limit: 1)
        #expect(step.notified == 2 && step.suppressed == [.neverTold: 2])
        let delivery = try #require(try await store.outbox.deliveries(of: Sample.id(1), limit: 9).first)
        #expect(delivery.seq == 2 && delivery.correctedSeq == 1 && delivery.kind == .paymentReverted)
        #expect(delivery.transactionID == Sample.transaction(1))
        let place = try #require(try await fixture.place(Sample.id(1)))
        #expect(try store.outbox.dueDelivery(place)?.wasTold == true)
        #expect(try await store.outbox.deliveries(of: Sample.id(6), limit: 9).isEmpty)
    }

    @Test(
        "A notification that still waits is corrected only if Apple takes it first",
        arguments: [(.delivered, true), (.dead, false), (.expired, false), (.suppressed, false)]
            as [(DeliveryLogEntry.State, Bool)])
    func waiting(_ ending: DeliveryLogEntry.State, _ wasTold: Bool) async throws {
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)]))
        _ = try await accept([1], in: 1)
        try await fixture.fanOut(event: 1)
        _ = try await revert(1)
        #expect(try await retracted(at: .max) == 1)
        #expect(try await walk(2).notified == 1)
        #expect(try await fixture.place(Sample.id(1))?.seq == 1)
        try await settle(1, ending)
        let place = try #require(try await fixture.place(Sample.id(1)))
        #expect(place.seq == 2)
        #expect(try store.outbox.dueDelivery(place)?.wasTold == wasTold)
    }

    @Test(
        "Many payments of one millisecond to many devices: each device hears of the right one",
        arguments: [1, 2, 7, 100])
    func sameMoment(_ limit: Int) async throws {
        for number in 1...9 { try await fixture.register(Sample.device(number, watching: [Sample.address(1)])) }
        _ = try await accept([1, 2, 3], in: 1)
        for event in 1...3 { try await fixture.fanOut(event: UInt64(event)) }
        _ = try await accept([1, 3], removed: [1], in: 2, now: 6_000)
        #expect(try await retracted(at: .max) == 1)
        #expect(try await walk(4, limit: limit).notified == 9)
        for number in 1...9 {
            let correction = try #require(try await store.outbox.deliveries(of: Sample.id(number), limit: 9).last)
            #expect(correction.transactionID == Sample.transaction(2))
            #expect(correction.correctedSeq == 2 && correction.seq == 4)
        }
    }

    @Test("The record goes with the marker, and with it what waits")
    func pruned() async throws {
        _ = try await accept([1], in: 1)
        _ = try await revert(1)
        #expect(try await store.outbox.pruneEnqueuedMarkers(before: 5_001, limit: 9, keepsUncorrected: false) == 1)
        let dump = try StoreDump(store)
        #expect(dump[.reverted].isEmpty && dump[.retractions].isEmpty)
        #expect(try await retracted(at: .max) == 0)
    }

    @Test("A marker may stay until its payment is corrected, and holds up no other", arguments: [1, 9])
    func keptUntilCorrected(limit: Int) async throws {
        _ = try await accept([1, 2], in: 1)
        _ = try await accept([3], in: 2)
        _ = try await accept([2], removed: [1], in: 3, now: Self.revertedAt)
        func prune() async throws -> Int {
            try await store.outbox.pruneEnqueuedMarkers(before: 5_001, limit: limit, keepsUncorrected: true)
        }
        for _ in 0..<2 / min(limit, 2) { #expect(try await prune() == min(limit, 2)) }
        #expect(try await prune() == 0)
        #expect(try await retracted(at: .max) == 1)
        #expect(try await prune() == 1)
        #expect(try StoreDump(store)[.enqueued].isEmpty)
    }
}
