import Kaspa

/// What the registry tells the outbox, in the registry's own batch.
extension WriteTransaction {
    /// Updates the state of a device that registered or renewed its registration.
    ///
    /// A device of another shard has its state there, so nothing is done here.
    func noteRegistered(_ id: DeviceID) throws(StoreError) {
        guard shards.owns(id) else { return }
        var state = try storedDeviceState(id)
        // On probation strikes stay: otherwise a made-up token could be kept for ever by renewing it.
        if state.isAccepted { state.strikes = 0 }
        put(.deviceStates, id.bytes, state.encoded)
    }

    /// Deletes the state, deliveries, schedule and log of a device that is removed.
    ///
    /// Returns how many deliveries waited, as far as this shard knows.
    func forgetDeliveries(of id: DeviceID, network: Network) throws(StoreError) -> Int {
        guard shards.owns(id) else { return 0 }
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

extension WriteTransaction {
    /// What deliveries have changed about a device; that of a new one if there is none.
    ///
    /// Whether its only delivery has ended the writer mostly knows.
    func deviceState(_ id: DeviceID) throws(StoreError) -> DeviceState {
        var state = try storedDeviceState(id)
        guard let seq = state.only else { return state }
        let hasEnded =
            if let queue = waiting(for: id) { queue.isEmpty } else {
                try get(.deliveries, Delivery.key(id, seq)) == nil
            }
        if hasEnded { state.end() }
        return state
    }

    /// Adds what `deviceState(_:)` reads beside the state itself.
    func addOnlyDelivery(of device: DeviceID, _ state: DeviceState, to ahead: inout RowsAhead) {
        guard let seq = state.only, waiting(for: device) == nil else { return }
        ahead.add(.deliveries, CollectionOfOne(Delivery.key(device, seq)))
    }
}

extension StoreReading {
    /// What deliveries have changed about a device; that of a new one if there is none.
    func deviceState(_ id: DeviceID) throws(StoreError) -> DeviceState {
        var state = try storedDeviceState(id)
        if let seq = state.only, try get(.deliveries, Delivery.key(id, seq)) == nil { state.end() }
        return state
    }

    /// The same as it was written: its only delivery may have ended.
    func storedDeviceState(_ id: DeviceID) throws(StoreError) -> DeviceState {
        guard let stored = try get(.deviceStates, id.bytes) else { return DeviceState() }
        return try DeviceState(encoded: stored)
    }
}
