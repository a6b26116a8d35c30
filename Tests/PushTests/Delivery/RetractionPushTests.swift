import APNs
import HTTP2Client
import KasiaProtocol
import Kaspa
import SampleOperations
import Testing

@testable import Push
@testable import Store

@Suite("Corrections of payments", .timeLimit(.minutes(10)))
struct RetractionPushTests {
    private static let configuration = PushConfiguration(network: .mainnet, retractions: true)

    /// Accepts payments to Bob in a block, and takes others out.
    private static func apply(
        _ bench: PushBench, accept numbers: Range<UInt64> = 0..<0, removed: [UInt64] = [], block: UInt64,
        blueScore: UInt64 = 1, withdraws: Bool = false
    ) async throws {
        let now = bench.clock.now
        let operations = numbers.map { number in
            AcceptedOperation(
                operation: OperationRecord(
                    transactionID: Samples.hash(number), kind: .payment, sender: Samples.alice,
                    receiver: Samples.bob, amount: 125_000_000, blockHash: Samples.hash(block), blockTime: now,
                    acceptance: OperationRecord.Acceptance(
                        blockHash: Samples.hash(block), daaScore: 5, blueScore: blueScore),
                    payload: Samples.payment("f00d")),
                notifies: true)
        }
        _ = try await bench.store.history.apply(
            ChainStep(
                removed: removed.map { Samples.hash($0) }, accepted: operations,
                cursor: ChainCursor(blockHash: Samples.hash(block), daaScore: 5, blueScore: blueScore, timestamp: now)),
            now: now, withdrawsUnsent: withdraws, retractsPayments: bench.configuration.retractions)
    }

    /// Lets time pass, and the chain with it.
    private static func pass(
        _ duration: Duration, _ bench: PushBench, _ dispatcher: Dispatcher, block: UInt64
    ) async throws {
        bench.clock.advance(by: duration)
        try await apply(bench, block: block)
        dispatcher.wake()
    }

    private static func told(
        _ configuration: PushConfiguration = configuration, sender: ScriptedSender = ScriptedSender(),
        devices: Int = 2
    ) async throws -> PushBench {
        let bench = try await PushBench(sender: sender, configuration: configuration)
        for number in 1...devices { try await bench.register(Samples.device(number, primary: Samples.bob)) }
        try await apply(bench, accept: 1..<2, block: 900)
        return bench
    }

    @Test("A payment out for ten minutes is corrected, not a millisecond before, under its own name and number")
    func corrected() async throws {
        let bench = try await Self.told()
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.drained()
            #expect(bench.sender.count == 2)
            try await Self.apply(bench, removed: [900], block: 901)
            try await Self.pass(.milliseconds(599_999), bench, dispatcher, block: 902)
            try await bench.drained()
            #expect(bench.sender.count == 2)
            try await Self.pass(.milliseconds(1), bench, dispatcher, block: 903)
            _ = try await bench.sender.requests(count: 4)
            try await bench.drained()
        }
        #expect(bench.sender.count == 4)
        for number in 1...2 {
            let requests = bench.sender.requests(to: Samples.token(number))
            #expect(requests.map(\.collapseID) == [String](repeating: Samples.hash(1).description, count: 2))
            #expect(Set(requests.map(\.id)).count == 2)
            let texts = try requests.map { try NotificationText($0.payload) }
            #expect(texts.map(\.seq) == [1, 2])
            #expect(texts.map { $0.members["type"] as? String } == ["payment", "payment_reverted"])
        }
        #expect(try bench.store.checkBooks().problems == [])
        let missed = try await DeviceRegistry(
            store: bench.store, inFlight: InFlightDevices(), clock: bench.serviceClock
        )
        .missed(token: Samples.token(1), after: 0, limit: 9)
        #expect(missed?.deliveries.map(\.amount) == [125_000_000, 125_000_000])
        let text = try await bench.explain(1, limit: 9)
        #expect(text.contains("A reorganisation took it out at") && text.contains("the correction was queued"))
        #expect(text.contains("the correction, delivery 2 is delivered"))
    }

    @Test("One that comes back in the last millisecond is not corrected")
    func comesBack() async throws {
        let bench = try await Self.told()
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.drained()
            try await Self.apply(bench, removed: [900], block: 901)
            bench.clock.advance(by: .milliseconds(599_999))
            try await Self.apply(bench, accept: 1..<2, block: 902)
            bench.advance(dispatcher, by: .seconds(3_600))
            // A later payment has gone through: whatever was due before it has been looked at.
            try await Self.apply(bench, accept: 2..<3, block: 903)
            dispatcher.wake()
            _ = try await bench.sender.requests(count: 4)
            try await bench.drained()
        }
        #expect(bench.sender.count == 4)
        #expect(try await bench.store.outbox.books().eventsCreated == 2)
    }

    @Test("What waits is corrected after a restart, once")
    func restart() async throws {
        let bench = try await Self.told(devices: 1)
        try await bench.run { _ in try await bench.drained() }
        try await Self.apply(bench, removed: [900], block: 901)
        bench.clock.advance(by: .seconds(700))
        try await Self.apply(bench, block: 902)
        for _ in 0..<2 {
            try await bench.run { dispatcher in
                dispatcher.wake()
                _ = try await bench.sender.requests(count: 2)
                try await bench.drained()
            }
        }
        #expect(bench.sender.count == 2)
    }

    @Test("After a downtime the chain is read first: what came back in the meantime is not corrected")
    func downtime() async throws {
        let bench = try await Self.told(devices: 1)
        try await bench.run { _ in try await bench.drained() }
        try await Self.apply(bench, removed: [900], block: 901)
        bench.clock.advance(by: .seconds(3_600))
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.drained()
            #expect(bench.sender.count == 1)
            // Another payment goes through first, and the chain is known to the ninth minute only.
            let time = bench.clock.now
            bench.clock.set(time - 3_060_000)
            try await Self.apply(bench, accept: 1..<3, block: 902)
            bench.clock.set(time)
            dispatcher.wake()
            _ = try await bench.sender.requests(count: 2)
            try await Self.apply(bench, block: 903)
            dispatcher.wake()
            try await bench.drained()
        }
        #expect(bench.sender.count == 2)
        #expect(try await bench.store.outbox.books().eventsCreated == 2)
    }

    @Test("Without push.retractions nobody hears of it")
    func off() async throws {
        let bench = try await Self.told(PushConfiguration(network: .mainnet))
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.drained()
            try await Self.apply(bench, removed: [900], block: 901)
            bench.advance(dispatcher, by: .seconds(3_600))
            try await Self.apply(bench, accept: 2..<3, block: 903)
            dispatcher.wake()
            _ = try await bench.sender.requests(count: 4)
            try await bench.drained()
        }
        #expect(bench.sender.count == 4)
        #expect(try await bench.store.outbox.reverted(Samples.hash(1)) != nil)
    }

    @Test("A waiting correction whose row is damaged holds up no delivery, and stays in sight until it is right")
    func damagedRow() async throws {
        let bench = try await Self.told()
        // Shorter than a time and a transaction id.
        let key = [UInt8](repeating: 0, count: 9)
        try await bench.store.write { transaction in transaction.put(.retractions, key, []) }
        try await bench.run { dispatcher in
            try await bench.passTime { try await bench.isDelivered(2) }
            #expect(await dispatcher.trouble(of: .apns)?.contains("damaged") == true)
            try await bench.store.write { transaction in transaction.delete(.retractions, key) }
            while await dispatcher.trouble(of: .apns) != nil {
                try Task.checkCancellation()
                bench.clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        #expect(bench.sender.count == 2)
    }

    @Test("A device that Apple never told is not corrected, whether its notification died before or while it waited")
    func neverTold() async throws {
        let refused = String.hex(Samples.token(1))
        let sender = ScriptedSender { request, attempt in
            guard request.deviceToken == refused else { return .delivered(apnsID: request.id) }
            // In back-off until after the correction is queued.
            return attempt == 1 ? .deviceThrottled(retryAfter: .seconds(800)) : .requestMistake(.badPriority)
        }
        let bench = try await Self.told(sender: sender, devices: 2)
        try await bench.run { dispatcher in
            dispatcher.wake()
            try await bench.settled(dispatcher) { $0 == 2 }
            try await Self.apply(bench, removed: [900], block: 901)
            try await Self.pass(.seconds(600), bench, dispatcher, block: 902)
            _ = try await bench.sender.requests(count: 3)
            bench.advance(dispatcher, by: .seconds(600))
            try await bench.drained()
        }
        let toRefused = try bench.sender.requests(to: Samples.token(1)).map { try NotificationText($0.payload).seq }
        #expect(toRefused == [1, 1])
        #expect(bench.sender.requests(to: Samples.token(2)).count == 2)
        let books = try await bench.store.outbox.books()
        #expect(books.balance && books.deliveriesSuppressed == 1 && books.deliveriesDead == 1)
        #expect(try bench.store.checkBooks().problems == [])
    }

    @Test("With confirmations a payment that is taken out while it waits is withdrawn, and told once when it is back")
    func confirmations() async throws {
        let bench = try await PushBench(
            configuration: PushConfiguration(network: .mainnet, confirmations: 10, retractions: true))
        try await bench.register(Samples.device(1, primary: Samples.bob))
        try await bench.run { dispatcher in
            try await Self.apply(bench, accept: 1..<2, block: 900, blueScore: 100, withdraws: true)
            try await Self.apply(bench, removed: [900], block: 901, blueScore: 101, withdraws: true)
            bench.advance(dispatcher, by: .seconds(1_200))
            try await bench.drained()
            #expect(bench.sender.count == 0)
            try await Self.apply(bench, accept: 1..<2, block: 902, blueScore: 110, withdraws: true)
            try await Self.apply(bench, block: 903, blueScore: 120, withdraws: true)
            dispatcher.wake()
            try await bench.drained()
        }
        #expect(bench.sender.count == 1)
        let books = try await bench.store.outbox.books()
        #expect(books.balance && books.eventsCreated == 2 && books.eventsWithdrawn == 1)
        #expect(try await bench.store.outbox.reverted(Samples.hash(1)) == nil)
    }
}
