import Kaspa

extension WriteTransaction {
    /// Version 4 knows which tokens Apple has accepted, and how many deliveries wait for each device.
    ///
    /// Nobody noted before what Apple had accepted: all that are registered are believed to be real.
    func bringDeviceStateToVersionFour(_ key: [UInt8], _ value: [UInt8]) throws(StoreError) {
        var reader = ByteReader(value)
        var state = try DeviceState(versionThree: &reader)
        // A row of this version's, seen again.
        guard reader.isAtEnd else { return }
        state.isAccepted = true
        if let first = state.scheduled?.seq {
            let seqs = try base.seqs(of: DeviceID(bytes: key), limit: .max)
            state.waiting = UInt32(clamping: seqs.count)
            state.firstKept = min(first + 1, seqs.first { $0 != first } ?? .max)
        }
        put(.deviceStates, key, state.encoded)
    }

    /// Version 4 counts the events whose walk is long.
    func countLongEvents(network: Network) throws(StoreError) {
        let limits = StoreLimits()
        var count = 0
        try base.scan(.events, prefix: []) { (row) throws(StoreError) in
            // One that cannot be read is told by `check`.
            let event = try? PushEvent(number: 0, ofAnyVersion: Array(row.value), network: network)
            if event?.isLong(limits) == true { count += 1 }
            return true
        }
        try adjust(.eventsLong, by: count - Int(clamping: try value(of: .eventsLong)))
    }
}
