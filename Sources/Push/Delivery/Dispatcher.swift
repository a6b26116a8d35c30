public import Carriers
public import Clocks
package import Kaspa
public import Logging
public import ServiceLifecycle
package import Spans
public import Store
import Troubles

/// Turns events into deliveries and deliveries into notifications, until its carrier has given each a final answer.
///
/// One loop makes all decisions. It fans out events in bounded steps, takes due deliveries while there is room, and has
/// the settlements of finished attempts written in batches meanwhile. Each carrier has at most its `capacity` of
/// notifications at once, and one for each device. Everything that must survive a crash is in the store.
public actor Dispatcher: Service {
    /// Watchers in one step of one event: a few milliseconds of the writer's time.
    static let watchersPerStep = 256
    /// Events that begin their fan-out in one turn.
    static let eventsPerTurn = 64
    /// Watchers in one turn for events that have begun, if no other event waits.
    static let restPerTurn = 4 * watchersPerStep
    /// Pushes that a carrier is handed at once.
    static let pushesAtOnce = 32
    /// The longest sleep of the loop when there is nothing to do.
    static let longestWait = Duration.seconds(2)
    /// The pause after a store error.
    static let storePause = Duration.milliseconds(250)
    /// How often the gauges are set, milliseconds.
    static let reportInterval: UInt64 = 1_000
    /// How often old markers are deleted, milliseconds, and how many in one turn.
    static let pruneInterval: UInt64 = 60_000
    static let markersPerPrune = 1_000
    /// Reverted payments that are checked in one turn.
    static let retractionsPerTurn = 64

    let store: Store
    let configuration: PushConfiguration
    let clock: ServiceClock
    let logger: Logger
    let instruments: PushInstruments
    nonisolated let wakeSignal = WakeSignal()
    /// Shared with `DeviceRegistry`, so that an unregister waits for notifications in flight.
    public nonisolated let inFlight = InFlightDevices()
    /// The spans in which transactions were accepted, from the indexer; empty without tracing.
    package nonisolated let origins = SpanOrigins<TransactionID>()

    /// How far the schedule has been read.
    var cursor = ScheduleCursor()
    /// The deliveries that were taken from it and are not settled.
    var deliveries: TakenDeliveries
    nonisolated let answers = AnswerQueue()
    /// What is known of each carrier.
    var lines: PerCarrier<CarrierLine>
    var eventWalk = EventWalk()
    /// The work that long events may still do while others wait; negative after a step that exceeded it.
    var restCredit = 0
    var lastReport: UInt64 = 0
    /// What was reported last.
    var lastBooks: Outbox.Books?
    var lastPrune: UInt64 = 0
    /// Why old rows could not be deleted; reported until the next try.
    var pruneFailure: StoreError?
    private var failure: String?
    /// What was logged about a failing store.
    private var storeTrouble = Trouble()

    /// Makes a dispatcher that does nothing before `run()`; what waits for a carrier that is not there expires.
    ///
    /// Whoever makes it runs the carriers, too. `shard` is the number of the store's shard.
    public init(
        store: Store, carriers: [any Carrier], configuration: PushConfiguration, clock: ServiceClock, shard: Int = 0,
        logger: Logger
    ) {
        self.store = store
        instruments = PushInstruments(shard: shard)
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        lines = PerCarrier { name in
            CarrierLine(carriers.first { $0.name == name } ?? UnconfiguredCarrier(name: name))
        }
        let lines = lines
        deliveries = TakenDeliveries(capacities: PerCarrier { lines[$0].capacity })
    }

    /// Wakes the loop: an event was queued, or the chain has more confirmations.
    public nonisolated func wake() { wakeSignal.signal() }

    /// Tries what a carrier refused again at once, since it has new credentials.
    public func credentialsChanged(of carrier: CarrierName) {
        lines[carrier].pause.probeNow()
        wake()
    }

    /// Why a carrier is sent nothing at the moment; nil while all is well.
    public func trouble(of carrier: CarrierName) -> String? {
        lines[carrier].pause.sentence(now: clock.now()) ?? failure
    }

    /// Why deliveries wait, in sentences; nil while all is well.
    ///
    /// It names the reason of each pause and the time of the next probe, and the store's error.
    public var sendingTrouble: String? {
        var sentences = CarrierName.allCases.compactMap { carrier in
            lines[carrier].pause.sentence(now: clock.now()).map { "Sending is paused: \($0)." }
        }
        if let failure { sentences.append("The store holds deliveries up: \(failure).") }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// Runs until a graceful shutdown or cancellation, then waits for answers in flight and settles them.
    ///
    /// The sender, which stops together with this, bounds that time (`push.drain_timeout`).
    public func run() async throws {
        await cancelWhenGracefulShutdown { await self.work() }
        do throws(StoreError) {
            try await settleAnswered()
            try await settleParked()
            if let error = deliveries.parked.failure { throw error }
        } catch {
            logger.error("push.store.failed", metadata: ["error.message": "\(error.message)"])
        }
        if let lastBooks { instruments.retire(lastBooks) }
    }

    private func work() async {
        while !Task.isCancelled {
            takeAnswers()
            do throws(StoreError) {
                if try await isIdleAfterTurn() { try await waitForWork() }
            } catch {
                note(error)
                try? await clock.sleep(Dispatcher.storePause)
            }
        }
        while deliveries.sendingCount > 0 {
            await answers.wait()
            takeAnswers()
        }
    }

    /// Does a bounded part of the work.
    ///
    /// Returns whether there was none.
    private func isIdleAfterTurn() async throws(StoreError) -> Bool {
        // A push whose answer cannot be written would be sent again.
        try store.checkWritable()
        if deliveries.beginRetry(now: clock.now()) { try await settleParked() }
        let batch = deliveries.beginWriting()
        let done: Turn
        if batch.isEmpty {
            done = await advance()
        } else {
            let written = Dispatcher.write(batch, to: store, now: clock.now())
            done = await advance()
            try await noteWritten(batch, written.value)
        }
        try await report()
        let hasRetracted = try done.retraction.get()
        let hasFannedOut = try done.fanOut.get()
        let hasStarted = try done.start.get()
        let parked = deliveries.parked
        if parked.isFull, deliveries.hasAnswered, let error = parked.failure { throw error }
        // Errors of periodic retries do not pause the loop.
        note(parked.failure ?? pruneFailure)
        // The write may have made a device's next delivery due.
        return !hasRetracted && !hasFannedOut && !hasStarted && batch.isEmpty && !deliveries.hasAnswered
    }

    /// What a turn has done, or the errors.
    private struct Turn {
        let retraction: Result<Bool, StoreError>
        let fanOut: Result<Bool, StoreError>
        let start: Result<Bool, StoreError>
    }

    /// All of a turn but the settlements.
    ///
    /// An error of one corrupt row must delay nothing else, so errors are handled last.
    private func advance() async -> Turn {
        let retraction = await retract()
        let fanOut = await fanOut()
        // An answer that has come meanwhile may pause sending.
        takeAnswers()
        let start = await startDue()
        await prune()
        return Turn(retraction: retraction, fanOut: fanOut, start: start)
    }

    private func note(_ error: StoreError?) {
        failure = error?.message
        let now = Duration.milliseconds(Int64(clamping: clock.now()))
        if let error, let summary = storeTrouble.met(error.message, now: now) {
            logger.error("push.store.failed", metadata: ["error.message": "\(error.message)"].adding(summary))
        } else if error == nil, let summary = storeTrouble.over(now: now) {
            logger.notice("push.store.recovered", metadata: summary)
        }
    }

    /// The number of a carrier's deliveries that may be sent now.
    func room(for carrier: CarrierName) -> Int {
        let line = lines[carrier]
        let allowed = line.pause.allowance(capacity: line.capacity, now: clock.now()).inFlight
        return deliveries.room(of: allowed, for: carrier)
    }

    /// Returns taken entries to the schedule, where they wait again.
    func giveBack(_ keys: some Sequence<ScheduleKey>) {
        for key in keys { cursor.added(key) }
    }

    private func waitForWork() async throws(StoreError) {
        let now = clock.now()
        var limit = Dispatcher.longestWait
        func wake(at time: UInt64) {
            limit = min(limit, .milliseconds(Int64(clamping: max(1, time &- min(time, now)))))
        }
        var lanes: [CarrierName: [ScheduleKey.Lane]] = [:]
        for carrier in CarrierName.allCases {
            let line = lines[carrier]
            if let time = line.pause.allowance(capacity: line.capacity, now: now).askAgainAt {
                wake(at: time)
            } else if room(for: carrier) > 0 {
                lanes[carrier] = deliveries.lanesWithRoom(of: carrier)
            }
        }
        if let error = await readAhead(of: Array(lanes.keys)) { throw error }
        if let due = cursor.nextDue(lanes, now: now) { wake(at: due) }
        await wakeSignal.wait(atMost: limit, sleep: clock.sleep)
    }
}
