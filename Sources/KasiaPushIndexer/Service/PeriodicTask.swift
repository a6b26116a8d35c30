import ServiceLifecycle

/// Runs work at an interval, the first time after one interval, until the service stops.
struct PeriodicTask: Service {
    private let interval: Duration
    private let work: @Sendable () async -> Void

    init(every interval: Duration, _ work: @escaping @Sendable () async -> Void) {
        self.interval = interval
        self.work = work
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await Task.sleep(for: interval) } catch { return }
                await work()
            }
        }
    }
}
