import Clocks
import Logging
import Metrics
import Push
import ServiceLifecycle
import Store
import Troubles

/// Deletes history that the store never needs again, and history older than `store.retention`.
///
/// It reads the history in rounds, in small slices with pauses between them. Its position is only in memory, so a
/// restart begins a new round.
actor HistoryPruner: Service {
    /// The speed of a round: at most 10,000 rows a second, a few percent of a core and of an SSD.
    struct Pace: Sendable {
        var rowsPerSlice = 1_000
        var pause = Duration.milliseconds(100)
        /// The time between two rounds.
        var rest = Duration.seconds(3_600)
        /// How old the limits may be, milliseconds.
        ///
        /// It must be less than markers are kept beyond their age.
        var limitsAge: UInt64 = 600_000
        /// The pause after an error, and between two log lines about a long round.
        var retryInterval = Duration.seconds(60)
    }

    private let store: Store
    /// `store.retention` and `push.max_age`, milliseconds.
    private let retention: UInt64?
    private let maximumAge: UInt64
    private let pace: Pace
    private let clock: ServiceClock
    private let logger: Logger
    private let trouble = SharedTrouble()

    /// Takes the limits and the pace.
    init(
        store: Store, retention: Duration?, maximumAge: Duration, pace: Pace = Pace(),
        clock: ServiceClock, logger: Logger
    ) {
        self.store = store
        self.retention = retention?.millisecondsRoundedDown
        self.maximumAge = maximumAge.millisecondsRoundedDown
        self.pace = pace
        self.clock = clock
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.work() }
    }

    private func work() async {
        while !Task.isCancelled {
            do {
                try await round()
                if let summary = trouble.over() { logger.notice("store.history.recovered", metadata: summary) }
                try await Task.sleep(for: pace.rest)
            } catch let error as StoreError {
                if let summary = trouble.met(error.message) {
                    let metadata: Logger.Metadata = ["error.message": "\(error.message)"]
                    logger.error("store.history.failed", metadata: metadata.adding(summary))
                }
                try? await Task.sleep(for: pace.retryInterval)
            } catch {
                return
            }
        }
    }

    /// One pass over the history.
    func round() async throws {
        var sum = HistoryStep()
        let started = ContinuousClock.now
        var lastLine = started
        var limits: HistoryLimits?
        var limitsFrom: UInt64 = 0
        var next: HistoryPlace? = .start
        while let place = next {
            let time = clock.now()
            if limits == nil || time < limitsFrom || time - limitsFrom >= pace.limitsAge {
                limits = try await store.history.historyLimits(now: time, retention: retention, maximumAge: maximumAge)
                // Afterwards: what shard 0 has handed on meanwhile is found there.
                let others = try await store.othersWaitFrom(now: time, maximumAge: maximumAge)
                if let bodies = limits?.bodiesBefore { limits?.bodiesBefore = min(bodies, others) }
                limitsFrom = time
            }
            guard let limits else { return }
            let step = try await store.history.forgetHistory(limits, at: place, rows: pace.rowsPerSlice)
            count(step)
            sum.add(step)
            next = step.next
            if ContinuousClock.now - lastLine >= pace.retryInterval {
                lastLine = .now
                tell("store.history.walking", sum, since: started)
            }
            // A stage without rows costs nothing.
            if step.rows > 0 { try await Task.sleep(for: pace.pause) }
        }
        try await store.registry.forgetReleasedBindings(now: clock.present())
        tell("store.history.walked", sum, since: started)
    }

    private func tell(_ event: Logger.Message, _ sum: HistoryStep, since started: ContinuousClock.Instant) {
        logger.log(
            level: sum.removed > 0 ? .info : .debug, event,
            metadata: [
                "rows": "\(sum.rows)", "removed.operations": "\(sum.operations)",
                "removed.never_accepted": "\(sum.neverAccepted)", "removed.transfers": "\(sum.transfers)",
                "removed.acceptances": "\(sum.acceptances)",
                "seconds": "\((ContinuousClock.now - started).components.seconds)",
            ])
    }

    private func count(_ step: HistoryStep) {
        let counts = [
            ("operation", step.operations), ("never_accepted", step.neverAccepted), ("transfer", step.transfers),
            ("acceptance", step.acceptances),
        ]
        for (what, count) in counts where count > 0 {
            Counter(label: "kasia_store_removed_total", dimensions: [("what", what)]).increment(by: count)
        }
    }
}
