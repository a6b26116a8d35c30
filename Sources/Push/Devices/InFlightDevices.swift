import Store
import Synchronization

/// The devices to which a notification is on its way, so that an unregister can wait for the last one.
///
/// A device has at most one notification in flight: that keeps its order, and a slow device to itself.
public final class InFlightDevices: Sendable {
    private struct State {
        var busy: Set<DeviceID> = []
        var waiting: [DeviceID: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state = Mutex(State())

    /// Every device is idle.
    public init() {}

    /// Whether the device was idle; it is busy now.
    func begin(_ device: DeviceID) -> Bool {
        state.withLock { $0.busy.insert(device).inserted }
    }

    func end(_ device: DeviceID) {
        let waiting = state.withLock { state in
            state.busy.remove(device)
            return state.waiting.removeValue(forKey: device) ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when no notification is on its way to the device.
    ///
    /// Every send has a time limit, so this has one too.
    func waitUntilIdle(_ device: DeviceID) async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                guard state.busy.contains(device) else { return true }
                state.waiting[device, default: []].append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    var count: Int { state.withLock { $0.busy.count } }
}
