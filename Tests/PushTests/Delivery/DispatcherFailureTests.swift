import APNs
import Dispatch
import Kaspa
import SampleOperations
import Testing

@testable import Push
@testable import Store
import StoreSupport

@Suite("Dispatcher: a store that fails, and fairness", .timeLimit(.minutes(10)))
struct DispatcherFailureTests {
    private func damage(_ number: UInt64, in store: Store) async throws -> [UInt8] {
        let key = Samples.hash(number).bytes
        let good = try #require(try store.database.get(.operations, key))
        try await store.write { transaction in transaction.put(.operations, key, [0xff]) }
        return good
    }

    private func repair(_ number: UInt64, with good: [UInt8], in store: Store) async throws {
        try await store.write { transaction in transaction.put(.operations, Samples.hash(number).bytes, good) }
    }

    @Test(
        "An operation that cannot be read holds up its own devices alone, and is told in its turn once it can be read",
        arguments: 1...3 as ClosedRange<UInt64>)
    func operationFails(_ number: UInt64) async throws {
        let bench = try await PushBench()
        try await bench.register(1..<3)
        try await bench.register(3..<5, watching: Samples.bob)
        try await bench.accept(1..<4)
        try await bench.accept(4..<5, from: Samples.bob)
        let good = try await damage(number, in: bench.store)
        let sent = 2 * Int(number - 1) + 2
        try await bench.run { dispatcher in
            try await bench.passTime {
                let totals = try await bench.store.totals()
                let isTold = await dispatcher.trouble(of: .apns)?.contains("damaged") == true
                return isTold && totals.events == 0 && totals.deliveries == 8 - sent
            }
            #expect(bench.sender.count == sent)
            try await repair(number, with: good, in: bench.store)
            try await bench.passTime { try await bench.store.totals().deliveries == 0 }
            try await bench.drained()
            #expect(await dispatcher.trouble(of: .apns) == nil)
        }
        #expect(bench.sender.count == 8)
        #expect(Set(bench.sender.exchanges.map(\.request.id)).count == 8)
    }

    @Test("An event whose batch fails on one of its watchers holds up none of the others in the batch")
    func watcherFails() async throws {
        let bench = try await PushBench()
        try await bench.register(1..<3)
        try await bench.register(3..<4, watching: Samples.bob)
        try await bench.accept(1..<2)
        try await bench.accept(2..<3, from: Samples.bob)
        try await bench.accept(3..<4)
        let key = DeviceID(token: Samples.token(3)).bytes
        let good = try #require(try bench.store.database.get(.devices, key))
        try await bench.store.write { $0.put(.devices, key, [0xff]) }
        try await bench.run { dispatcher in
            try await bench.passTime { try await bench.isDelivered(4) }
            #expect(try await bench.store.totals().events == 1)
            #expect(bench.sender.requests(to: Samples.token(3)).isEmpty)
            try await bench.store.write { $0.put(.devices, key, good) }
            try await bench.passTime { try await bench.store.totals().events == 0 }
            try await bench.drained()
        }
        #expect(bench.sender.count == 5)
        #expect(Set(bench.sender.exchanges.map(\.request.id)).count == 5)
    }

    @Test(
        "A delivery that cannot be read holds up no other, keeps no unregister waiting, and goes out later"
    )
    func deliveryFails() async throws {
        let bench = try await PushBench(
            sender: ScriptedSender { _, _ in nil }, capacity: 1)
        try await bench.register(1..<2)
        try await bench.register(2..<4, watching: Samples.bob)
        try await bench.register(4..<5, watching: Samples.carol)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            let held = try #require(try await bench.sender.requests(count: 1).first)
            try await bench.accept(2..<3, from: Samples.bob)
            try await bench.accept(3..<4, from: Samples.carol)
            dispatcher.wake()
            try await bench.clock.asleep { try await bench.store.totals().events == 0 }
            let good = try await damage(2, in: bench.store)
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            bench.sender.answer(held.id, .delivered(apnsID: held.id))
            // Each look at the damaged row costs a pause: time has to pass until the third device is told.
            try await bench.passTime { !bench.sender.requests(to: Samples.token(4)).isEmpty }
            #expect(try await bench.registry(of: dispatcher).unregister(token: Samples.token(2)))
            try await repair(2, with: good, in: bench.store)
            try await bench.passTime { try await bench.store.totals().deliveries == 0 }
        }
        #expect(bench.sender.requests(to: Samples.token(2)).isEmpty)
        #expect(bench.sender.requests(to: Samples.token(3)).count == 1)
        #expect(bench.sender.count == 3)
    }

    @Test("A delivery whose operation is gone is suppressed, or has expired where its time is over", arguments: 0...2)
    func operationGone(_ milliseconds: Int) async throws {
        let bench = try await PushBench()
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        _ = try await bench.store.outbox.fanOut(
            event: 1, lists: [.address(Samples.alice)], limit: 9, ordinaryWatchers: 9, now: bench.clock.now,
            expiresAt: bench.clock.now + 1
        ) { _, _ in .notify }
        try await bench.store.write { transaction in transaction.delete(.operations, Samples.hash(1).bytes) }
        bench.clock.advance(by: .milliseconds(milliseconds))
        try await bench.run { _ in try await bench.drained() }
        let books = try await bench.store.outbox.books()
        #expect(bench.sender.count == 0)
        #expect(books.deliveriesExpired == (milliseconds < 1 ? 0 : 1))
        #expect(books.suppressedByReason == (milliseconds < 1 ? ["operation_gone": 1] : [:]))
    }

    @Test(
        "A damaged row of one device holds up no other; the answer that it hits is written later, and not asked again",
        arguments: [true, false])
    func settlementFails(isLogRow: Bool) async throws {
        let bench = try await PushBench(sender: ScriptedSender { _, _ in nil })
        try await bench.register(1..<3)
        try await bench.accept(1..<3)
        try await bench.run { dispatcher in
            _ = try await bench.sender.requests(count: 2)
            let began = bench.clock.now
            let good = try await damageRow(isLogRow: isLogRow, in: bench.store)
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            bench.sender.answerAll(.delivered(apnsID: ""))
            // The other device gets both of its messages, and no pause comes between.
            try await bench.clock.asleep {
                let isTold = await dispatcher.trouble(of: .apns)?.contains("damaged") == true
                let deliveries = try await bench.store.totals().deliveries
                return isTold && deliveries == 2 && bench.sender.count == 3
            }
            #expect(bench.clock.now == began)
            #expect(await dispatcher.deliveries.unwrittenCount == 0)
            #expect(await dispatcher.deliveries.parked.attempts.count == 1)
            // Tried again and again, and sent no second time.
            for _ in 0..<5 {
                bench.advance(dispatcher, by: .seconds(60))
                try await bench.clock.asleep { await dispatcher.deliveries.parked.attempts.count == 1 }
            }
            #expect(bench.sender.requests(to: Samples.token(1)).count == 1)
            try await repairRow(isLogRow: isLogRow, with: good, in: bench.store)
            bench.advance(dispatcher, by: .seconds(60))
            try await bench.drained()
            #expect(await dispatcher.trouble(of: .apns) == nil)
        }
        #expect(bench.sender.count == 4)
        #expect(Set(bench.sender.exchanges.map(\.request.id)).count == 4)
        #expect(try bench.store.checkBooks().problems == [])
    }

    @Test("What is parked takes up no room: a single place is free for others")
    func parkedTakesNoRoom() async throws {
        let bench = try await PushBench(
            sender: ScriptedSender { _, _ in nil }, capacity: 1)
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            _ = try await bench.sender.requests(count: 1)
            _ = try await damageRow(isLogRow: true, in: bench.store)
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            bench.sender.answerAll(.delivered(apnsID: ""))
            try await bench.clock.asleep { await dispatcher.deliveries.parked.attempts.count == 1 }
            try await bench.register(2..<5, watching: Samples.bob)
            try await bench.accept(2..<3, from: Samples.bob)
            dispatcher.wake()
            try await bench.clock.asleep { try await bench.store.totals().deliveries == 1 && bench.sender.count == 4 }
        }
        #expect(bench.sender.requests(to: Samples.token(1)).count == 1)
    }

    @Test("A stop settles what is parked, if its row is right by then")
    func stopSettlesParked() async throws {
        let bench = try await PushBench(sender: ScriptedSender { _, _ in nil })
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            _ = try await bench.sender.requests(count: 1)
            let good = try await damageRow(isLogRow: true, in: bench.store)
            bench.sender.answerAll(.delivered(apnsID: ""))
            try await bench.clock.asleep { await dispatcher.deliveries.parked.attempts.count == 1 }
            try await repairRow(isLogRow: true, with: good, in: bench.store)
            #expect(try await bench.store.totals().deliveries == 1)
        }
        #expect(try await bench.store.totals().deliveries == 0)
        #expect(bench.sender.count == 1)
    }

    /// Damages a row of device 1 without which its first delivery cannot be settled.
    private func damageRow(isLogRow: Bool, in store: Store) async throws -> [UInt8] {
        let device = DeviceID(token: Samples.token(1))
        if isLogRow {
            let key = Delivery.key(device, 1)
            // One that was tried has such a row.
            var delivery = try #require(try await store.outbox.deliveries(of: device, limit: 1).first)
            delivery.attempts = 1
            let row = delivery.encoded
            try await store.write { transaction in
                transaction.put(.deliveries, key, row)
                transaction.put(.deliveryLog, key, [1, 2, 3])
            }
            return DeliveryLogEntry(delivery).encoded
        }
        let good = try #require(try store.database.get(.deviceStates, device.bytes))
        try await store.write { transaction in transaction.put(.deviceStates, device.bytes, [1, 2, 3]) }
        return good
    }

    private func repairRow(isLogRow: Bool, with good: [UInt8], in store: Store) async throws {
        let device = DeviceID(token: Samples.token(1))
        if isLogRow {
            // A damaged row has no day: it stands in another partition than the good one.
            try await store.write { transaction in transaction.delete(.deliveryLog, Delivery.key(device, 1)) }
            try await store.write { transaction in transaction.put(.deliveryLog, Delivery.key(device, 1), good) }
        } else {
            try await store.write { transaction in transaction.put(.deviceStates, device.bytes, good) }
        }
    }

    @Test("Retries get their share of a single place while ordinary deliveries queue up")
    func bulkDoesNotStarve() async throws {
        let clock = TestClock()
        let retried = String.hex(Samples.token(1))
        let bench = try await PushBench(
            clock: clock, sender: ScriptedSender { _, _ in nil },
            capacity: 1)
        try await bench.register(1..<2)
        try await bench.register(2..<202, watching: Samples.bob)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            let held = try #require(try await bench.sender.requests(count: 1).first)
            try await bench.accept(2..<3, from: Samples.bob)
            dispatcher.wake()
            try await clock.asleep { try await bench.store.totals().events == 0 }
            bench.sender.use { request, _ in
                // With the first ordinary delivery the retry falls due.
                if request.deviceToken != retried, bench.sender.count == 2 { clock.advance(by: .seconds(1)) }
                return .delivered(apnsID: request.id)
            }
            bench.sender.answer(held.id, .serverUnavailable(.internalServerError, retryAfter: nil))
            try await bench.drained()
        }
        let positions = bench.sender.exchanges.indices.filter {
            bench.sender.exchanges[$0].request.deviceToken == retried
        }
        #expect(bench.sender.count == 202)
        #expect(positions.count == 2)
        #expect(try #require(positions.last) <= 8)
    }

    @Test("A notification answered while the store writes is not taken again when the schedule is read anew before it")
    func answeredMeanwhile() async throws {
        let bench = try await PushBench(sender: ScriptedSender { _, _ in nil })
        // Three devices of one partition; at the same millisecond the schedule has them in this order.
        let numbers = (1...500).filter { DeviceID(token: Samples.token($0)).partition == 7 }.prefix(3).sorted {
            DeviceID(token: Samples.token($0)).bytes.lexicographicallyPrecedes(DeviceID(token: Samples.token($1)).bytes)
        }
        try await bench.register(numbers[0]..<numbers[0] + 1, watching: Samples.bob)
        for number in numbers.dropFirst() { try await bench.register(number..<number + 1) }
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            let requests = try await bench.sender.requests(count: 2)
            // Awake, it could take the second event before the store is blocked.
            try await bench.clock.asleep { true }
            try await bench.accept(2..<3, from: Samples.bob)
            let held = try await HeldStore(bench.store)
            // Whatever fails: the store's thread is not left behind.
            defer { held.release() }
            bench.sender.answer(requests[0].id, .delivered(apnsID: ""))
            try await until { await dispatcher.deliveries.unwrittenCount > 0 }
            // The first answer is being written now, most likely; the second comes meanwhile.
            for _ in 0..<200 { await Task.yield() }
            bench.sender.answer(requests[1].id, .delivered(apnsID: ""))
            try await until { dispatcher.answers.count == 1 }
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            held.release()
            try await bench.drained()
        }
        #expect(bench.sender.count == 3)
        #expect(Set(bench.sender.exchanges.map(\.request.id)).count == 3)
    }

    @Test("What comes for a device while its last notification is being settled goes out after that")
    func comesWhileWriting() async throws {
        let bench = try await PushBench(sender: ScriptedSender { _, _ in nil })
        try await bench.register(1..<2)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            let first = try #require(try await bench.sender.requests(count: 1).first)
            // Asleep, it walks the second event in the turn in which it hears of the answer, and not before.
            try await bench.clock.asleep { try await bench.store.totals().events == 0 }
            try await bench.accept(2..<3)
            let held = try await HeldStore(bench.store)
            // Whatever fails: the store's thread is not left behind.
            defer { held.release() }
            bench.sender.answer(first.id, .delivered(apnsID: ""))
            try await until { await dispatcher.deliveries.unwrittenCount > 0 }
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            held.release()
            try await bench.drained()
        }
        #expect(bench.sender.count == 2)
        #expect(bench.sender.overlaps.isEmpty)
    }

    @Test("What is due goes out while settlements are being written")
    func sendsWhileWriting() async throws {
        let throttled = String.hex(Samples.token(2))
        let bench = try await PushBench(
            sender: ScriptedSender { request, attempt in
                request.deviceToken == throttled && attempt == 1 ? .deviceThrottled(retryAfter: nil) : nil
            })
        try await bench.register(1..<3)
        try await bench.accept(1..<2)
        try await bench.run { dispatcher in
            let requests = try await bench.sender.requests(count: 2)
            let id = DeviceID(token: Samples.token(2))
            try await bench.clock.asleep {
                try await bench.store.outbox.deliveries(of: id, limit: 1).first?.attempts == 1
            }
            let held = try await HeldStore(bench.store)
            // Whatever fails: the store's thread is not left behind.
            defer { held.release() }
            // The retry is due when the other device's answer wakes the loop, and not before.
            bench.clock.set(bench.clock.now + 3_600_000)
            let other = try #require(requests.first { $0.deviceToken != throttled })
            bench.sender.answer(other.id, .delivered(apnsID: ""))
            let all = try await bench.sender.requests(count: 3)
            #expect(all.last?.deviceToken == throttled)
            try await until { await dispatcher.deliveries.unwrittenCount == 1 }
            bench.sender.use { request, _ in .delivered(apnsID: request.id) }
            bench.sender.answerAll(.delivered(apnsID: ""))
            held.release()
            try await bench.drained()
        }
        #expect(bench.sender.count == 3)
    }
}

/// A store that writes nothing, as one write holds its thread; what comes meanwhile waits in line.
private struct HeldStore {
    private let mayGoOn = DispatchSemaphore(value: 0)

    /// Returns when the thread is held.
    init(_ store: Store) async throws {
        let (isHeld, mayGoOn) = (Tally(), mayGoOn)
        Task {
            try await store.write { _ in
                isHeld.add()
                mayGoOn.wait()
            }
        }
        do {
            try await until { isHeld.count > 0 }
        } catch {
            mayGoOn.signal()
            throw error
        }
    }

    /// Lets the thread go on; a second time does nothing.
    func release() { mayGoOn.signal() }
}

/// Returns once it is so; ends with the test.
private func until(_ isSo: () async -> Bool) async throws {
    while await !isSo() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
