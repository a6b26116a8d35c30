import Kaspa

/// What waits for a device, in order, where that is known: who settles the first need not look for the next.
///
/// That look walks past the marks of all that was deleted of the device since its rows were last compacted: thousands
/// for one that gets much. Known is a device all of whose waiting deliveries were queued since the store was opened,
/// within the bounds below; of all others nothing is said. For the writer alone: a transaction notes what it changes,
/// and the writer takes that over once it is committed.
final class WaitingQueues {
    /// Deliveries of all devices together: some 6 MB when each has one.
    static let capacity = 65_536
    /// Deliveries of one device.
    static let longest = 64

    private let capacity: Int
    private var queues: [DeviceID: [UInt64]] = [:]
    private(set) var count = 0

    init(capacity: Int = WaitingQueues.capacity) { self.capacity = capacity }

    /// The numbers of all that waits for the device, first to last; nil when nothing does, or when nobody knows.
    subscript(device: DeviceID) -> [UInt64]? { queues[device] }

    /// Takes over what a committed transaction noted; nil says that nothing is known any more.
    func commit(_ changes: [DeviceID: [UInt64]?]) {
        for (device, queue) in changes {
            // What does not fit is forgotten, and so is what was known before: it is no longer true.
            count -= queues.removeValue(forKey: device)?.count ?? 0
            guard let queue, count + queue.count <= capacity else { continue }
            queues[device] = queue
            count += queue.count
        }
    }
}

extension WriteTransaction {
    /// The numbers of all that waits for the device, first to last; nil when nothing does, or when nobody knows.
    func waiting(for device: DeviceID) -> [UInt64]? {
        if let changed = waitingChanges[device] { return changed }
        return waiting?[device]
    }

    /// Notes all that waits for the device; nil: nothing, or it is not known.
    func note(waiting queue: [UInt64]?, for device: DeviceID) { waitingChanges.updateValue(queue, forKey: device) }

    /// Notes a new last delivery of a device that others wait for.
    func note(following seq: UInt64, for device: DeviceID) {
        guard let queue = waiting(for: device), queue.count < WaitingQueues.longest else {
            return note(waiting: nil, for: device)
        }
        note(waiting: queue + [seq], for: device)
    }

    /// The number of the device's next delivery, now that the first one, `seq`, has left; nil when it has none.
    func next(for device: DeviceID, after seq: UInt64, _ state: DeviceState) throws(StoreError) -> UInt64? {
        guard let queue = waiting(for: device), queue.first == seq else {
            note(waiting: nil, for: device)
            return try seqs(of: device, from: state.firstKept, limit: 1).first
        }
        let rest = Array(queue.dropFirst())
        note(waiting: rest.isEmpty ? nil : rest, for: device)
        return rest.first
    }
}
