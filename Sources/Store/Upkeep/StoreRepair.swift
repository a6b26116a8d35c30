import Kaspa

/// What a repair changed: rows by family, and totals that were wrong.
public struct StoreRepair: Equatable, Sendable {
    /// Rows that were missing, or were set right, by family.
    public internal(set) var added: [ColumnFamily: UInt64] = [:]
    /// Rows that belonged to nothing, by family.
    public internal(set) var removed: [ColumnFamily: UInt64] = [:]
    /// A sentence for each total that was set right.
    public internal(set) var totals: [String] = []

    /// Whether everything was right before.
    public var changedNothing: Bool { added.isEmpty && removed.isEmpty && totals.isEmpty }

    mutating func add(_ other: StoreRepair) {
        added.merge(other.added) { $0 &+ $1 }
        removed.merge(other.removed) { $0 &+ $1 }
        totals += other.totals
    }
}

extension Store {
    /// Rows that one batch of a repair looks at: its memory and the length of its write.
    static let repairBatch = 1_000

    /// Makes every index again what the rows say that it leads to; durable on return.
    ///
    /// Registrations, deliveries, the log, markers, transfers and questions about senders are believed; what names a
    /// device that is not registered goes. Nobody else may write meanwhile. `progress` hears of each family before its
    /// rows are read, and of the rows read so far.
    /// Errors: `StoreError`, among them `.corrupt` for a registration that cannot be read: a repair invents none.
    public func repairIndexes(
        now: UInt64, _ progress: @Sendable (ColumnFamily, UInt64) -> Void = { _, _ in }
    ) async throws(StoreError) -> StoreRepair {
        var repair = StoreRepair()
        // Registrations first: what the other walks look for is in its place then.
        for family in IndexRepair.order {
            repair.add(try await repairRows(of: family, IndexRepair(network: network, now: now), progress))
        }
        repair.add(try await repairTotals())
        try await sync()
        return repair
    }

    private func repairRows(
        of family: ColumnFamily, _ rules: IndexRepair, _ progress: @Sendable (ColumnFamily, UInt64) -> Void
    ) async throws(StoreError) -> StoreRepair {
        var repair = StoreRepair()
        var next: [UInt8]? = []
        var seen: UInt64 = 0
        while let start = next {
            progress(family, seen)
            let (step, count, last) = try await write { (transaction) throws(StoreError) in
                let rows = try transaction.list(
                    family, from: start, below: KeyBytes.successor(ofPrefix: []), limit: Store.repairBatch
                ) { (row) throws(StoreError) in (key: Array(row.key), value: Array(row.value)) }
                var writer = RepairWriter(transaction)
                for row in rows { try rules.look(at: row.key, row.value, in: family, &writer) }
                return (writer.repair, rows.count, rows.last?.key)
            }
            repair.add(step)
            seen &+= UInt64(count)
            next = count < Store.repairBatch ? nil : last.map { $0 + [0] }
        }
        return repair
    }

    private func repairTotals() async throws(StoreError) -> StoreRepair {
        let counted = try countRows()
        return try await write { (transaction) throws(StoreError) in
            var writer = RepairWriter(transaction)
            for (counter, count) in counted { try writer.set(counter, to: count) }
            // What is gone was created once: the books balance again on what is known.
            let books = try transaction.books()
            try writer.set(
                .eventsCreated,
                to: books.eventsQueued &+ books.eventsFannedOut &+ books.eventsWithdrawn &+ books.eventsUnresolved
                    &+ books.eventsSuppressed &+ books.eventsExpired)
            try writer.set(
                .deliveriesCreated,
                to: books.deliveriesQueued &+ books.deliveriesDelivered &+ books.deliveriesDead
                    &+ books.deliveriesExpired &+ books.deliveriesSuppressed)
            return writer.repair
        }
    }

    /// What each counter should show, by the rows that it counts.
    private func countRows() throws(StoreError) -> [(Counter, UInt64)] {
        let everyRow: (Row) -> Bool = { _ in true }
        // A row that cannot be read is told by `check`.
        return [
            (.devices, try count(.devices, where: everyRow)),
            (.watchEntries, try count(.watchers, where: everyRow)),
            (.deliveries, try count(.deliveries, where: everyRow)),
            (.events, try count(.events, where: everyRow)),
            (.deadLetters, try count(.deadLetters, where: everyRow)),
            (
                .eventsUnresolved,
                try count(.unresolved) {
                    (try? UnresolvedSender(Array($0.key), Array($0.value), network: network))?.notifies == true
                }
            ),
            (.eventsLong, try count(.events) { (try? PushEvent($0, network: network))?.isLong(limits) == true }),
        ]
    }

    private func count(_ family: ColumnFamily, where counts: (Row) -> Bool) throws(StoreError) -> UInt64 {
        var count: UInt64 = 0
        try database.scan(family, prefix: []) { row in
            if counts(row) { count += 1 }
            return true
        }
        return count
    }
}

/// Writes and keeps account of it.
private struct RepairWriter {
    let transaction: WriteTransaction
    var repair = StoreRepair()

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    func has(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> Bool {
        try transaction.get(family, key) != nil
    }

    mutating func delete(_ family: ColumnFamily, _ key: [UInt8]) {
        transaction.delete(family, key)
        repair.removed[family, default: 0] += 1
    }

    mutating func add(_ family: ColumnFamily, _ key: [UInt8], _ value: [UInt8] = []) throws(StoreError) {
        guard try !has(family, key) else { return }
        transaction.put(family, key, value)
        repair.added[family, default: 0] += 1
    }

    mutating func set(_ counter: Counter, to count: UInt64) throws(StoreError) {
        let value = try transaction.value(of: counter)
        guard value != count else { return }
        var bytes = ByteWriter(capacity: 8)
        bytes.write(count)
        transaction.put(.meta, counter.key, bytes.bytes)
        repair.totals.append("\(counter.rawValue) said \(value), there are \(count)")
    }
}

/// What is right for a row of each family.
private struct IndexRepair {
    static let order: [ColumnFamily] = [
        .devices, .watchers, .walletDevices, .deviceStates, .deliveries, .deliveryLog, .deliveryLogByTime,
        .deadLetters, .recentFunds, .schedule, .enqueued, .enqueuedByTime, .reverted, .retractions, .operations,
        .transfers, .operationLists, .accepted, .unconfirmed, .unresolved, .unresolvedTimes, .releasedBindings,
    ]

    let network: Network
    /// Milliseconds since 1970: when a delivery is due that has lost its place.
    let now: UInt64

    func look(
        at key: [UInt8], _ value: [UInt8], in family: ColumnFamily, _ writer: inout RepairWriter
    ) throws(StoreError) {
        switch family {
        case .devices: try restoreIndexes(of: DeviceRecord(encoded: value, network: network), &writer)
        case .watchers: try lookAtWatcher(key, &writer)
        case .walletDevices:
            let wallet = try device(Array(key.suffix(DeviceID.byteCount)), writer)?.walletAddress?.storageKey
            if wallet != Array(key.dropLast(DeviceID.byteCount)) { writer.delete(family, key) }
        case .deviceStates, .deliveries, .deliveryLog, .recentFunds:
            if try !writer.has(.devices, Array(key.prefix(DeviceID.byteCount))) { writer.delete(family, key) }
        case .deliveryLogByTime:
            if try !writer.has(.deliveryLog, Array(key.dropFirst(8))) { writer.delete(family, key) }
        case .deadLetters:
            if try !hasDeadLetterRow(key, writer) { writer.delete(family, key) }
        case .schedule:
            let place = try? key.withUnsafeBytes { (bytes) throws(StoreError) in try ScheduleKey(bytes) }
            let state = try place.map { (place) throws(StoreError) in try writer.transaction.deviceState(place.device) }
            if place == nil || state?.scheduled?.key(of: place?.device ?? DeviceID(bytes: [])) != place {
                writer.delete(family, key)
            }
        case .enqueued: try writer.add(.enqueuedByTime, Array(value.prefix(8)) + key)
        case .enqueuedByTime:
            if try !writer.has(.enqueued, Array(key.dropFirst(8))) { writer.delete(family, key) }
        case .reverted:
            if try !writer.has(.enqueued, key) { writer.delete(family, key) }
        case .retractions:
            if try !writer.has(.reverted, Array(key.dropFirst(8))) { writer.delete(family, key) }
        case .operations: try restoreIndexes(ofOperation: key, value, &writer)
        case .transfers: try restoreIndexes(ofTransfer: key, value, &writer)
        case .operationLists:
            if try !belongs(toList: key, writer) { writer.delete(family, key) }
        case .accepted:
            if try !isKnown(Array(key.dropFirst(Hash.byteCount)), writer) { writer.delete(family, key) }
        case .unconfirmed:
            if try !isKnown(Array(key.dropFirst(8)), writer) { writer.delete(family, key) }
        case .unresolved:
            guard let question = try? UnresolvedSender(key, value, network: network) else { break }
            for key in question.timeKeys { try writer.add(.unresolvedTimes, key) }
            let id = question.transactionID
            if try writer.has(.operations, id.bytes) {
                try writer.add(.accepted, question.acceptance.blockHash.bytes + id.bytes)
            }
        case .unresolvedTimes:
            let id = Hash(bytes: Array(key.dropFirst(9)))
            let question = try id.map { (id) throws(StoreError) in
                try writer.transaction.unresolvedSender(of: id, network: network)
            }
            if question??.timeKeys.contains(key) != true { writer.delete(family, key) }
        case .releasedBindings:
            if let device = ReleasedBinding.device(ofTimeKey: key) {
                let binding = try writer.transaction.releasedBinding(of: device, network: network)
                let isRight = binding.map { ReleasedBinding.timeKey($0.releasedAt, device) == key }
                if isRight != true { writer.delete(family, key) }
            } else {
                let binding = try ReleasedBinding(encoded: value, network: network)
                let device = DeviceID(bytes: Array(key.dropFirst()))
                try writer.add(family, ReleasedBinding.timeKey(binding.releasedAt, device))
            }
        default: break
        }
    }

    private func device(_ id: [UInt8], _ writer: RepairWriter) throws(StoreError) -> DeviceRecord? {
        try writer.transaction.device(DeviceID(bytes: id), network: network)
    }

    private func lookAtWatcher(_ key: [UInt8], _ writer: inout RepairWriter) throws(StoreError) {
        let subject = Array(key.prefix(WatchKey.prefixBytes))
        let device = try device(Array(key.dropFirst(WatchKey.prefixBytes)), writer)
        let isWatched = device?.watchKeys.contains { $0.bytes == subject } ?? false
        if !isWatched || key.count != WatchKey.prefixBytes + DeviceID.byteCount { writer.delete(.watchers, key) }
    }

    /// Whether the log says of a dead letter that it is one.
    private func hasDeadLetterRow(_ key: [UInt8], _ writer: RepairWriter) throws(StoreError) -> Bool {
        guard key.count == 8 + DeviceID.byteCount + 8 else { return false }
        var reader = ByteReader(Array(key.dropFirst(8)))
        let (device, seq) = (try reader.readDeviceID(), try reader.readUInt64())
        guard try writer.has(.deliveryLog, Delivery.key(device, seq)) else { return false }
        // A log row that cannot be read says nothing against it.
        guard let entry = try? writer.transaction.logEntry(of: device, seq, network: network) else { return true }
        return entry.state.isDeadLetter
    }

    /// Whether a transaction is an operation or a transfer.
    private func isKnown(_ id: [UInt8], _ writer: RepairWriter) throws(StoreError) -> Bool {
        if try writer.has(.operations, id) { return true }
        return try writer.has(.transfers, id)
    }

    /// Whether what a list names stands in it.
    private func belongs(toList key: [UInt8], _ writer: RepairWriter) throws(StoreError) -> Bool {
        guard let position = OperationPosition(bytes: key.dropFirst(OperationList.prefixBytes)) else { return false }
        let id = position.transactionID
        if key.first == OperationList.transfersTag {
            return try writer.transaction.transfer(id, network: network)?.listKeys.contains(key) == true
        }
        guard try writer.has(.operations, id.bytes) else { return false }
        // Where one that cannot be read belongs, nobody knows.
        guard let operation = try? writer.transaction.operation(id, network: network) else { return true }
        return operation.position == position && operation.lists.contains { key.starts(with: $0.prefix) }
    }

    private func restoreIndexes(
        ofOperation key: [UInt8], _ value: [UInt8], _ writer: inout RepairWriter
    ) throws(StoreError) {
        guard let id = Hash(bytes: key) else { return writer.delete(.operations, key) }
        // One that cannot be read stays as it is, and holds up no other.
        guard let operation = try? OperationRecord(transactionID: id, encoded: value, network: network) else { return }
        for list in operation.presentLists { try writer.add(.operationLists, list.prefix + operation.position.bytes) }
        try restoreAcceptance(operation.acceptance, of: id, &writer)
    }

    /// What a removed chain block takes back.
    private func restoreAcceptance(
        _ acceptance: OperationRecord.Acceptance?, of id: TransactionID, _ writer: inout RepairWriter
    ) throws(StoreError) {
        let score = try writer.transaction.chainBlueScore()
        // Deeper ones are not taken back any more, and were forgotten.
        guard let acceptance, score - min(score, acceptance.blueScore) <= History.reorganizationDepth else { return }
        try writer.add(.accepted, acceptance.blockHash.bytes + id.bytes)
    }

    private func restoreIndexes(
        ofTransfer key: [UInt8], _ value: [UInt8], _ writer: inout RepairWriter
    ) throws(StoreError) {
        guard let id = Hash(bytes: key) else { return writer.delete(.transfers, key) }
        let transfer = try TransferRecord(transactionID: id, encoded: value, network: network)
        // What an older version kept goes with its marker.
        if transfer.listed.isEmpty, try !writer.has(.enqueued, key) { return writer.delete(.transfers, key) }
        for key in transfer.listKeys { try writer.add(.operationLists, key) }
        try restoreAcceptance(transfer.acceptance, of: id, &writer)
    }

    private func restoreIndexes(of device: DeviceRecord, _ writer: inout RepairWriter) throws(StoreError) {
        let id = device.id
        for key in device.watchKeys { try writer.add(.watchers, key.bytes + id.bytes) }
        if let wallet = device.walletAddress { try writer.add(.walletDevices, wallet.storageKey + id.bytes) }
        try restorePlace(of: id, &writer)
        try restoreLogTimes(of: id, &writer)
    }

    /// The device's state: a place in the schedule exactly if something waits, in its own lane, and how much does.
    ///
    /// A state that is lost begins as that of a token that Apple has accepted: a device that was told of messages must
    /// not be taken for one that is made up.
    private func restorePlace(of id: DeviceID, _ writer: inout RepairWriter) throws(StoreError) {
        let waiting = try writer.transaction.seqs(of: id, limit: .max)
        let isKnown = try writer.has(.deviceStates, id.bytes)
        let before = try writer.transaction.deviceState(id)
        var state = before
        if !isKnown {
            state.lastSeq = try lastNumber(of: id, writer)
            state.isAccepted = true
        }
        if let scheduled = state.scheduled {
            let isListed = try writer.has(.schedule, scheduled.key(of: id).bytes)
            let isOwn = scheduled.lane == state.lane(scheduled.lane)
            if !isListed || !isOwn || !waiting.contains(scheduled.seq) { state.end() }
        }
        if state.scheduled == nil, let first = waiting.first {
            let place = DeviceState.Scheduled(seq: first, due: now, lane: state.lane(.ordinary))
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

    private func restoreLogTimes(of id: DeviceID, _ writer: inout RepairWriter) throws(StoreError) {
        var times: [[UInt8]] = []
        try writer.transaction.scan(.deliveryLog, prefix: id.bytes) { (row) throws(StoreError) in
            times.append(try DeliveryLogEntry(row, network: network).timeKey)
            return true
        }
        for time in times { try writer.add(.deliveryLogByTime, time) }
    }
}
