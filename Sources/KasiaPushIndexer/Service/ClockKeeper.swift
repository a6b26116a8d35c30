import Clocks
import Logging
import Metrics
import ServiceLifecycle
import Store

/// Keeps what the clocks show in the store, for the next run, and says when the wall clock is wrong.
struct ClockKeeper: Service {
    private static let interval = Duration.seconds(1)
    /// Every so many times it is written down: a run that is killed forgets that many seconds.
    private static let turnsPerWrite = 5

    let clock: ServiceClock
    let store: Store
    let logger: Logger
    private let offset = Gauge(label: "kasia_clock_ahead_seconds")

    init(clock: ServiceClock, store: Store, logger: Logger) {
        self.clock = clock
        self.store = store
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var turns = 0
            var wasWrong = false
            while !Task.isCancelled {
                wasWrong = look(wasWrong: wasWrong)
                if turns.isMultiple(of: ClockKeeper.turnsPerWrite) { await keep() }
                turns += 1
                try? await Task.sleep(for: ClockKeeper.interval)
            }
        }
        await keep()
    }

    /// Returns whether the wall clock is wrong; said once when it becomes wrong, and once when it is right again.
    private func look(wasWrong: Bool) -> Bool {
        clock.adjust()
        guard let skew = clock.skew() else { return wasWrong }
        offset.record(Double(skew.ahead) / 1_000)
        guard skew.isTolerated == wasWrong else { return wasWrong }
        if skew.isTolerated {
            logger.notice("service.clock.right")
        } else {
            logger.error("service.clock.wrong", metadata: ["reason": "\(skew.sentence)"])
        }
        return !skew.isTolerated
    }

    /// A store that takes nothing says so elsewhere.
    private func keep() async {
        guard let reading = clock.reading else { return }
        try? await store.keep(reading)
    }
}
