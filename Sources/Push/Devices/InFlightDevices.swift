import Store
import Synchronization

/// The devices to which a notification is on its way, so that an unregister can wait for the last one.
///
/// A device has at most one notification in flight: that keeps its order, and a slow device to itself.
public final class InFlightDevices: Sendable {
    private struct State {
        var busy: Set<DeviceID> = []
        var waiting: [DeviceID: [UInt64: CheckedContinuation<Void, Never>]] = [:]
        /// Waiters whose time was over before they began to wait.
        var givenUp: Set<UInt64> = []
        var lastWaiter: UInt64 = 0

        mutating func newWaiter() -> UInt64 {
            lastWaiter += 1
            return lastWaiter
        }
    }

    private let state = Mutex(State())

    /// Every device is idle.
    public init() {}

    /// Whether the device was idle; it is busy now.
    @discardableResult
    func begin(_ device: DeviceID) -> Bool {
        state.withLock { $0.busy.insert(device).inserted }
    }

    func end(_ device: DeviceID) {
        let waiting = state.withLock { state in
            state.busy.remove(device)
            return state.waiting.removeValue(forKey: device) ?? [:]
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Returns when no notification is on its way to the device.
    ///
    /// Every send has a time limit, so this has one too.
    func waitUntilIdle(_ device: DeviceID) async {
        await wait(for: device, as: state.withLock { $0.newWaiter() })
    }

    /// The same, but no longer than `deadline`.
    func waitUntilIdle(_ device: DeviceID, until deadline: ContinuousClock.Instant) async {
        guard state.withLock({ $0.busy.contains(device) }) else { return }
        let waiter = state.withLock { $0.newWaiter() }
        await withTaskGroup { group in
            group.addTask { await self.wait(for: device, as: waiter) }
            group.addTask {
                try? await Task.sleep(until: deadline, clock: .continuous)
                self.stopWaiting(for: device, as: waiter)
            }
            await group.next()
            group.cancelAll()
        }
        state.withLock { _ = $0.givenUp.remove(waiter) }
    }

    private func wait(for device: DeviceID, as waiter: UInt64) async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                guard state.busy.contains(device), !state.givenUp.contains(waiter) else { return true }
                state.waiting[device, default: [:]][waiter] = continuation
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    private func stopWaiting(for device: DeviceID, as waiter: UInt64) {
        let continuation = state.withLock { state in
            state.givenUp.insert(waiter)
            return state.waiting[device]?.removeValue(forKey: waiter)
        }
        continuation?.resume()
    }

    var count: Int { state.withLock { $0.busy.count } }
}
