import Kaspa

/// What a fan-out reads, for an engine that reads all of it at once.
extension WriteTransaction {
    /// Watchers of each list that are read ahead, at least: most lists have fewer.
    private static let watchersAhead = 64

    /// What the first step of these walks reads, for an engine that reads all of it at once.
    func rows(
        of walks: [FanOutWalk], limit: Int, _ limits: StoreLimits, _ network: Network
    ) throws(StoreError) -> RowsAhead {
        try willRead {
            var events = RowsAhead()
            events.add(.events, walks.lazy.map { PushEvent.key($0.event) })
            return events
        }
        var lists: [(key: WatchKey, last: DeviceID?, hourly: HourlyLimit?)] = []
        for walk in walks {
            guard let stored = try get(.events, PushEvent.key(walk.event)) else { continue }
            let event = try PushEvent(number: walk.event, encoded: stored, network: network)
            for (place, key) in walk.lists.enumerated() where place >= Int(event.progress.list) {
                let last = place == Int(event.progress.list) ? event.progress.last : nil
                lists.append((key, last, HourlyLimit(of: event.kind, key)))
            }
        }
        let most = min(limit, max(limit / max(lists.count, 1), WriteTransaction.watchersAhead))
        try willRead {
            var watchers = RowsAhead()
            let own = shards.firstBytes(of: shards.own)
            for list in lists {
                watchers.addWatchers(list.key, after: list.last, in: own, limit: most, reading: self)
                // What the first step of an event asks about the other shards.
                guard list.last == nil, shards.own == 0 else { continue }
                for shard in shards.others {
                    watchers.addWatchers(
                        list.key, after: nil, in: shards.firstBytes(of: shard), limit: 1, reading: self)
                }
            }
            return watchers
        }
        var found: [(devices: [DeviceID], hourly: HourlyLimit?)] = []
        for list in lists {
            let own = shards.firstBytes(of: shards.own)
            found.append((try watchers(list.key, after: list.last, in: own, limit: most), list.hourly))
        }
        return try rows(of: found, limits)
    }

    /// What is read about watchers: their registrations and states, the pushes that an hourly limit counts, the only
    /// delivery that waits, and the log rows that new ones push out.
    func rows(
        of lists: [(devices: [DeviceID], hourly: HourlyLimit?)], _ limits: StoreLimits
    ) throws(StoreError) -> RowsAhead {
        let devices = Set(lists.lazy.flatMap(\.devices))
        try willRead {
            var ahead = RowsAhead()
            ahead.addStates(of: devices)
            ahead.addRegistrations(of: devices)
            for list in lists {
                guard let hourly = list.hourly else { continue }
                ahead.add(.recentFunds, list.devices.lazy.map(hourly.key))
            }
            return ahead
        }
        var ahead = RowsAhead()
        var last: [DeviceID: UInt64] = [:]
        for device in lists.lazy.flatMap(\.devices) {
            var next = last[device] ?? 0
            if next == 0 {
                let state = try storedDeviceState(device)
                addOnlyDelivery(of: device, state, to: &ahead)
                next = state.lastSeq
            }
            next += 1
            last[device] = next
            guard next > limits.logPerDevice else { continue }
            for family in [ColumnFamily.deliveryLog, .deliveries] {
                ahead.add(family, CollectionOfOne(Delivery.key(device, next - limits.logPerDevice)))
            }
        }
        return ahead
    }
}

extension HourlyLimit {
    /// The one that a rule may name for an event and a watcher list: so it is known what will be read.
    init?(of kind: PushKind, _ list: WatchKey) {
        switch (kind, list) {
        case (.payment, _), (.handshake, _): self = .strangers
        case (_, .inbox): self = .inbox
        case (_, .channel): self = .broadcast
        case (_, .funds): self = .funds
        default: return nil
        }
    }
}
