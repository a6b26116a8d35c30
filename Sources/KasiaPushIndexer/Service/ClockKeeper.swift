import Clocks
import Logging
import Metrics
import ServiceLifecycle
import Store
import Troubles

/// Keeps what the clocks show in the store, for the next run, and says when the wall clock is wrong.
struct ClockKeeper: Service {
    private static let interval = Duration.seconds(1)
    /// Every so many times it is written down: a run that is killed forgets that many seconds.
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
            var turns = 0
            while !Task.isCancelled {
                look()
                if turns.isMultiple(of: ClockKeeper.turnsPerWrite) { await keep() }
                turns += 1
                try? await Task.sleep(for: ClockKeeper.interval)
            }
        }
        await keep()
    }

    /// Says when the wall clock is wrong, and when it is right again.
    private func look() {
        clock.adjust()
        guard let skew = clock.skew() else { return }
        offset.record(Double(skew.ahead) / 1_000)
        if skew.isTolerated, let summary = trouble.over() {
            logger.notice("service.clock.right", metadata: summary)
        } else if !skew.isTolerated, let summary = trouble.met(skew.ahead > 0 ? "ahead" : "behind") {
            logger.error("service.clock.wrong", metadata: ["reason": "\(skew.sentence)"].adding(summary))
        }
    }

    /// A store that takes nothing says so elsewhere.
    private func keep() async {
        guard let reading = clock.reading else { return }
        try? await store.keep(reading)
    }
}
