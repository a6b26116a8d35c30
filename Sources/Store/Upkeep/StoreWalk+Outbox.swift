/// Rows of the outbox.
extension StoreWalk {
    mutating func lookAtMarker(_ row: Row) throws(StoreError) {
        check.require(
            try has(.enqueuedByTime, Array(row.value.prefix(8)) + Array(row.key)), "a marker without its time")
    }

    mutating func lookAtMarkerTime(_ row: Row) throws(StoreError) {
        check.require(try has(.enqueued, Array(row.key.dropFirst(8))), "a marker's time without its marker")
    }

    mutating func lookAtDelivery(_ row: Row) throws(StoreError) {
        let delivery = try Delivery(row, network: network)
        let (id, seq) = (delivery.device, delivery.seq)
        check.require(try has(.devices, id.bytes), "a delivery to device \(id), which is not registered")
        let entry = try reading.logEntry(of: id, seq, network: network)
        // The log may have forgotten it; what it remembers must agree.
        check.require(
            entry.map { $0.state == .queued && $0.transactionID == delivery.transactionID } ?? true,
            "delivery \(seq) of device \(id) waits, its log says \(entry?.state.description ?? "nothing")")
        let last = try reading.storedDeviceState(id).lastSeq
        let isForgotten = delivery.queuedAt < oldestLogTime || limits.logForgets(seq, after: last)
        guard !isForgotten else { return }
        check.require(
            try has(.deliveryLogByTime, DeliveryLogEntry(delivery).timeKey),
            "delivery \(seq) of device \(id) has no time in the log")
    }

    mutating func lookAtState(_ row: Row) throws(StoreError) {
        let id = DeviceID(bytes: Array(row.key))
        var state = try DeviceState(encoded: Array(row.value))
        check.require(try has(.devices, id.bytes), "the state of device \(id), which is not registered")
        let waiting = try reading.seqs(of: id, limit: .max)
        if waiting.isEmpty, state.only != nil, let place = state.scheduled?.key(of: id),
            try !has(.schedule, place.bytes)
        {
            state.end()
        }
        check.require(
            waiting.isEmpty == (state.scheduled == nil), "device \(id) waits without a place, or has one without need")
        check.require(
            state.waiting == waiting.count, "device \(id) says that \(state.waiting) wait, there are \(waiting.count)")
        guard let scheduled = state.scheduled else { return }
        check.require(
            waiting.allSatisfy { $0 == scheduled.seq || $0 >= state.firstKept },
            "of device \(id) one waits before the first that is kept")
        check.require(
            (scheduled.lane == .probation) != state.isAccepted, "device \(id) stands in a lane that is not its own")
        check.require(
            scheduled.carrier == (try reading.carrier(of: id)), "device \(id) waits for a carrier that is not its own")
        check.require(try has(.schedule, scheduled.key(of: id).bytes), "device \(id) has lost its place")
        check.require(try has(.deliveries, Delivery.key(id, scheduled.seq)), "device \(id) waits for nothing")
    }

    mutating func lookAtSchedule(_ row: Row) throws(StoreError) {
        let key = try ScheduleKey(row.key)
        let state = try reading.deviceState(key.device)
        check.require(
            state.scheduled?.key(of: key.device) == key, "the schedule has a place of device \(key.device) too many")
    }

    mutating func lookAtLog(_ row: Row) throws(StoreError) {
        let entry = try DeliveryLogEntry(row, network: network)
        check.require(try has(.devices, entry.device.bytes), "a log of device \(entry.device), which is not registered")
        check.require(
            try has(.deliveryLogByTime, entry.timeKey), "log row \(entry.seq) of device \(entry.device) has no time")
        guard entry.state == .queued else { return }
        check.require(
            try has(.deliveries, entry.key), "log row \(entry.seq) of device \(entry.device) waits for no delivery")
    }

    mutating func lookAtLogTime(_ row: Row) throws(StoreError) {
        let (device, seq) = try DeliveryLogEntry.place(ofTimeKey: row.key)
        let key = Delivery.key(device, seq)
        let (hasRow, waits) = (try has(.deliveryLog, key), try has(.deliveries, key))
        check.require(hasRow || waits, "a log time of device \(device) without its row")
    }

    mutating func lookAtDeadLetter(_ row: Row) throws(StoreError) {
        let (device, seq) = try DeliveryLogEntry.place(ofTimeKey: row.key)
        let entry = try reading.logEntry(of: device, seq, network: network)
        check.require(
            entry?.state.isDeadLetter == true, "dead letter \(seq) of device \(device) is not so in its log")
    }

    mutating func lookAtRecentPushes(_ row: Row) throws(StoreError) {
        _ = try RecentPushes(encoded: Array(row.value))
        check.require(
            try has(.devices, Array(row.key.prefix(DeviceID.byteCount))),
            "recent pushes to a device that is not registered")
    }

    mutating func lookAtReverted(_ row: Row) throws(StoreError) {
        _ = try RevertedRecord(encoded: Array(row.value))
        check.require(try has(.enqueued, Array(row.key)), "a reverted transaction that was never queued")
    }

    mutating func lookAtRetraction(_ row: Row) throws(StoreError) {
        check.require(try has(.reverted, Array(row.key.dropFirst(8))), "a retraction of what is not reverted")
    }
}
