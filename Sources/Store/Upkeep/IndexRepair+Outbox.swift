/// Rows of the outbox.
extension IndexRepair {
    func lookAtSchedule(_ key: [UInt8], _ writer: inout RepairWriter) throws(StoreError) {
        let place = try? key.withUnsafeBytes { (bytes) throws(StoreError) in try ScheduleKey(bytes) }
        let state = try place.map { (place) throws(StoreError) in try writer.transaction.deviceState(place.device) }
        if place == nil || state?.scheduled?.key(of: place?.device ?? DeviceID(bytes: [])) != place {
            writer.delete(.schedule, key)
        }
    }

    /// Whether the log says of a dead letter that it is one.
    func hasDeadLetterRow(_ key: [UInt8], _ writer: RepairWriter) throws(StoreError) -> Bool {
        guard key.count == 8 + DeviceID.byteCount + 8 else { return false }
        var reader = ByteReader(Array(key.dropFirst(8)))
        let (device, seq) = (try reader.readDeviceID(), try reader.readUInt64())
        guard try writer.has(.deliveryLog, Delivery.key(device, seq)) else { return false }
        // A log row that cannot be read says nothing against it.
        guard let entry = try? writer.transaction.logEntry(of: device, seq, network: network) else { return true }
        return entry.state.isDeadLetter
    }

    /// The device's state: a place in the schedule exactly if something waits, in its own lane, and how much does.
    ///
    /// A state that is lost begins as that of a token that Apple has accepted: a device that was told of messages must
    /// not be taken for one that is made up.
    func restorePlace(of id: DeviceID, _ writer: inout RepairWriter) throws(StoreError) {
        let waiting = try writer.transaction.seqs(of: id, limit: .max)
        let isKnown = try writer.has(.deviceStates, id.bytes)
        let before = try writer.transaction.deviceState(id)
        var state = before
        if !isKnown {
            state.lastSeq = try lastNumber(of: id, writer)
            state.isAccepted = true
        }
        let carrier = try writer.transaction.carrier(of: id)
        if let scheduled = state.scheduled {
            let isListed = try writer.has(.schedule, scheduled.key(of: id).bytes)
            let isOwn = scheduled.lane == state.lane(scheduled.lane) && scheduled.carrier == carrier
            if !isListed || !isOwn || !waiting.contains(scheduled.seq) { state.end() }
        }
        if state.scheduled == nil, let first = waiting.first {
            let place = DeviceState.Scheduled(seq: first, due: now, lane: state.lane(.ordinary), carrier: carrier)
            state.begin(place, rest: 0)
            try writer.add(.schedule, place.key(of: id).bytes)
        }
        if let first = state.scheduled?.seq {
            state.waiting = UInt32(clamping: waiting.count)
            state.firstKept = min(state.firstKept, waiting.first { $0 != first } ?? .max)
        } else {
            state.end()
        }
        guard !isKnown || state != before else { return }
        writer.transaction.put(.deviceStates, id.bytes, state.encoded)
        writer.repair.added[.deviceStates, default: 0] += 1
    }

    /// The greatest number that the log or the queue knows: the next delivery must not repeat one.
    private func lastNumber(of id: DeviceID, _ writer: RepairWriter) throws(StoreError) -> UInt64 {
        var last: UInt64 = 0
        for family in [ColumnFamily.deliveryLog, .deliveries] {
            try writer.transaction.scan(family, prefix: id.bytes) { (row) throws(StoreError) in
                var reader = ByteReader(Array(row.key.suffix(8)))
                last = max(last, try reader.readUInt64())
                return true
            }
        }
        return last
    }

    func restoreLogTimes(of id: DeviceID, _ writer: inout RepairWriter) throws(StoreError) {
        var times = try writer.transaction.deliveries(of: id, limit: .max, network: network)
            .map { DeliveryLogEntry($0).timeKey }
        try writer.transaction.scan(.deliveryLog, prefix: id.bytes) { (row) throws(StoreError) in
            times.append(try DeliveryLogEntry(row, network: network).timeKey)
            return true
        }
        for time in times { try writer.add(.deliveryLogByTime, time) }
    }
}
