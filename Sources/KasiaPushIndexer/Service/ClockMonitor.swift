import Clocks
import Logging
import Metrics
import ServiceLifecycle
import Store
import Troubles

/// Compares the wall clock with the chain's time, logs when it is wrong, and stores readings for the next run.
struct ClockMonitor: Service {
    private static let interval = Duration.seconds(1)
    /// The turns between two stored readings.
    ///
    /// A killed process loses at most as many seconds.
    private static let turnsPerWrite = 5

    let clock: ServiceClock
    let store: Store
    let logger: Logger
    private let trouble = SharedTrouble()
    private let offset = Gauge(label: "kasia_clock_ahead_seconds")

    init(clock: ServiceClock, store: Store, logger: Logger) {
        self.clock = clock
        self.store = store
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var (turns, hasHeard) = (0, false)
            while !Task.isCancelled {
                check()
                // The first word of the chain's time at once: other processes may wait for it.
                let isFirst = !hasHeard && clock.skew() != nil
                hasHeard = hasHeard || isFirst
                if isFirst || turns.isMultiple(of: ClockMonitor.turnsPerWrite) { await save() }
                turns += 1
                try? await Task.sleep(for: ClockMonitor.interval)
            }
        }
        await save()
    }

    /// Logs when the wall clock is wrong, and when it is right again.
    private func check() {
        clock.adjust()
        guard let skew = clock.skew() else { return }
        offset.record(Double(skew.ahead) / 1_000)
        if skew.isTolerated, let summary = trouble.over() {
            logger.notice("service.clock.right", metadata: summary)
        } else if !skew.isTolerated, let summary = trouble.met(skew.ahead > 0 ? "ahead" : "behind") {
            logger.error("service.clock.wrong", metadata: ["reason": "\(skew.sentence)"].adding(summary))
        }
    }

    /// A store that cannot be written is reported elsewhere.
    private func save() async {
        guard let reading = clock.reading else { return }
        try? await store.keep(reading)
    }
}
