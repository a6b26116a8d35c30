import Kaspa

/// Shard 0's part: it tells another shard of an event as its own walk begins, if a device there may be meant.
extension WriteTransaction {
    /// Tells the other shards of an event whose walk has not begun.
    func tellOthers(of walk: FanOutWalk, network: Network) throws(StoreError) {
        guard shards.count > 1, shards.own == 0, let stored = try get(.events, PushEvent.key(walk.event)) else {
            return
        }
        let event = try PushEvent(number: walk.event, encoded: stored, network: network)
        guard event.progress == FanOutProgress() else { return }
        try tellOthers(of: event) { (shard) throws(StoreError) in
            for list in walk.lists
            where try !watchers(list, after: nil, in: shards.firstBytes(of: shard), limit: 1).isEmpty { return true }
            return false
        }
    }

    /// Tells those of the other shards that `concerns` names.
    func tellOthers<Failure: Error>(
        of event: PushEvent, _ concerns: (Int) throws(Failure) -> Bool
    ) throws(Failure) {
        guard shards.own == 0 else { return }
        for shard in shards.others where try concerns(shard) {
            tell(ShardOrder(.event, record: event.encoded), shard: shard)
        }
    }
}

/// Another shard's part.
extension Outbox {
    /// The number of the last order that this shard has taken over; 0: none.
    ///
    /// Answered from memory.
    public func lastTakenOrder() throws(StoreError) -> UInt64 { try database.number(at: MetaKey.takenOrder) }

    /// Takes over orders in one batch, each once, however often it comes.
    ///
    /// Returns the devices that are gone, and whether the orders are cleared at once, as those before them are and nobody
    /// is gone.
    public func take(_ orders: [NumberedOrder]) async throws(StoreError) -> (removed: [DeviceID], isCleared: Bool) {
        let network = network
        return try await write { (transaction) throws(StoreError) in
            let last = try transaction.number(at: MetaKey.takenOrder)
            let fresh = orders.filter { $0.number > last }
            guard let newest = fresh.last else { return ([], true) }
            try transaction.willRead {
                var ahead = RowsAhead()
                let devices = fresh.lazy.filter { $0.order.kind != .event }.map { DeviceID(bytes: $0.order.key) }
                ahead.addRegistrations(of: devices)
                ahead.addStates(of: devices)
                return ahead
            }
            var removed: [DeviceID] = []
            for numbered in fresh {
                let (order, id) = (numbered.order, DeviceID(bytes: numbered.order.key))
                switch order.kind {
                case .registration:
                    try transaction.adjust(.devices, by: transaction.deviceRow(id) == nil ? 1 : 0)
                    transaction.put(.devices, order.key, order.record)
                    try transaction.noteRegistered(id)
                case .removal:
                    try transaction.forgetDevice(id, network: network)
                    removed.append(id)
                case .event:
                    var event = try PushEvent(number: 0, encoded: order.record, network: network)
                    try transaction.putEvent { number in
                        event.number = number
                        return event
                    }
                }
            }
            transaction.put(.meta, MetaKey.takenOrder, PushEvent.key(newest.number))
            transaction.lastTakenOrder = newest.number
            let cleared = try transaction.number(at: MetaKey.clearedOrder)
            let isCleared = removed.isEmpty && cleared == last
            if isCleared { transaction.put(.meta, MetaKey.clearedOrder, PushEvent.key(newest.number)) }
            return (removed, isCleared)
        }
    }

    /// Writes down that nothing is on its way any more to a device that orders up to `number` have removed.
    package func noteCleared(_ number: UInt64) async throws(StoreError) {
        try await write { (transaction) throws(StoreError) in
            guard try transaction.number(at: MetaKey.clearedOrder) < number else { return }
            transaction.put(.meta, MetaKey.clearedOrder, PushEvent.key(number))
        }
    }

    /// The number of the last order that this shard was told, as shard 0 knows it; 0: none.
    ///
    /// Answered from memory.
    package func lastOrder(toShard shard: Int) throws(StoreError) -> UInt64 {
        try database.number(at: MetaKey.lastOrder(toShard: shard))
    }
}

extension WriteTransaction {
    /// Removes a device because of an answer; returns how many deliveries waited.
    ///
    /// Another shard only tells shard 0, which has the say: the device may have registered anew meanwhile, and then keeps
    /// what waits and its numbers.
    func drop(_ id: DeviceID, _ reason: ShardReport.Kind, network: Network) throws(StoreError) -> Int? {
        guard shards.own > 0 else { return try removeDevice(id, network: network) }
        if let row = try deviceRow(id) { report(ShardReport(reason, id, record: row)) }
        return nil
    }

    /// Deletes this shard's copy of a registration and all that waits for the device; returns how many deliveries did.
    @discardableResult
    fileprivate func forgetDevice(_ id: DeviceID, network: Network) throws(StoreError) -> Int {
        if try deviceRow(id) != nil {
            delete(.devices, id.bytes)
            try adjust(.devices, by: -1)
        }
        return try forgetDeliveries(of: id, network: network)
    }

    /// Numbers what the other shards are told of this, after what they were told before.
    package func numberOrders() throws(StoreError) -> [Int: [NumberedOrder]] {
        var numbered: [Int: [NumberedOrder]] = [:]
        for (shard, orders) in orders {
            let key = MetaKey.lastOrder(toShard: shard)
            let last = try number(at: key)
            numbered[shard] = orders.enumerated().map { place, order in
                NumberedOrder(number: last + UInt64(place) + 1, order: order)
            }
            put(.meta, key, PushEvent.key(last + UInt64(orders.count)))
        }
        return numbered
    }
}

extension StoreReading {
    /// A number in `meta`; 0 if there is none.
    package func number(at key: [UInt8]) throws(StoreError) -> UInt64 {
        guard let stored = try get(.meta, key) else { return 0 }
        return try Self.count(stored)
    }
}

extension Registry {
    /// Does what another shard has reported, if the registration is still the same; returns the reports of devices that are
    /// gone.
    package func take(_ reports: [ShardReport]) async throws(StoreError) -> [ShardReport] {
        guard !reports.isEmpty else { return [] }
        let network = network
        return try await write { (transaction) throws(StoreError) in
            try transaction.willRead {
                var ahead = RowsAhead()
                ahead.addRegistrations(of: reports.lazy.map(\.device))
                return ahead
            }
            var removed: [ShardReport] = []
            for report in reports {
                switch report.kind {
                case .gone, .invalidToken, .neverAccepted:
                    guard try transaction.deviceRow(report.device) == report.record,
                        try transaction.removeDevice(report.device, network: network) != nil
                    else { continue }
                    removed.append(report)
                case .environment:
                    guard let byte = report.record.first, let environment = DeviceRecord.Environment(rawValue: byte)
                    else { throw ByteReader.corrupt("report") }
                    try transaction.noteEnvironment(environment, of: report.device, network: network)
                }
            }
            return removed
        }
    }
}
