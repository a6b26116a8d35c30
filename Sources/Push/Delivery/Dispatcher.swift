import APNs
public import Clocks
package import Kaspa
public import Logging
public import ServiceLifecycle
package import Spans
public import Store
import Troubles

/// Turns events into deliveries and deliveries into notifications, until Apple has answered each for good.
///
/// One loop owns all decisions: it walks events in bounded steps, takes due deliveries while there is room, and has the
/// settlements of finished attempts written together meanwhile. Sending itself is the sender's, at most `capacity` at a
/// time and at most one for each device. All that must survive is in the store; what is here can be lost at any
/// instant.
public actor Dispatcher: Service {
    /// Watchers looked at in one step of one event: a few milliseconds of the writer's time.
    static let watchersPerStep = 256
    /// Events that begin in one turn.
    static let eventsPerTurn = 64
    /// Watchers looked at in one turn for events that have begun before, if none waits that has not.
    static let restPerTurn = 4 * watchersPerStep
    /// How long the loop sleeps at most when it knows of nothing to do.
    static let longestWait = Duration.seconds(2)
    /// Pause after a store error, before the next turn.
    static let storePause = Duration.seconds(1)
    /// How often the gauges are set, milliseconds.
    static let reportInterval: UInt64 = 1_000
    /// How often old markers are looked for, milliseconds; and how many are deleted in one turn.
    static let pruneInterval: UInt64 = 60_000
    static let markersPerPrune = 1_000
    /// Payments taken out of the chain that are looked at in one turn.
    static let retractionsPerTurn = 64

    let store: Store
    let sender: any NotificationSender
    let configuration: PushConfiguration
    let clock: ServiceClock
    let logger: Logger
    let instruments = PushInstruments()
    let encoder: NotificationEncoder
    nonisolated let wakeSignal = WakeSignal()
    /// Shared with `DeviceRegistry`: an unregister waits for what is on its way.
    public nonisolated let inFlight = InFlightDevices()
    /// Told by the indexer which span each transaction was accepted in; empty while nothing is traced.
    package nonisolated let origins = SpanOrigins<TransactionID>()

    /// How far the schedule has been read.
    var cursor = ScheduleCursor()
    /// What was taken of it and is not settled.
    var deliveries: TakenDeliveries
    nonisolated let answers = AnswerQueue()
    var pause = SendingPause()
    var tokenGuard = InvalidTokenGuard()
    /// Whether the guard was found to forbid removals, so that the alarm is raised once.
    var isGuardingTokens = false
    var eventWalk = EventWalk()
    /// The work that the rests of long events may still do while others wait; below 0 after a step that was more.
    var restCredit = 0
    var lastReport: UInt64 = 0
    var lastPrune: UInt64 = 0
    /// Why something old could not be deleted; told until the next try.
    var pruneFailure: StoreError?
    private var failure: String?
    /// What the log has of a store that takes nothing, and of paused sending.
    private var storeTrouble = Trouble()
    var pauseTrouble = Trouble()

    /// Makes a dispatcher that reads and sends nothing before `run()`.
    public init(
        store: Store, sender: any NotificationSender, configuration: PushConfiguration, clock: ServiceClock,
        logger: Logger
    ) {
        self.store = store
        self.sender = sender
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        deliveries = TakenDeliveries(capacity: configuration.capacity)
        encoder = NotificationEncoder(
            defaultFormat: configuration.payloadFormat, maximumPayloadBytes: configuration.maximumPayloadBytes)
    }

    /// Says that an event was queued, or that the chain has more confirmations.
    public nonisolated func wake() { wakeSignal.signal() }

    /// Says that the sender has other credentials: what was refused for the old ones is tried again at once.
    public func credentialsChanged() {
        pause.probeNow()
        wake()
    }

    /// Why nothing is sent at the moment; nil while all is well.
    public var trouble: String? { pause.sentence(now: clock.now()) ?? failure }

    /// Works until a graceful shutdown or cancellation, then waits for what is in flight and settles it.
    ///
    /// How long that takes is bounded by the sender, which has to stop with this (`push.drain_timeout`).
    public func run() async throws {
        await cancelWhenGracefulShutdown { await self.work() }
        do throws(StoreError) {
            try await settleAnswered()
            try await settleParked()
            if let error = deliveries.parked.failure { throw error }
        } catch {
            logger.error("push.store.failed", metadata: ["error.message": "\(error.message)"])
        }
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

    /// Does a bounded part of all that there is to do; returns whether there was nothing.
    private func isIdleAfterTurn() async throws(StoreError) -> Bool {
        // What is sent and cannot be noted would be sent again.
        try store.checkWritable()
        if deliveries.beginRetry(now: clock.now()) { try await settleParked() }
        let batch = deliveries.beginWriting()
        async let written = Dispatcher.write(batch, to: store, now: clock.now())
        // What one damaged row fails holds up nothing else: such errors come last.
        let retraction = await retract()
        let fanOut = await fanOut()
        // What has come meanwhile may forbid to send.
        takeAnswers()
        let start = await startDue()
        await prune()
        try await noteWritten(batch, written)
        try await report()
        let hasRetracted = try retraction.get()
        let hasFannedOut = try fanOut.get()
        let hasStarted = try start.get()
        let parked = deliveries.parked
        if parked.isFull, deliveries.hasAnswered, let error = parked.failure { throw error }
        // What is only tried again now and then costs no pause.
        note(parked.failure ?? pruneFailure)
        // What was written may have made a device's next delivery due.
        return !hasRetracted && !hasFannedOut && !hasStarted && batch.isEmpty && !deliveries.hasAnswered
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

    /// How many more deliveries may be sent now.
    var room: Int {
        deliveries.room(of: pause.allowance(capacity: configuration.capacity, now: clock.now()).inFlight)
    }

    /// Entries that were taken wait again, as they stand in the schedule.
    func giveBack(_ keys: some Sequence<ScheduleKey>) {
        for key in keys { cursor.added(key) }
    }

    private func waitForWork() async throws(StoreError) {
        let now = clock.now()
        var limit = Dispatcher.longestWait
        func wake(at time: UInt64) {
            limit = min(limit, .milliseconds(Int64(clamping: max(1, time &- min(time, now)))))
        }
        if let time = pause.allowance(capacity: configuration.capacity, now: now).askAgainAt {
            wake(at: time)
        } else if room > 0 {
            let look = try await store.outbox.nextDue(cursor, lanes: deliveries.lanesWithRoom, now: now)
            cursor = look.cursor
            if let due = look.due { wake(at: due) }
        }
        await wakeSignal.wait(atMost: limit, sleep: clock.sleep)
    }
}
