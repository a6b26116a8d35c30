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
/// fates of finished attempts written together meanwhile. Sending itself is the sender's, at most `capacity` at a time
/// and at most one for each device, in a child task where something has to be waited for. All that must survive is in
/// the store; what is here can be lost at any instant.
public actor PushNotificationActor: Service {
    /// Watchers looked at in one step of one event: a few milliseconds of the writer's time.
    static let watchersPerStep = 256
    /// Events that begin in one turn.
    static let eventsPerTurn = 64
    /// Watchers looked at in one turn for events that have begun before, if none waits that has not.
    static let restPerTurn = 4 * watchersPerStep
    /// A quarter of the capacity is the most that goes to the host that is not the operator's own: anybody can name it for
    /// a device, and while it is silent what goes there stays for long.
    static let elsewhereShare = 4
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
    private let encoder: NotificationEncoder
    /// A turn makes some thousand reads, which block: on the cooperative pool they would hold up the chain and REST.
    private let executor = BlockingExecutor(label: "kasia.push")
    private nonisolated let wakeSignal = WakeSignal()
    /// Shared with `DeviceRegistry`: an unregister waits for what is on its way.
    public nonisolated let inFlight = InFlightDevices()
    /// Told by the indexer which span each transaction was accepted in; empty while nothing is traced.
    package nonisolated let origins = SpanOrigins<TransactionID>()

    var scanner = ScheduleScanner()
    var gate = SendGate()
    var tokenGuard = InvalidTokenGuard()
    /// Whether the guard was found to forbid removals, so that the alarm is raised once.
    var isGuardingTokens = false
    /// Answered attempts whose fate is not written yet.
    var finished: [FinishedAttempt] = []
    /// The devices of those whose fate is being written: what stands about them in the store is about to change, so that
    /// nothing of theirs is begun before it has.
    var beingWritten: Set<DeviceID> = []
    /// Schedule entries taken and not settled: a second look at the schedule must not send them again.
    var unsettled: Set<ScheduleKey> = []
    /// Those of the unsettled whose fate cannot be written; they take up no room.
    var parked = ParkedAttempts()
    /// Deliveries of devices that came back while an older notification was still on its way, or its fate being written.
    var postponed: [DeviceID: ScheduleKey] = [:]
    private(set) var running = 0
    /// Those of the running that go to the host that is not the operator's own.
    private var runningElsewhere = 0
    /// Deliveries to that host beyond its share of the capacity, until one of them has its answer.
    private var heldBack = HeldBack()
    /// Those of the running that have no task, and whose answers come here.
    private var tasklessCount = 0
    private nonisolated let arrived = ArrivedAnswers()
    var eventWalk = EventWalk()
    /// The work that the rests of long events may still do while others wait; below 0 after a step that was more.
    var restCredit = 0
    /// How the capacity is divided among the lanes.
    private var lanes: LaneShares
    var lastReport: UInt64 = 0
    var lastPrune: UInt64 = 0
    /// Why something old could not be deleted; told until the next try.
    var pruneFailure: StoreError?
    private var failure: String?
    /// What the log has of a store that takes nothing, and of a closed gate.
    private var storeTrouble = Trouble()
    var gateTrouble = Trouble()

    /// Its own thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes an actor that reads and sends nothing before `run()`.
    public init(
        store: Store, sender: any NotificationSender, configuration: PushConfiguration, clock: ServiceClock,
        logger: Logger
    ) {
        self.store = store
        self.sender = sender
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        lanes = LaneShares(capacity: configuration.capacity)
        encoder = NotificationEncoder(
            defaultFormat: configuration.payloadFormat, maximumPayloadBytes: configuration.maximumPayloadBytes)
    }

    /// Says that an event was queued, or that the chain has more confirmations.
    public nonisolated func wake() { wakeSignal.signal() }

    /// Says that the sender has other credentials: what was refused for the old ones is tried again at once.
    public func credentialsChanged() {
        gate.probeNow()
        wake()
    }

    /// Why nothing is sent at the moment; nil while all is well.
    public var trouble: String? { gate.sentence(now: clock.now()) ?? failure }

    /// Works until a graceful shutdown or cancellation, then waits for what is in flight and writes its fate.
    ///
    /// How long that takes is bounded by the sender, which has to stop with this actor (`push.drain_timeout`).
    public func run() async throws {
        await cancelWhenGracefulShutdown { await self.work() }
        do throws(StoreError) {
            try await settleFinished()
            try await settleParked()
            if let error = parked.failure { throw error }
        } catch {
            logger.error("push.store.failed", metadata: ["error.message": "\(error.message)"])
        }
    }

    private func work() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                takeArrived()
                do throws(StoreError) {
                    // What is sent and cannot be noted would be sent again.
                    try store.checkWritable()
                    if parked.beginRetry(now: clock.now()) { try await settleParked() }
                    let batch = finished
                    beingWritten = Set(batch.lazy.map(\.settlement.key.device))
                    async let written = PushNotificationActor.write(batch, to: store, now: clock.now())
                    // What one damaged row fails holds up nothing else: such errors come last.
                    let retraction = await retract()
                    let fanOut = await fanOut()
                    // What has come meanwhile may forbid to send.
                    takeArrived()
                    let start = startDue(in: &group)
                    await prune()
                    try await noteWritten(batch, written)
                    try report()
                    let hasRetracted = try retraction.get()
                    let hasFannedOut = try fanOut.get()
                    let hasStarted = try start.get()
                    if parked.isFull, !finished.isEmpty, let error = parked.failure { throw error }
                    // What is only tried again now and then costs no pause.
                    note(parked.failure ?? pruneFailure)
                    // What was written may have made a device's next delivery due.
                    let isIdle = !hasRetracted && !hasFannedOut && !hasStarted && batch.isEmpty && finished.isEmpty
                    if isIdle { try await waitForWork() }
                } catch {
                    note(error)
                    try? await clock.sleep(PushNotificationActor.storePause)
                }
            }
            while tasklessCount > 0 {
                await arrived.wait()
                takeArrived()
            }
        }
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

    private var room: Int {
        let allowance = gate.allowance(capacity: configuration.capacity, now: clock.now())
        return max(0, allowance.inFlight - running - finished.count)
    }

    private var roomElsewhere: Int {
        max(0, max(1, configuration.capacity / PushNotificationActor.elsewhereShare) - runningElsewhere)
    }

    /// Starts due deliveries while there is room; returns whether there was one.
    ///
    /// What an error hits is taken again in a later turn; all else goes its way.
    private func startDue(in group: inout DiscardingTaskGroup) -> Result<Bool, StoreError> {
        let room = room
        // A token that is made at a wrong time is refused, and the next one must wait for twenty minutes.
        guard room > 0, clock.isSettled else { return .success(false) }
        // At every turn, not at an answer: what is given back may have expired or gone, and then answers nothing.
        for _ in 0..<roomElsewhere {
            guard let held = heldBack.next() else { break }
            giveBack(held)
        }
        let now = clock.now()
        var keys: [ScheduleKey] = []
        var failure: StoreError?
        do throws(StoreError) {
            var turn = lanes.turn(room: room)
            for lane in LaneShares.order {
                let taken = try scanner.take(lane, from: store, now: now, limit: turn.limit(lane))
                turn.took(taken.count, lane)
                keys += taken
            }
        } catch {
            failure = error
        }
        for key in keys where begin(key) {
            do throws(StoreError) {
                try start(key, now: now, in: &group)
            } catch {
                failure = error
            }
        }
        return failure.map { .failure($0) } ?? .success(!keys.isEmpty)
    }

    /// Whether an entry's device can be sent to now; if so, it is marked as busy.
    private func begin(_ key: ScheduleKey) -> Bool {
        guard !unsettled.contains(key) else { return false }
        guard !beingWritten.contains(key.device), inFlight.begin(key.device) else {
            postponed[key.device] = key
            return false
        }
        return true
    }

    private func start(
        _ key: ScheduleKey, now: UInt64, in group: inout DiscardingTaskGroup
    ) throws(StoreError) {
        let prepared: Prepared?
        do throws(StoreError) {
            prepared = try prepare(key, now: now)
        } catch {
            inFlight.end(key.device)
            giveBack(key)
            throw error
        }
        switch prepared {
        case nil: inFlight.end(key.device)
        case .settled(let attempt):
            inFlight.end(key.device)
            unsettled.insert(key)
            finished.append(attempt)
        case .request(let request, let delivery, let isAccepted):
            // Anybody can name the other host for a device: what it says proves nothing to the operator's own.
            let isFromElsewhere = configuration.environment.map { $0.host != request.host ?? $0.host } ?? false
            unsettled.insert(key)
            if isFromElsewhere {
                guard roomElsewhere > 0 else {
                    inFlight.end(key.device)
                    heldBack.add(key)
                    return
                }
                runningElsewhere += 1
            }
            running += 1
            lanes.began(key.lane)
            if delivery.attempts == 0 {
                instruments.reachedWire(millisecondsAfterQueueing: now &- min(now, delivery.queuedAt))
            }
            let (sender, origins) = (sender, origins)
            let started = ContinuousClock.now
            // A span belongs to a task.
            let hasBegun =
                !isTracing
                && sender.begin(request) { [arrived, inFlight, wakeSignal] outcome in
                    inFlight.end(key.device)
                    let answer = ArrivedAnswers.Answer(
                        key: key, delivery: delivery, isFromElsewhere: isFromElsewhere,
                        isOnProbation: !isAccepted, outcome: outcome, time: ContinuousClock.now - started)
                    if arrived.add(answer) { wakeSignal.signal() }
                }
            guard !hasBegun else {
                tasklessCount += 1
                return
            }
            group.addTask {
                let outcome = await sender.send(request, for: delivery, from: origins, now: now)
                self.inFlight.end(key.device)
                let answer = ArrivedAnswers.Answer(
                    key: key, delivery: delivery, isFromElsewhere: isFromElsewhere, isOnProbation: !isAccepted,
                    outcome: outcome, time: ContinuousClock.now - started)
                await self.finish(answer)
                self.wake()
            }
        }
    }

    private func takeArrived() {
        for answer in arrived.take() {
            tasklessCount -= 1
            finish(answer)
        }
    }

    /// An entry that was taken waits again, as it stands in the schedule.
    func giveBack(_ key: ScheduleKey) {
        unsettled.remove(key)
        scanner.added(key)
    }

    private enum Prepared {
        case request(APNsRequest, Delivery, isAccepted: Bool)
        case settled(FinishedAttempt)
    }

    /// What to do about a due delivery; nil when it has gone with its device.
    ///
    /// Read after the device was marked as busy: what was unregistered before that is not sent to any more.
    private func prepare(_ key: ScheduleKey, now: UInt64) throws(StoreError) -> Prepared? {
        guard let due = try store.dueDelivery(key) else { return nil }
        let delivery = due.delivery
        guard let device = due.device else {
            return .settled(FinishedAttempt(key, delivery, .suppressed(.deviceRemoved)))
        }
        guard due.wasTold else {
            return .settled(FinishedAttempt(key, delivery, .suppressed(.neverTold)))
        }
        // Before the payload is missed: store.retention keeps it until then.
        guard now < delivery.expiresAt else {
            return .settled(FinishedAttempt(key, delivery, .expired))
        }
        guard let payload = due.payload else {
            return .settled(FinishedAttempt(key, delivery, .suppressed(.operationGone)))
        }
        let token = Hex.encode(device.token)
        let transaction = delivery.transactionID.description
        let (host, mayTryOther) = device.environment.route
        let request = APNsRequest(
            deviceToken: token, payload: encoder.encode(delivery, payload: payload, format: device.payloadFormat),
            id: NotificationID.make(
                network: configuration.network.description, transactionID: transaction, deviceToken: token,
                isCorrection: delivery.kind == .paymentReverted),
            collapseID: transaction, expiration: clock.present(at: delivery.expiresAt) / 1000, host: host,
            mayTryOtherHost: mayTryOther)
        return .request(request, delivery, isAccepted: due.isAccepted)
    }

    /// Takes over an answer; its device is idle again since it came.
    private func finish(_ answer: ArrivedAnswers.Answer) {
        let key = answer.key
        running -= 1
        lanes.ended(key.lane)
        if answer.isFromElsewhere { runningElsewhere -= 1 }
        if let waiting = postponed.removeValue(forKey: key.device) { scanner.added(waiting) }
        instruments.sent(seconds: answer.time / .seconds(1))
        record(answer)
    }

    // MARK: Waiting

    private func waitForWork() async throws(StoreError) {
        let now = clock.now()
        var limit = PushNotificationActor.longestWait
        func wake(at time: UInt64) {
            limit = min(limit, .milliseconds(Int64(clamping: max(1, time &- min(time, now)))))
        }
        if let time = gate.allowance(capacity: configuration.capacity, now: now).askAgainAt {
            wake(at: time)
        } else if room > 0, let due = try scanner.nextDue(in: store, now: now, lanes: lanes.withRoom) {
            wake(at: due)
        }
        await wakeSignal.wait(atMost: limit, sleep: clock.sleep)
    }
}
