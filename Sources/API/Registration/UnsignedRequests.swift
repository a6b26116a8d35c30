import Logging
import Metrics
import Store
import Synchronization

/// Counts and logs the unsigned requests in `mixed` mode, so that an operator sees whether `strict` would refuse any.
final class UnsignedRequests: Sendable {
    /// The shortest time between two log lines above debug.
    static let pause = Duration.seconds(60)

    private struct State {
        var sinceLastLine = 0
        var lastLine: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
    }

    /// Records an unsigned change that is accepted.
    func note(_ call: String, token: [UInt8], logger: Logger) {
        Counter(label: MetricsCatalogue.unsignedRegistrations.name, dimensions: [("call", call)]).increment()
        logger.debug(
            "api.registration.unsigned", metadata: ["api.call": "\(call)", "device.id": "\(DeviceID(token: token))"])
        guard let count = due() else { return }
        logger.notice("api.registration.unsigned_requests", metadata: ["api.count": "\(count)"])
    }

    /// The number since the last log line, if another is due.
    private func due() -> Int? {
        let time = now()
        return state.withLock { state in
            state.sinceLastLine += 1
            if let last = state.lastLine, time - last < UnsignedRequests.pause { return nil }
            defer { state = State(lastLine: time) }
            return state.sinceLastLine
        }
    }
}
