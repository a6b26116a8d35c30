import Kaspa

extension Registry {
    /// The registration of a device; nil when it is not registered.
    public func device(_ id: DeviceID) async throws(StoreError) -> DeviceRecord? {
        guard let stored = try await engine.row(.devices, id.bytes) else { return nil }
        return try DeviceRecord(encoded: stored, network: network)
    }

    /// Whether a device is registered.
    public func isRegistered(_ id: DeviceID) async throws(StoreError) -> Bool {
        try await engine.row(.devices, id.bytes) != nil
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

    /// The devices in the index under `key` after `last`, in key order, at most `limit`.
    public func watchers(
        _ key: WatchKey, after last: DeviceID? = nil, limit: Int
    ) async throws(StoreError) -> [DeviceID] {
        try await read { () throws(StoreError) -> [DeviceID] in
            try database.watchers(key, after: last, limit: limit)
        }
    }

    /// Whether a device is in the index under `key`.
    public func isWatched(_ key: WatchKey, by device: DeviceID) async throws(StoreError) -> Bool {
        try await read { () throws(StoreError) -> Bool in
            try database.get(.watchers, database.watchIndexKey(key) + device.bytes) != nil
        }
    }

    /// Registrations in the order of their names, after `last`, at most `limit`.
    public func devices(after last: DeviceID? = nil, limit: Int) async throws(StoreError) -> [DeviceRecord] {
        try await devices(
            from: last.map { $0.bytes + [0] } ?? [], below: KeyBytes.successor(ofPrefix: []), limit: limit)
    }

    /// Registrations whose name begins with these bytes, at most `limit`.
    public func devices(namePrefix: [UInt8], limit: Int) async throws(StoreError) -> [DeviceRecord] {
        try await devices(from: namePrefix, below: KeyBytes.successor(ofPrefix: namePrefix), limit: limit)
    }

    private func devices(
        from lower: [UInt8], below upper: [UInt8], limit: Int
    ) async throws(StoreError) -> [DeviceRecord] {
        try await read { () throws(StoreError) -> [DeviceRecord] in
            try database.list(.devices, from: lower, below: upper, limit: limit) { (row) throws(StoreError) in
                try DeviceRecord(encoded: Array(row.value), network: network)
            }
        }
    }
}

extension RowsAhead {
    /// Adds the registrations of these devices.
    mutating func addRegistrations(of devices: some Sequence<DeviceID>) { add(.devices, devices.lazy.map(\.bytes)) }

    /// Adds the first devices in the index under a key, after `last`.
    mutating func addWatchers(
        _ key: WatchKey, after last: DeviceID?, in shard: Swift.Range<Int>, limit: Int, reading: any StoreReading
    ) {
        let (lower, upper) = reading.stretch(ofWatchersOf: key, after: last, in: shard)
        add(.watchers, from: lower, below: upper, limit: limit)
    }
}

extension StoreReading {
    /// A registration as it is stored; nil when the device is not registered.
    func deviceRow(_ id: DeviceID) throws(StoreError) -> [UInt8]? { try get(.devices, id.bytes) }

    /// Who carries a device's pushes; that of an unregistered one is not known, and APNs stands for it.
    func carrier(of id: DeviceID) throws(StoreError) -> CarrierName {
        guard let stored = try deviceRow(id) else { return .apns }
        return try DeviceTarget(encoded: stored).platform.carrier
    }

    func device(_ id: DeviceID, network: Network) throws(StoreError) -> DeviceRecord? {
        guard let stored = try deviceRow(id) else { return nil }
        return try DeviceRecord(encoded: stored, network: network)
    }

    func watchers(
        _ key: WatchKey, after last: DeviceID?, in shard: Range<Int> = ShardPlan.single.firstBytes(of: 0), limit: Int
    ) throws(StoreError) -> [DeviceID] {
        let (lower, upper) = stretch(ofWatchersOf: key, after: last, in: shard)
        let prefixBytes = watchIndexKey(key).count
        return try list(.watchers, from: lower, below: upper, limit: limit) { (row) throws(StoreError) in
            try WatchKey.device(ofKey: row.key, after: prefixBytes)
        }
    }

    /// Where the devices in the index under a key stand that come after `last` and whose first byte is in `shard`.
    fileprivate func stretch(
        ofWatchersOf key: WatchKey, after last: DeviceID?, in shard: Range<Int>
    ) -> (lower: [UInt8], upper: [UInt8]) {
        let prefix = watchIndexKey(key)
        let first = shard.lowerBound == 0 ? prefix : prefix + [UInt8(shard.lowerBound)]
        let end = shard.upperBound == 256 ? KeyBytes.successor(ofPrefix: prefix) : prefix + [UInt8(shard.upperBound)]
        // The successor of a 16-byte suffix is the suffix and a zero byte.
        return (last.map { prefix + $0.bytes + [0] } ?? first, end)
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
        let moreEntries = changeWatchEntries(of: id, from: old, to: new)
        put(.devices, id.bytes, new.encoded)
        try noteRegistered(id)
        try adjust(.devices, by: old == nil ? 1 : 0)
        try adjust(.watchEntries, by: moreEntries)
        return try changeOwnership(of: id, from: old, to: new, network: network)
    }

    /// Brings the watch index from one registration of a device to another; returns by how many entries it grows.
    ///
    /// Both lists of entries are sorted once and then walked together: what both have is not written, and what is written
    /// comes in the order in which the transaction keeps it.
    private func changeWatchEntries(of id: DeviceID, from old: DeviceRecord?, to new: DeviceRecord?) -> Int {
        if let old, let new, old.watchesTheSame(as: new) { return 0 }
        let (before, after) = (watchEntries(old, id), watchEntries(new, id))
        var stays = before.makeIterator()
        var next = stays.next()
        for entry in after {
            while let other = next, KeyBytes.precedes(other.row, entry.row) {
                delete(.watchers, other.row)
                next = stays.next()
            }
            if next?.row == entry.row {
                next = stays.next()
                continue
            }
            put(.watchers, entry.row, [])
            if let address = entry.address { newlyWatched.append(address) }
        }
        while let other = next {
            delete(.watchers, other.row)
            next = stays.next()
        }
        return after.count - before.count
    }

    /// The entries of a registration in key order, each once, with the addresses that they are about.
    private func watchEntries(_ record: DeviceRecord?, _ id: DeviceID) -> [(row: [UInt8], address: Address?)] {
        guard let record else { return [] }
        var entries = record.watchKeys.map { key in
            var row = watchIndexKey(key)
            id.append(to: &row)
            let address: Address? =
                switch key {
                case .address(let address), .primary(let address), .funds(let address): address
                case .group, .inbox, .channel: nil
                }
            return (row: row, address: address)
        }
        entries.sort { KeyBytes.precedes($0.row, $1.row) }
        // A registration has no repeats; were there any, the index would have one entry for them.
        var last: [UInt8] = []
        entries.removeAll { entry in
            defer { last = entry.row }
            return entry.row == last
        }
        return entries
    }

    /// Deletes a registration and its index entries, and has the outbox forget the device; nil when it is unknown.
    func removeDevice(_ id: DeviceID, network: Network) throws(StoreError) -> Int? {
        guard let device = try device(id, network: network) else { return nil }
        let moreEntries = changeWatchEntries(of: id, from: device, to: nil)
        delete(.devices, id.bytes)
        let deliveries = try forgetDeliveries(of: id, network: network)
        _ = try changeOwnership(of: id, from: device, to: nil, network: network)
        try adjust(.devices, by: -1)
        try adjust(.watchEntries, by: moreEntries)
        return deliveries
    }
}
