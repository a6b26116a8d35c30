public import Logging
public import ServiceLifecycle
public import Store
import Troubles

/// Takes over what shard 0 tells another shard, and says what it is done with.
///
/// Its registrations are so those of shard 0 a moment ago, and an event comes after all that were registered before it.
/// An order is cleared once nothing is on its way any more to a device that it, or one before it, has removed.
public actor ShardIntake: Service {
    /// Orders of one batch.
    private static let ordersAtOnce = 256
    /// The longest wait for new orders: a notification that was lost costs so much.
    private static let patience = Duration.milliseconds(250)
    /// The pause after an error.
    private static let storePause = Duration.milliseconds(250)

    private struct Uncleared {
        var number: UInt64
        var devices: [DeviceID]
    }

    private let store: Store
    private let source: any OrderSource
    private let dispatcher: Dispatcher
    private let logger: Logger
    private let trouble = SharedTrouble()
    private let clearing = WakeSignal()
    /// Orders that were taken and are not cleared, in order.
    private var uncleared: [Uncleared] = []

    /// `store` is the shard's, as `dispatcher` has it.
    public init(store: Store, source: any OrderSource, dispatcher: Dispatcher, logger: Logger) {
        self.store = store
        self.source = source
        self.dispatcher = dispatcher
        self.logger = logger
    }

    /// Takes over all orders that are there: for a process that has just opened the shard, before it sends.
    ///
    /// What its predecessor had on its way has arrived, or is begun no more. Errors: `StoreError`.
    public func catchUp() async throws(StoreError) {
        while try await takeSome(waitingAtMost: .zero) {}
        try await store.outbox.noteCleared(try store.outbox.lastTakenOrder())
        uncleared = []
    }

    /// Runs until a graceful shutdown or cancellation.
    ///
    /// Errors: `StoreError` for an order that this program cannot read: another process may, of a newer version perhaps.
    public func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.take() }
                group.addTask { await self.clear() }
                defer { group.cancelAll() }
                try await group.waitForAll()
            }
        }
    }

    private func take() async throws(StoreError) {
        while !Task.isCancelled {
            do throws(StoreError) {
                _ = try await takeSome(waitingAtMost: ShardIntake.patience)
                if let summary = trouble.over() { logger.notice("push.shard.recovered", metadata: summary) }
            } catch {
                guard error.code != .newerSchema, error.code != .corrupt else { throw error }
                if let summary = trouble.met(error.message) {
                    let metadata: Logger.Metadata = ["error.message": "\(error.message)"]
                    logger.error("push.shard.failed", metadata: metadata.adding(summary))
                }
                try? await Task.sleep(for: ShardIntake.storePause)
            }
        }
    }

    /// Returns whether there were any.
    private func takeSome(waitingAtMost patience: Duration) async throws(StoreError) -> Bool {
        let last = try store.outbox.lastTakenOrder()
        let orders = try await source.orders(after: last, limit: ShardIntake.ordersAtOnce, waitingAtMost: patience)
        guard let newest = orders.last else { return false }
        let taken = try await store.outbox.take(orders)
        if !taken.isCleared {
            uncleared.append(Uncleared(number: newest.number, devices: taken.removed))
            clearing.signal()
        }
        dispatcher.wake()
        return true
    }

    private func clear() async {
        while !Task.isCancelled {
            guard let first = uncleared.first else {
                await clearing.wait(atMost: ShardIntake.patience) { try await Task.sleep(for: $0) }
                continue
            }
            // As shard 0 waits for its own: one answer that takes long holds nobody else up.
            let deadline = ContinuousClock.now + DeviceRegistry.patience
            for device in first.devices { await dispatcher.inFlight.waitUntilIdle(device, until: deadline) }
            do throws(StoreError) {
                try await store.outbox.noteCleared(first.number)
                uncleared.removeFirst()
            } catch {
                // Whoever takes orders says what is wrong.
                try? await Task.sleep(for: ShardIntake.storePause)
            }
        }
    }
}
