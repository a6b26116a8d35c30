import Logging
import Metrics
import Store
import Synchronization

/// Counts and logs the unsigned requests of `mixed` mode, so that an operator sees when `strict` would lock nobody out.
final class UnsignedRequests: Sendable {
    /// At most one line above debug in so long.
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

    /// Notes an unsigned change that is let in.
    func note(_ call: String, token: [UInt8], logger: Logger) {
        Counter(label: MetricsCatalogue.unsignedRegistrations.name, dimensions: [("call", call)]).increment()
        logger.debug(
            "api.registration.unsigned", metadata: ["api.call": "\(call)", "device.id": "\(DeviceID(token: token))"])
        guard let count = due() else { return }
        logger.notice("api.registration.unsigned_requests", metadata: ["api.count": "\(count)"])
    }

    /// How many there were since the last line, if it is time for another.
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
