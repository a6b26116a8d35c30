import API
import ServiceLifecycle

/// Gives systemd a sign of life at half of the time it asks for, until everything else has stopped.
///
/// A sign means that the parts have just answered: what waits for ever for a lock or an actor gives none, and systemd
/// starts the service again. That the node is away or Apple refuses is no reason to: it goes into the status line.
struct WatchdogService: Service {
    let notifier: SystemdNotifier
    let interval: Duration
    let readiness: @Sendable () async -> Readiness

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let readiness = await readiness()
                notifier.alive(readiness.parts.map { "\($0.name): \($0.state)" }.joined(separator: ", "))
                try? await Task.sleep(for: interval / 2)
            }
        }
    }
}
