import API
import Logging
import ServiceLifecycle
import Store
import Synchronization
import Troubles

/// Tries to open the store until no other process works on it, or it is told to stop.
///
/// It also survives a database that is away for a while.
final class StoreWaiter: Service {
    private struct State {
        /// What came of the last attempt.
        var reason: StoreError
        var store: Store?
        /// Stops the group of services that this is one of.
        var stopGroup: (@Sendable () async -> Void)?
    }

    private let interval: Duration
    private let location: String
    private let logger: Logger
    private let open: @Sendable () async throws(StoreError) -> Store
    private let state: Mutex<State>
    private let trouble = SharedTrouble()

    /// `reason` came of the attempt before; `location` is the store's, for people; `interval` is the pause between two
    /// attempts.
    init(
        after reason: StoreError, location: String, interval: Duration = .milliseconds(250), logger: Logger,
        open: @escaping @Sendable () async throws(StoreError) -> Store
    ) {
        self.interval = interval
        self.location = location
        self.logger = logger
        self.open = open
        state = Mutex(State(reason: reason))
    }

    /// Whether an attempt that ended so is repeated.
    static func waits(after error: StoreError) -> Bool { error.code == .locked || error.code == .unavailable }

    /// Has `stopGroup` called once the store is open; it must stop the group of services that this is one of.
    func whenOpen(_ stopGroup: @escaping @Sendable () async -> Void) { state.withLock { $0.stopGroup = stopGroup } }

    /// Opens the store, has the group stopped, and ends when the group tells this service to stop.
    ///
    /// A service that ends before it is told to is a failure for its group, also while the group is stopping the services
    /// after it. An attempt that has begun is not cut off by a stop. Errors: `StoreError`, for the operator.
    func run() async throws {
        try await cancelWhenGracefulShutdown { [self] in try await openStore() }
        let (isOpen, stopGroup) = state.withLock { ($0.store != nil, $0.stopGroup) }
        guard isOpen else { return }
        await stopGroup?()
        try? await gracefulShutdown()
    }

    /// The open store, which is no longer held here; nil if it was told to stop before.
    func takeStore() -> Store? { state.withLock { $0.store.take() } }

    /// Not ready, and why.
    var readiness: Readiness {
        let reason = state.withLock { $0.reason }
        let state =
            reason.code == .locked
            ? "another process works on the store at \(location), and this one stands by"
            : "this process stands by, and does not reach the store at \(location): \(reason)"
        return Readiness(parts: [Readiness.Part(name: "store", isReady: false, state: state)])
    }

    /// Tries until the store is open, or the task is cancelled.
    private func openStore() async throws {
        while !Task.isCancelled {
            do { try await Task.sleep(for: interval) } catch { return }
            do throws(StoreError) {
                let store = try await open()
                state.withLock { $0.store = store }
                return
            } catch {
                guard StoreWaiter.waits(after: error) else { throw error }
                note(error)
            }
        }
    }

    /// Logs when the database is away, and when it is back.
    private func note(_ error: StoreError) {
        state.withLock { $0.reason = error }
        if error.code == .unavailable {
            guard let summary = trouble.met(error.message) else { return }
            let metadata: Logger.Metadata = ["error.message": "\(error.message)"]
            logger.warning("service.standby.store_unreachable", metadata: metadata.adding(summary))
        } else if let summary = trouble.over() {
            logger.notice("service.standby.store_reached", metadata: summary)
        }
    }
}
