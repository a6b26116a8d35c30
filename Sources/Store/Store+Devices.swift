import Kaspa

extension Store {
    /// The registration of a device; nil when it is not registered.
    public func device(_ id: DeviceID) throws(StoreError) -> DeviceRecord? {
        try database.device(id, network: network)
    }

    /// Creates or replaces a registration and its index entries in one batch; not durable before `sync()`.
    ///
    /// `make` gets the present registration, if any, and returns the new one; `createdAt` continues. Strikes of
    /// a token that Apple has accepted are forgotten.
    public func upsertDevice(
        _ id: DeviceID, _ make: @Sendable (DeviceRecord?) -> DeviceRecord
    ) async throws(StoreError) {
        let network = network
        try await write(.growth) { (transaction) throws(StoreError) in
            let old = try transaction.device(id, network: network)
            _ = try transaction.putDevice(make(old), replacing: old, network: network)
        }
    }

    /// Removes a device with all its traces, its released binding too; not durable before `sync()`.
    ///
    /// Returns how many waiting deliveries went with it; nil when it was not registered.
    @discardableResult
    public func removeDevice(_ id: DeviceID) async throws(StoreError) -> Int? {
        let network = network
        return try await write { (transaction) throws(StoreError) in
            try transaction.forgetReleasedBinding(of: id, network: network)
            return try transaction.removeDevice(id, network: network)
        }
    }

    /// How many devices are in the index under `key`, at most `limit`: for `stats` and tests.
    public func watcherCount(_ key: WatchKey, limit: Int) throws(StoreError) -> Int {
        try database.watchers(key, after: nil, limit: limit).count
    }

    /// The devices in the index under `key` after `last`, in key order, at most `limit`.
    public func watchers(
        _ key: WatchKey, after last: DeviceID? = nil, limit: Int
    ) throws(StoreError) -> [DeviceID] {
        try database.watchers(key, after: last, limit: limit)
    }
}

extension StoreReading {
    func device(_ id: DeviceID, network: Network) throws(StoreError) -> DeviceRecord? {
        guard let stored = try get(.devices, id.bytes) else { return nil }
        return try DeviceRecord(encoded: stored, network: network)
    }

    func deviceState(_ id: DeviceID) throws(StoreError) -> DeviceState {
        guard let stored = try get(.deviceStates, id.bytes) else { return DeviceState() }
        return try DeviceState(encoded: stored)
    }

    func watchers(_ key: WatchKey, after last: DeviceID?, limit: Int) throws(StoreError) -> [DeviceID] {
        let prefix = key.bytes
        // The successor of a 16-byte suffix is the suffix and a zero byte.
        let lower = last.map { prefix + $0.bytes + [0] } ?? prefix
        return try list(
            .watchers, from: lower, below: KeyBytes.successor(ofPrefix: prefix), limit: limit
        ) { (row) throws(StoreError) in try WatchKey.device(ofKey: row.key) }
    }
}

extension WriteTransaction {
    /// Writes a registration and what follows from it; returns the devices that gave way to it.
    func putDevice(
        _ record: DeviceRecord, replacing old: DeviceRecord?, network: Network
    ) throws(StoreError) -> [RemovedDevice] {
        let id = record.id
        var new = record
        // A clock that was ahead then is brought back now.
        if let old { new.createdAt = min(old.createdAt, new.createdAt) }
        let oldKeys = old?.watchKeys ?? []
        let newKeys = new.watchKeys
        for key in oldKeys.subtracting(newKeys) { stopWatching(key, id) }
        for key in newKeys.subtracting(oldKeys) { watch(key, id) }
        put(.devices, id.bytes, new.encoded)
        var state = try deviceState(id)
        // On probation they stand: else whoever renews what he made up would keep it for ever.
        if state.isAccepted { state.strikes = 0 }
        put(.deviceStates, id.bytes, state.encoded)
        try adjust(.devices, by: old == nil ? 1 : 0)
        try adjust(.watchEntries, by: newKeys.count - oldKeys.count)
        return try changeOwnership(of: id, from: old, to: new, network: network)
    }

    private func watch(_ key: WatchKey, _ id: DeviceID) {
        put(.watchers, key.bytes + id.bytes, [])
        switch key {
        case .address(let address), .primary(let address), .funds(let address): newlyWatched.append(address)
        case .group, .inbox, .channel: break
        }
    }

    private func stopWatching(_ key: WatchKey, _ id: DeviceID) {
        delete(.watchers, key.bytes + id.bytes)
    }

    /// Deletes registration, index entries, state, deliveries, their log and schedule; nil when the device is unknown.
    func removeDevice(_ id: DeviceID, network: Network) throws(StoreError) -> Int? {
        guard let device = try device(id, network: network) else { return nil }
        let watchKeys = device.watchKeys
        for key in watchKeys { stopWatching(key, id) }
        for limit in HourlyLimit.allCases { delete(.recentFunds, limit.key(of: id)) }
        delete(.devices, id.bytes)
        if let scheduled = try deviceState(id).scheduled { delete(.schedule, scheduled.key(of: id).bytes) }
        delete(.deviceStates, id.bytes)
        note(waiting: nil, for: id)
        var deliveries: [[UInt8]] = []
        try scan(.deliveries, prefix: id.bytes) { (row) throws(StoreError) in
            deliveries.append(Array(row.key))
            return true
        }
        for key in deliveries { delete(.deliveries, key) }
        _ = try changeOwnership(of: id, from: device, to: nil, network: network)
        try forgetLog(of: id, network: network)
        try adjust(.devices, by: -1)
        try adjust(.watchEntries, by: -watchKeys.count)
        try countEnded(deliveries.count, as: .suppressed, reason: SuppressionReason.deviceRemoved.rawValue)
        return deliveries.count
    }
}
