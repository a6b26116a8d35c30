import Kaspa

/// The shards besides shard 0, as the process that works on shard 0 sees them.
package protocol OtherShards: Sendable {
    /// A shard's rows, for reading.
    func store(of shard: Int) async throws(StoreError) -> Store

    /// Returns when nothing is on its way any more to devices that orders up to `number` have removed, and nothing will be.
    ///
    /// Errors: `.unavailable` when the shard's process does not say so in time, though it lives.
    func waitUntilCleared(_ shard: Int, upTo number: UInt64) async throws(StoreError)

    /// Whether a shard that has a process has more orders before it than `limit`; looked at once a second.
    func areBehind(by limit: Int) async throws(StoreError) -> Bool

    /// The oldest event that a shard was told of and has not taken over, as it was told; nil if there is none.
    func oldestOrderedEvent(of shard: Int) async throws(StoreError) -> [UInt8]?

    /// The oldest reports of a shard, and the number of the last of them; nil if there is none.
    func reports(of shard: Int) async throws(StoreError) -> (reports: [ShardReport], last: UInt64)?

    /// Forgets reports that were taken.
    func forgetReports(of shard: Int, upTo number: UInt64) async throws(StoreError)
}

extension Store {
    /// How the devices are shared out, and which shard this is.
    public var shards: ShardPlan { backend.shards }

    /// The shard that sends to a device, for reading.
    public func shard(of device: DeviceID) async throws(StoreError) -> Store {
        guard let otherShards, !shards.owns(device) else { return self }
        return try await otherShards.store(of: shards.shard(of: device))
    }

    /// The outbox that has a device's deliveries, for reading.
    public func outbox(of device: DeviceID) async throws(StoreError) -> Outbox { try await shard(of: device).outbox }

    /// This store and those of the other shards, for reading, in the order of their numbers.
    public func allShards() async throws(StoreError) -> [Store] {
        guard let otherShards else { return [self] }
        var found = [self]
        for shard in shards.others { found.append(try await otherShards.store(of: shard)) }
        return found
    }

    /// The time of the oldest block whose operation another shard may still need, milliseconds since 1970.
    ///
    /// `now` is the service's time and `maximumAge` `push.max_age`, milliseconds.
    package func othersWaitFrom(now: UInt64, maximumAge: UInt64) async throws(StoreError) -> UInt64 {
        guard let otherShards else { return .max }
        var oldest = UInt64.max
        for shard in shards.others {
            // First, as it becomes what waits.
            if let record = try await otherShards.oldestOrderedEvent(of: shard) {
                let event = try PushEvent(number: 0, encoded: record, network: network)
                oldest = min(oldest, event.queuedAt.earlier(by: maximumAge))
            }
            let outbox = try await otherShards.store(of: shard).outbox
            oldest = min(oldest, try await outbox.oldestWaiting(now: now))
        }
        return oldest
    }

    /// Removes a device on probation of another shard in favour of a new one; nil if none was found that can give way.
    package func makeRoomInOtherShards(near id: DeviceID, now: UInt64) async throws(StoreError) -> RemovedDevice? {
        guard let otherShards else { return nil }
        // From one to the next, each device's own shard first.
        let first = shards.shard(of: id)
        for step in 0..<shards.count {
            let shard = (first + step) % shards.count
            guard shard > 0 else { continue }
            let store = try await otherShards.store(of: shard)
            guard let found = try await store.outbox.deviceToEvict(near: id, now: now),
                let row = try await store.engine.row(.devices, found.bytes)
            else { continue }
            // Not one that has registered anew since.
            let removed = try await registry.take([ShardReport(.gone, found, record: row)])
            if !removed.isEmpty { return RemovedDevice(id: found, deliveries: 0) }
        }
        return nil
    }

    /// Whether another shard that has a process has more orders before it than this.
    package func othersAreBehind(by limit: Int) async throws(StoreError) -> Bool {
        try await otherShards?.areBehind(by: limit) ?? false
    }

    /// Returns when nothing is on its way any more, nor will be, to devices of other shards that were removed before.
    ///
    /// Errors: `.unavailable`, after which it may be so or not.
    package func waitUntilCleared(_ devices: [DeviceID]) async throws(StoreError) {
        try await waitUntilCleared(inShards: Set(devices.lazy.map { self.shards.shard(of: $0) }))
    }

    /// The same of whichever devices were removed before.
    package func waitUntilAllCleared() async throws(StoreError) {
        try await waitUntilCleared(inShards: Set(shards.others))
    }

    private func waitUntilCleared(inShards numbers: Set<Int>) async throws(StoreError) {
        guard let otherShards else { return }
        for shard in numbers.subtracting([0]) {
            try await otherShards.waitUntilCleared(shard, upTo: try outbox.lastOrder(toShard: shard))
        }
    }

    /// Takes over what the other shards have found out; returns the reports of devices that are gone.
    package func takeReports() async throws(StoreError) -> [ShardReport] {
        guard let otherShards else { return [] }
        var removed: [ShardReport] = []
        for shard in shards.others {
            while let found = try await otherShards.reports(of: shard) {
                removed += try await registry.take(found.reports)
                try await sync()
                try await otherShards.forgetReports(of: shard, upTo: found.last)
            }
        }
        return removed
    }
}
