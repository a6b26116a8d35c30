/// Devices for which one delivery waits and no other, where that is known: who settles it need not look for the next.
///
/// That look walks past the marks of all that was deleted of the device since its rows were last compacted: thousands
/// for one that gets much. Known are only deliveries that were queued since the store was opened, and no more than
/// `capacity`; of all others nothing is said. For the writer alone: a transaction notes what it changes, and the writer
/// takes that over once it is committed.
final class LoneDeliveries {
    /// Some 3 MB.
    static let capacity = 65_536

    private let capacity: Int
    private var seqs: [DeviceID: UInt64] = [:]

    init(capacity: Int = LoneDeliveries.capacity) { self.capacity = capacity }

    /// The number of the device's only delivery; nil when it has none, has several, or nobody knows.
    subscript(device: DeviceID) -> UInt64? { seqs[device] }

    var count: Int { seqs.count }

    /// Takes over what a committed transaction noted; nil says that nothing is known any more.
    func commit(_ changes: [DeviceID: UInt64?]) {
        for (device, seq) in changes {
            if seq == nil || seqs.count < capacity || seqs[device] != nil { seqs[device] = seq }
        }
    }
}

extension WriteTransaction {
    /// Whether it is known that nothing else waits for the device.
    func isLone(_ device: DeviceID, _ seq: UInt64) -> Bool {
        if let changed = loneChanges[device] { return changed == seq }
        return lone?[device] == seq
    }

    /// Notes that a delivery is its device's only one; nil: that there may be none, or several.
    func note(lone seq: UInt64?, of device: DeviceID) { loneChanges.updateValue(seq, forKey: device) }
}
