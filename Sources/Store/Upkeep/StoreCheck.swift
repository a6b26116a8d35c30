import Kaspa

/// What a walk over all rows found: how many there are, and what does not fit together.
public struct StoreCheck: Sendable {
    /// More problems than this are counted, and not spelled out.
    public static let spelledOut = 100

    /// Rows by family; 0 for an empty one.
    public internal(set) var rows: [ColumnFamily: UInt64] = [:]
    /// The books as they stood at the moment of the walk, whether or not they balance.
    public internal(set) var books = Outbox.Books()
    /// A sentence for each problem, the first hundred.
    public private(set) var problems: [String] = []
    /// All problems, those not spelled out among them.
    public private(set) var problemCount: UInt64 = 0

    /// Whether no problem was found.
    public var isSound: Bool { problemCount == 0 }

    mutating func require(_ condition: Bool, _ problem: @autoclosure () -> String) {
        guard !condition else { return }
        problemCount += 1
        if problems.count < StoreCheck.spelledOut { problems.append(problem()) }
    }
}

extension Store {
    /// Reads every row of one moment, recounts what the books and totals say, and looks for rows that lost their
    /// counterpart.
    ///
    /// Takes as long as reading the store does, and constant memory. Errors: `StoreError`, among them `.corrupt` for a
    /// row that cannot be read.
    public func checkBooks() throws(StoreError) -> StoreCheck {
        var walk = StoreWalk(reading: Snapshot(database), network: network, limits: limits)
        return try walk.run()
    }
}

/// The walk of `checkBooks`: family by family, each row asked for its counterparts.
private struct StoreWalk {
    let reading: Snapshot
    let network: Network
    let limits: StoreLimits
    private var check = StoreCheck()
    private var watchEntries: UInt64 = 0
    private var longEvents: UInt64 = 0
    private var waitingForSenders: UInt64 = 0
    /// How far below the cursor every acceptance must be there, in blue score: 2.7 hours.
    ///
    /// It is kept for longer. But a node may send us back to its pruning point, a day and more, and what was forgotten
    /// from the height before is not missed there.
    private static let acceptancesLookedAt: UInt64 = 100_000
    /// The blue score below which acceptances may have been forgotten.
    private var reach: UInt64 = 0

    init(reading: Snapshot, network: Network, limits: StoreLimits) {
        self.reading = reading
        self.network = network
        self.limits = limits
    }

    mutating func run() throws(StoreError) -> StoreCheck {
        if let stored = try reading.get(.meta, MetaKey.cursor) {
            let score = try ChainCursor(encoded: stored).blueScore
            reach = score - min(score, StoreWalk.acceptancesLookedAt)
        }
        for family in ColumnFamily.allCases {
            check.rows[family] = 0
            try reading.scan(family, prefix: []) { (row) throws(StoreError) in
                check.rows[family, default: 0] += 1
                try look(at: row, in: family)
                return true
            }
        }
        let books = try reading.books()
        check.books = books
        check.require(books.balance, "the books do not balance: \(books)")
        try recount()
        return check
    }

    private mutating func recount() throws(StoreError) {
        let counted: [(Counter, UInt64)] = [
            (.devices, check.rows[.devices, default: 0]), (.watchEntries, watchEntries),
            (.deliveries, check.rows[.deliveries, default: 0]), (.events, check.rows[.events, default: 0]),
            (.deadLetters, check.rows[.deadLetters, default: 0]), (.eventsUnresolved, waitingForSenders),
            (.eventsLong, longEvents),
        ]
        for (counter, rows) in counted {
            let value = try reading.value(of: counter)
            check.require(value == rows, "\(counter.rawValue) says \(value), there are \(rows)")
        }
        check.require(
            check.rows[.deliveryLog] == check.rows[.deliveryLogByTime],
            "delivery_log and delivery_log_by_time have different numbers of rows")
        check.require(
            check.rows[.unresolvedTimes, default: 0] == 2 * check.rows[.unresolved, default: 0],
            "unresolved_times has not two rows for each of unresolved")
    }

    private mutating func look(at row: Row, in family: ColumnFamily) throws(StoreError) {
        switch family {
        case .meta, .groupBindings: break
        case .usedNonces: check.require(row.key.count == 8 + NonceUse.byteCount, "a used nonce of another length")
        case .releasedBindings: try lookAtReleasedBinding(row)
        case .operations: try lookAtOperation(row)
        case .operationLists: try lookAtListEntry(row)
        case .walletDevices:
            check.require(
                try has(.devices, Array(row.key.suffix(DeviceID.byteCount))), "a wallet's device that is not registered"
            )
        case .accepted:
            let id = Array(row.key.dropFirst(Hash.byteCount))
            let isTransfer = try has(.transfers, id)
            check.require(
                try has(.operations, id) || isTransfer, "an acceptance without an operation or a transfer")
        case .enqueued:
            check.require(
                try has(.enqueuedByTime, Array(row.value.prefix(8)) + Array(row.key)), "a marker without its time")
        case .enqueuedByTime:
            check.require(try has(.enqueued, Array(row.key.dropFirst(8))), "a marker's time without its marker")
        case .events: if try PushEvent(row, network: network).isLong(limits) { longEvents += 1 }
        case .devices: try lookAtDevice(row)
        case .deviceStates: try lookAtState(row)
        case .transfers: try lookAtTransfer(row)
        case .changes: _ = try ActivityChange(row, network: network)
        case .unconfirmed:
            let item = try UnconfirmedItem(row)
            check.require(
                try has(item.isTransfer ? .transfers : .operations, item.id.bytes),
                "an unconfirmed transaction that is not there")
        case .recentFunds:
            _ = try RecentPushes(encoded: Array(row.value))
            check.require(
                try has(.devices, Array(row.key.prefix(DeviceID.byteCount))),
                "recent pushes to a device that is not registered")
        case .reverted:
            _ = try RevertedRecord(encoded: Array(row.value))
            check.require(try has(.enqueued, Array(row.key)), "a reverted transaction that was never queued")
        case .retractions:
            check.require(
                try has(.reverted, Array(row.key.dropFirst(8))), "a retraction of what is not reverted")
        case .watchers: try lookAtWatcher(row)
        case .deliveries: try lookAtDelivery(row)
        case .schedule: try lookAtSchedule(row)
        case .deliveryLog: try lookAtLog(row)
        case .deliveryLogByTime:
            let (device, seq) = try DeliveryLogEntry.place(ofTimeKey: row.key)
            check.require(
                try has(.deliveryLog, Delivery.key(device, seq)), "a log time of device \(device) without its row")
        case .unresolved: try lookAtUnresolved(row)
        case .unresolvedTimes:
            check.require(
                try has(.unresolved, Array(row.key.suffix(Hash.byteCount))), "a sender's time without its question")
        case .deadLetters:
            let (device, seq) = try DeliveryLogEntry.place(ofTimeKey: row.key)
            let entry = try reading.logEntry(of: device, seq, network: network)
            check.require(
                entry?.state.isDeadLetter == true, "dead letter \(seq) of device \(device) is not so in its log")
        }
    }

    private func has(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> Bool {
        try reading.get(family, key) != nil
    }

    private mutating func lookAtReleasedBinding(_ row: Row) throws(StoreError) {
        let key = Array(row.key)
        if let device = ReleasedBinding.device(ofTimeKey: key) {
            let binding = try reading.releasedBinding(of: device, network: network)
            let isRight = binding.map { ReleasedBinding.timeKey($0.releasedAt, device) == key }
            check.require(isRight == true, "the time of a released binding of device \(device), which is not there")
        } else {
            let device = DeviceID(bytes: Array(key.dropFirst()))
            let binding = try ReleasedBinding(encoded: Array(row.value), network: network)
            check.require(
                try has(.releasedBindings, ReleasedBinding.timeKey(binding.releasedAt, device)),
                "the released binding of device \(device) has lost its time")
        }
    }

    private mutating func lookAtOperation(_ row: Row) throws(StoreError) {
        guard let id = Hash(bytes: Array(row.key)) else { throw ByteReader.corrupt("operations") }
        let operation = try OperationRecord(transactionID: id, encoded: Array(row.value), network: network)
        for list in operation.presentLists {
            check.require(
                try has(.operationLists, list.prefix + operation.position.bytes),
                "operation \(id) is missing in a list")
        }
        guard let acceptance = operation.acceptance, acceptance.blueScore >= reach else { return }
        check.require(
            try has(.accepted, acceptance.blockHash.bytes + id.bytes), "operation \(id) has lost its acceptance")
    }

    private mutating func lookAtListEntry(_ row: Row) throws(StoreError) {
        guard let position = OperationPosition(bytes: row.key.dropFirst(OperationList.prefixBytes)) else {
            throw ByteReader.corrupt("operation_lists")
        }
        let id = position.transactionID
        if row.key.first == OperationList.transfersTag {
            let transfer = try reading.transfer(id, network: network)
            let isRight = transfer?.listKeys.contains { $0.elementsEqual(row.key) }
            return check.require(isRight == true, "a list names transfer \(id), which does not belong there")
        }
        let operation = try reading.operation(id, network: network)
        let isRight = operation.map { operation in
            operation.position == position
                && operation.lists.contains { row.key.starts(with: $0.prefix) }
        }
        check.require(isRight == true, "a list names operation \(id), which does not belong there")
    }

    private mutating func lookAtUnresolved(_ row: Row) throws(StoreError) {
        let question = try UnresolvedSender(Array(row.key), Array(row.value), network: network)
        let id = question.transactionID
        if question.notifies { waitingForSenders += 1 }
        for key in question.timeKeys {
            check.require(try has(.unresolvedTimes, key), "the question about \(id) has lost its time")
        }
        check.require(
            try has(.accepted, question.acceptance.blockHash.bytes + id.bytes), "a question about what is not accepted")
        check.require(try reading.operation(id, network: network)?.sender == nil, "a question that is answered")
    }

    private mutating func lookAtDevice(_ row: Row) throws(StoreError) {
        let device = try DeviceRecord(encoded: Array(row.value), network: network)
        check.require(device.id.bytes.elementsEqual(row.key), "\(device) stands under another device's key")
        for key in device.watchKeys {
            watchEntries += 1
            check.require(try has(.watchers, key.bytes + device.id.bytes), "\(device) is missing in the watch index")
        }
        check.require(try has(.deviceStates, device.id.bytes), "\(device) has no state")
        guard let wallet = device.walletAddress else { return }
        check.require(
            try has(.walletDevices, wallet.storageKey + device.id.bytes), "\(device) is missing among its wallet's")
    }

    private mutating func lookAtState(_ row: Row) throws(StoreError) {
        let id = DeviceID(bytes: Array(row.key))
        let state = try DeviceState(encoded: Array(row.value))
        check.require(try has(.devices, id.bytes), "the state of device \(id), which is not registered")
        let waiting = try reading.seqs(of: id, limit: .max)
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
        check.require(try has(.schedule, scheduled.key(of: id).bytes), "device \(id) has lost its place")
        check.require(try has(.deliveries, Delivery.key(id, scheduled.seq)), "device \(id) waits for nothing")
    }

    private mutating func lookAtTransfer(_ row: Row) throws(StoreError) {
        guard let id = Hash(bytes: row.key) else { throw ByteReader.corrupt("transfers") }
        let transfer = try TransferRecord(transactionID: id, encoded: Array(row.value), network: network)
        // Rows of an older version stand in no list, and go with their markers.
        if transfer.listed.isEmpty {
            check.require(try has(.enqueued, id.bytes), "transfer \(id) was never queued")
        }
        for key in transfer.listKeys {
            check.require(try has(.operationLists, key), "transfer \(id) is missing in a list")
        }
        guard let acceptance = transfer.acceptance, acceptance.blueScore >= reach else { return }
        check.require(
            try has(.accepted, acceptance.blockHash.bytes + id.bytes), "transfer \(id) has lost its acceptance")
    }

    private mutating func lookAtWatcher(_ row: Row) throws(StoreError) {
        let id = try WatchKey.device(ofKey: row.key)
        let device = try reading.device(id, network: network)
        let subject = Array(row.key.prefix(WatchKey.prefixBytes))
        let isWatched = device?.watchKeys.contains { Array($0.bytes.prefix(WatchKey.prefixBytes)) == subject }
        check.require(isWatched == true, "the watch index names device \(id), which does not watch this")
    }

    private mutating func lookAtDelivery(_ row: Row) throws(StoreError) {
        let delivery = try Delivery(row, network: network)
        let (id, seq) = (delivery.device, delivery.seq)
        check.require(try has(.devices, id.bytes), "a delivery to device \(id), which is not registered")
        let entry = try reading.logEntry(of: id, seq, network: network)
        // The log may have forgotten it; what it remembers must agree.
        check.require(
            entry.map { $0.state == .queued && $0.transactionID == delivery.transactionID } ?? true,
            "delivery \(seq) of device \(id) waits, its log says \(entry?.state.description ?? "nothing")")
    }

    private mutating func lookAtSchedule(_ row: Row) throws(StoreError) {
        let key = try ScheduleKey(row.key)
        let state = try reading.deviceState(key.device)
        check.require(
            state.scheduled?.key(of: key.device) == key, "the schedule has a place of device \(key.device) too many")
    }

    private mutating func lookAtLog(_ row: Row) throws(StoreError) {
        let entry = try DeliveryLogEntry(row, network: network)
        check.require(try has(.devices, entry.device.bytes), "a log of device \(entry.device), which is not registered")
        check.require(
            try has(.deliveryLogByTime, entry.timeKey), "log row \(entry.seq) of device \(entry.device) has no time")
        guard entry.state == .queued else { return }
        check.require(
            try has(.deliveries, entry.key), "log row \(entry.seq) of device \(entry.device) waits for no delivery")
    }
}
