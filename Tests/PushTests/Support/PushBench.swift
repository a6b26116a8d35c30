import APNs
import Carriers
import Clocks
import KasiaProtocol
import Kaspa
import RecordedLogs
import SampleOperations
import Store
import StoreSupport

@testable import Push

/// A store of its own, a clock and a sender: all that a dispatcher needs, and what tests do to it.
final class PushBench: Sendable {
    let directory: TemporaryDirectory
    let store: Store
    let clock: TestClock
    let serviceClock: ServiceClock
    let sender: ScriptedSender
    let configuration: PushConfiguration
    let carriers: [any Carrier]
    let log = RecordedLogs()

    init(
        clock: TestClock = TestClock(), sender: ScriptedSender = ScriptedSender(),
        configuration: PushConfiguration = PushConfiguration(network: .mainnet), capacity: Int = 1_000,
        environment: DeviceRecord.Environment? = nil, others: [any Carrier] = [],
        directory: TemporaryDirectory? = nil, limits: StoreLimits = StoreLimits(),
        conditions: StoreConditions? = nil
    ) async throws {
        self.directory = try directory ?? TemporaryDirectory()
        try await TestStores.untilClosed(self.directory.path)
        store = try TestStores.open(self.directory.path, limits: limits, conditions: conditions)
        self.clock = clock
        serviceClock = clock.serviceClock(kept: try await store.clockReading())
        self.sender = sender
        self.configuration = configuration
        carriers = [APNsCarrier(sender: sender, capacity: capacity, environment: environment)] + others
    }

    func dispatcher() -> Dispatcher {
        Dispatcher(
            store: store, carriers: carriers, configuration: configuration, clock: serviceClock, logger: log.logger)
    }

    /// A registry that waits for Apple's answer as long as the test needs, unless `patience` says otherwise.
    func registry(of dispatcher: Dispatcher, patience: Duration = .seconds(3_600)) -> DeviceRegistry {
        DeviceRegistry(store: store, inFlight: dispatcher.inFlight, patience: patience, clock: serviceClock)
    }

    /// Runs a dispatcher as long as `body` runs, then stops it and waits for its end.
    func run<Result: Sendable>(
        _ body: (Dispatcher) async throws -> Result
    ) async throws -> Result {
        let dispatcher = dispatcher()
        let task = Task { try await dispatcher.run() }
        do {
            let result = try await body(dispatcher)
            task.cancel()
            try await task.value
            return result
        } catch {
            task.cancel()
            sender.answerAll(.notSent(.abandoned))
            sender.use { _, _ in .notSent(.abandoned) }
            try await task.value
            throw error
        }
    }

    /// Registers a device without waiting for the disk; Apple has accepted its token unless it is on probation.
    func register(_ device: DeviceRecord, onProbation: Bool = false) async throws {
        let now = clock.now
        try await store.registry.upsertDevice(device.id) { _ in
            var device = device
            device.createdAt = now
            device.lastSeen = now
            return device
        }
        if !onProbation { try await store.outbox.noteAccepted(device.id) }
    }

    /// Registers `numbers` as devices that watch `address`.
    func register(
        _ numbers: Range<Int>, watching address: Address = Samples.alice, onProbation: Bool = false
    ) async throws {
        for number in numbers {
            try await register(Samples.device(number, watching: [address]), onProbation: onProbation)
        }
    }

    /// Messages accepted by the chain, one for each number, now.
    func accept(
        _ numbers: Range<UInt64>, from sender: Address = Samples.alice, blueScore: UInt64 = 1, sink: UInt64? = nil,
        blockTime: UInt64? = nil, payload: [UInt8]? = nil
    ) async throws {
        let now = clock.now
        var kind = OperationKind.contextualMessage
        if let payload, case .operation(let operation) = PayloadGrammar.classify(payload) { kind = operation.kind }
        let operations = numbers.map { [kind] number in
            AcceptedOperation(
                operation: OperationRecord(
                    transactionID: Samples.hash(number), kind: kind, sender: sender, receiver: nil,
                    amount: 0, blockHash: Samples.hash(.max), blockTime: blockTime ?? now,
                    acceptance: OperationRecord.Acceptance(
                        blockHash: Samples.hash(.max), daaScore: 5, blueScore: blueScore),
                    payload: payload ?? Samples.message("message \(number)")),
                notifies: true)
        }
        let cursor = ChainCursor(
            blockHash: Samples.hash(.max), daaScore: 5, blueScore: sink ?? blueScore, timestamp: now)
        _ = try await store.history.apply(
            ChainStep(removed: [], accepted: operations, cursor: cursor), now: now, withdrawsUnsent: false)
    }

    /// What is said now of the transaction of message `number`.
    func explain(_ number: UInt64, token: Int? = nil, limit: Int) async throws -> String {
        try await Explainer(store: store, now: clock.now).explain(
            Samples.hash(number), token: token.map { Samples.token($0) }, limit: limit
        ).joined(separator: "\n")
    }

    /// Moves the time on and has the dispatcher look at it, even if it was about to lie down by the old time.
    func advance(_ dispatcher: Dispatcher, by duration: Duration) {
        clock.advance(by: duration)
        dispatcher.wake()
    }

    /// Lets time pass, a second at a time, until `condition` holds.
    func passTime(until condition: () async throws -> Bool) async throws {
        while try await !condition() {
            try Task.checkCancellation()
            clock.advance(by: .seconds(1))
            await Task.yield()
        }
    }

    /// Whether so many requests were made in all and no delivery waits any more.
    ///
    /// The requests are counted first, as before the fan-out nothing waits either.
    func isDelivered(_ count: Int) async throws -> Bool {
        guard sender.count == count else { return false }
        return try await store.totals().deliveries == 0
    }

    /// Returns when so many requests were made in all, and each is settled.
    func settled(_ dispatcher: Dispatcher, _ isEnough: (Int) -> Bool) async throws {
        while true {
            try Task.checkCancellation()
            let isQuiet = await dispatcher.deliveries.isEmpty
            if isQuiet, isEnough(sender.count) { return }
            await Task.yield()
        }
    }

    /// Returns when nothing waits any more: no event, no delivery.
    ///
    /// `look` is handed what waits, whenever it is looked at.
    func drained(_ look: (Store.Totals) async throws -> Void = { _ in }) async throws {
        try await clock.asleep {
            let totals = try await store.totals()
            try await look(totals)
            return totals.events == 0 && totals.deliveries == 0
        }
    }
}
