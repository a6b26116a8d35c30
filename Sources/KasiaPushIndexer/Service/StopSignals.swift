import ServiceLifecycle
import Synchronization
import UnixSignals

/// Notes SIGTERM and SIGINT while the process stands by, to the very end.
///
/// A service group loses the signals that come once it begins to end, and the supervisor would have to kill the process.
/// One that comes afterwards stays pending until the next group listens.
final class StopSignals: Service {
    private let noted = Atomic(false)

    /// Whether one has come.
    var haveCome: Bool { noted.load(ordering: .acquiring) }

    /// Ends with the first signal.
    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sigterm, .sigint).cancelOnGracefulShutdown() {
            noted.store(true, ordering: .releasing)
            return
        }
    }
}
