import Kaspa

/// What the registry tells the outbox, in the registry's own batch.
extension WriteTransaction {
    /// Updates the state of a device that registered or renewed its registration.
    func noteRegistered(_ id: DeviceID) throws(StoreError) {
        var state = try deviceState(id)
        // On probation strikes stay: otherwise a made-up token could be kept for ever by renewing it.
        if state.isAccepted { state.strikes = 0 }
        put(.deviceStates, id.bytes, state.encoded)
    }

    /// Deletes the state, deliveries, schedule and log of a device that is removed.
    ///
    /// Returns how many deliveries waited.
    func forgetDeliveries(of id: DeviceID, network: Network) throws(StoreError) -> Int {
        for limit in HourlyLimit.allCases { delete(.recentFunds, limit.key(of: id)) }
        if let scheduled = try deviceState(id).scheduled { delete(.schedule, scheduled.key(of: id).bytes) }
        delete(.deviceStates, id.bytes)
        note(waiting: nil, for: id)
        try forgetLog(of: id, network: network)
        var deliveries: [[UInt8]] = []
        try scan(.deliveries, prefix: id.bytes) { (row) throws(StoreError) in
            deliveries.append(Array(row.key))
            return true
        }
        for key in deliveries { delete(.deliveries, key) }
        try countEnded(deliveries.count, as: .suppressed, reason: SuppressionReason.deviceRemoved.rawValue)
        return deliveries.count
    }
}

extension RowsAhead {
    /// Adds what deliveries change about these devices.
    mutating func addStates(of devices: some Sequence<DeviceID>) { add(.deviceStates, devices.lazy.map(\.bytes)) }
}

extension StoreReading {
    func deviceState(_ id: DeviceID) throws(StoreError) -> DeviceState {
        guard let stored = try get(.deviceStates, id.bytes) else { return DeviceState() }
        return try DeviceState(encoded: stored)
    }
}
