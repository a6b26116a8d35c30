import Kaspa

/// The numbers of what waits for a device, in order, kept in memory: whoever settles the first need not look for the
/// next.
///
/// That look would pass the tombstones of all that was deleted of the device since its rows were last compacted:
/// thousands for one that gets much. A queue is known if all of it was queued since the store was opened, within the
/// bounds below; so is that nothing waits for a device, if its last delivery has ended since. Only the writer uses this:
/// a transaction notes what it changes, and the writer takes that over after the commit.
final class WaitingQueues {
    /// Deliveries of all devices together: some 6 MB when each has one.
    ///
    /// Of the devices for which nothing waits, at least so many are known, those whose last delivery ended last, and at
    /// most twice as many: some 4 MB.
    static let capacity = 65_536
    /// Deliveries of one device.
    static let longest = 64

    private let capacity: Int
    private var queues: [DeviceID: [UInt64]] = [:]
    /// Those for which nothing waits, in two generations: when the younger is full, it becomes the older, and those of
    /// the older are forgotten.
    private var younger: Set<DeviceID> = []
    private var older: Set<DeviceID> = []
    private(set) var count = 0

    init(capacity: Int = WaitingQueues.capacity) { self.capacity = capacity }

    /// The numbers of all that waits for the device, first to last; nil when nobody knows.
    subscript(device: DeviceID) -> [UInt64]? {
        queues[device] ?? (younger.contains(device) || older.contains(device) ? [] : nil)
    }

    /// Takes over what a committed transaction noted; nil says that nothing is known any more.
    func commit(_ changes: [DeviceID: [UInt64]?]) {
        for (device, queue) in changes {
            // A queue that does not fit is forgotten, with what was known of it before, which is no longer right.
            count -= queues.removeValue(forKey: device)?.count ?? 0
            younger.remove(device)
            older.remove(device)
            guard let queue, count + queue.count <= capacity else { continue }
            if queue.isEmpty {
                if younger.count >= capacity { (older, younger) = (younger, []) }
                younger.insert(device)
            } else {
                queues[device] = queue
                count += queue.count
            }
        }
    }
}

extension WriteTransaction {
    /// The numbers of all that waits for the device, first to last; nil when nobody knows.
    func waiting(for device: DeviceID) -> [UInt64]? {
        if let changed = waitingChanges[device] { return changed }
        return parent.map { $0.waiting(for: device) } ?? memory?.waiting[device]
    }

    /// Notes all that waits for the device; nil: it is not known.
    func note(waiting queue: [UInt64]?, for device: DeviceID) { waitingChanges.updateValue(queue, forKey: device) }

    /// Notes a new last delivery of a device that others wait for.
    func note(following seq: UInt64, for device: DeviceID) {
        guard let queue = waiting(for: device), queue.count < WaitingQueues.longest else {
            return note(waiting: nil, for: device)
        }
        note(waiting: queue + [seq], for: device)
    }

    /// The number of the device's next delivery, now that the first one, `seq`, has left; nil when it has none.
    ///
    /// `state` still counts the one that has left.
    func next(for device: DeviceID, after seq: UInt64, _ state: DeviceState) throws(StoreError) -> UInt64? {
        guard let queue = waiting(for: device), queue.first == seq else {
            note(waiting: state.waiting > 1 ? nil : [], for: device)
            return state.waiting > 1 ? try seqs(of: device, from: state.firstKept, limit: 1).first : nil
        }
        let rest = Array(queue.dropFirst())
        note(waiting: rest, for: device)
        return rest.first
    }

    /// What `next(for:after:_:)` reads of these devices, whose states have been read.
    func rowsOfNext(for devices: some Sequence<DeviceID>) throws(StoreError) -> RowsAhead {
        var ahead = RowsAhead()
        for device in devices where waiting(for: device) == nil {
            let state = try storedDeviceState(device)
            guard state.waiting > 1 else { continue }
            // Two, as the one that leaves may be the first of them.
            ahead.add(
                .deliveries, from: Delivery.key(device, state.firstKept),
                below: KeyBytes.successor(ofPrefix: device.bytes), limit: 2)
        }
        return ahead
    }
}
