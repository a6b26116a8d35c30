import KasiaProtocol
import Kaspa

@testable import Store

/// What a store should hold, in plain dictionaries: the same verbs, written a second time and without any engine.
struct StoreModel {
    struct Acceptance: Hashable {
        let block: BlockHash
        let transaction: TransactionID
    }

    struct Marker {
        let time: UInt64
        let event: UInt64
    }

    static let confirmations: UInt64 = 3
    static let longWalk: UInt64 = 3
    /// Deliveries that wait for a device, and for one on probation.
    static let queue = 4
    static let probationQueue = 2
    static let numbered: UInt64 = 4

    /// Log rows of a device.
    var logPerDevice: UInt64 = 2

    var cursor: ChainCursor?
    var operations: [TransactionID: OperationRecord] = [:]
    var transfers: [TransactionID: TransferRecord] = [:]
    var accepted: Set<Acceptance> = []
    /// Where each operation is listed: as it was last written, pending or accepted.
    var listed: [TransactionID: Set<[UInt8]>] = [:]
    /// Accepted operations that were never old enough.
    var unconfirmed: Set<TransactionID> = []
    var owners: [[UInt8]: [UInt8]] = [:]
    var markers: [TransactionID: Marker] = [:]
    var lastEvent: UInt64 = 0
    var events: [UInt64: PushEvent] = [:]
    var devices: [DeviceID: DeviceRecord] = [:]
    var states: [DeviceID: DeviceState] = [:]
    var deliveries: [DeviceID: [UInt64: Delivery]] = [:]
    /// Log rows, the newest of a device.
    var log: [DeviceID: [UInt64: DeliveryLogEntry]] = [:]
    /// The newest three dead letters, by their keys.
    var letters: [[UInt8]: Delivery] = [:]
    var reverted: [TransactionID: RevertedRecord] = [:]
    /// When each waiting correction is due.
    var retractions: [TransactionID: UInt64] = [:]
    var books = Outbox.Books()

    var totals: Store.Totals {
        Store.Totals(
            devices: UInt64(devices.count), watchEntries: UInt64(devices.values.reduce(0) { $0 + subjects($1).count }),
            deliveries: UInt64(deliveries.values.reduce(0) { $0 + $1.count }), events: UInt64(events.count),
            longEvents: UInt64(events.values.count { $0.progress.walked >= StoreModel.longWalk }))
    }

    /// The rows, without counters.
    var dump: StoreDump {
        var dump = StoreDump()
        func add(_ family: ColumnFamily, _ key: [UInt8], _ value: [UInt8] = []) {
            dump.rows[family, default: [:]][key] = value
        }
        func number(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
        add(.meta, Array("schema_version".utf8), SchemaVersion.encoded)
        add(.meta, Array("network".utf8), Array("mainnet".utf8))
        if let cursor { add(.meta, Array("virtual_chain_cursor".utf8), cursor.encoded) }
        if lastEvent > 0 { add(.meta, Array("last_event".utf8), number(lastEvent)) }
        for (id, operation) in operations { add(.operations, id.bytes, operation.encoded) }
        for (id, transfer) in transfers {
            add(.transfers, id.bytes, transfer.encoded)
            for address in transfer.listed {
                add(.operationLists, OperationList.transfers(address).prefix + number(transfer.blockTime) + id.bytes)
            }
        }
        for key in listed.values.joined() { add(.operationLists, key) }
        for row in accepted { add(.accepted, row.block.bytes + row.transaction.bytes) }
        for id in unconfirmed {
            guard let score = (operations[id]?.acceptance ?? transfers[id]?.acceptance)?.blueScore else { continue }
            let addresses = operations[id]?.activityState.addresses ?? transfers[id]?.listed.map(\.storageKey) ?? []
            let item = UnconfirmedItem(id: id, isTransfer: operations[id] == nil, addresses: addresses)
            add(.unconfirmed, number(score) + id.bytes, item.encoded)
        }
        for (group, owner) in owners { add(.groupBindings, group, owner) }
        for (id, marker) in markers {
            add(.enqueued, id.bytes, number(marker.time) + number(marker.event))
            add(.enqueuedByTime, number(marker.time) + id.bytes)
        }
        for (id, record) in reverted { add(.reverted, id.bytes, record.encoded) }
        for (id, due) in retractions { add(.retractions, number(due) + id.bytes) }
        for event in events.values { add(.events, number(event.number), event.encoded) }
        for (id, device) in devices {
            add(.devices, id.bytes, device.encoded)
            for subject in subjects(device) { add(.watchers, subject.bytes + id.bytes) }
        }
        for (id, state) in states {
            add(.deviceStates, id.bytes, state.encoded)
            if let place = state.scheduled {
                add(
                    .schedule,
                    [id.bytes[0] >> 4, place.lane.rawValue] + number(place.due) + id.bytes + number(place.seq))
            }
        }
        for (id, waiting) in deliveries {
            for (seq, delivery) in waiting { add(.deliveries, id.bytes + number(seq), delivery.encoded) }
        }
        for (key, delivery) in letters { add(.deadLetters, key, delivery.encoded) }
        for (id, entries) in log {
            for (seq, entry) in entries {
                if entry.changedAt != 0 { add(.deliveryLog, id.bytes + number(seq), entry.encoded) }
                add(.deliveryLogByTime, number(entry.queuedAt) + id.bytes + number(seq))
            }
        }
        return dump
    }

    private func subjects(_ device: DeviceRecord) -> Set<WatchKey> {
        var subjects = Set(device.watchedAddresses.map { WatchKey.address($0) })
        for group in device.watchedGroupIDs { subjects.insert(.group(group)) }
        for address in device.watchOnlyAddresses { subjects.insert(.funds(address)) }
        if let primary = device.primaryAddress { subjects.formUnion([.primary(primary), .inbox(primary.inboxTag)]) }
        return subjects
    }

    // MARK: Verbs

    mutating func upsert(_ record: DeviceRecord) {
        var new = record
        if let old = devices[record.id] { new.createdAt = old.createdAt }
        devices[record.id] = new
        if states[record.id] == nil { states[record.id] = DeviceState() }
        if states[record.id]?.isAccepted == true { states[record.id]?.strikes = 0 }
    }

    /// Whether a device is on probation and has as much waiting as it may.
    private func isBarred(_ id: DeviceID) -> Bool {
        states[id]?.isAccepted == false && (deliveries[id]?.count ?? 0) >= StoreModel.probationQueue
    }

    /// What follows from the deliveries that wait for a device; `least` is a number that none but the first is below.
    private mutating func count(_ id: DeviceID, least: UInt64) {
        let waiting = deliveries[id] ?? [:]
        states[id]?.waiting = UInt32(waiting.count)
        states[id]?.firstKept = waiting.isEmpty ? 0 : least
    }

    private mutating func suppress(_ reason: SuppressionReason, created: Bool = true, _ step: inout FanOutStep) {
        books.deliveriesCreated += created ? 1 : 0
        books.deliveriesSuppressed += 1
        books.suppressedByReason[reason.rawValue, default: 0] += 1
        if created { step.suppressed[reason, default: 0] += 1 }
    }

    /// Gives up an event whose time is over, if its walk is long.
    private mutating func expire(_ event: PushEvent, now: UInt64, expiresAt: UInt64, _ step: inout FanOutStep) -> Bool {
        guard event.progress.walked >= StoreModel.longWalk, now >= expiresAt else { return false }
        events[event.number] = nil
        books.eventsExpired += 1
        step.finished = true
        step.isExpired = true
        return true
    }

    mutating func remove(_ id: DeviceID) -> Int? {
        guard devices.removeValue(forKey: id) != nil else { return nil }
        states[id] = nil
        for seq in (log[id] ?? [:]).keys { forget(id, seq) }
        let suppressed = UInt64(deliveries[id]?.count ?? 0)
        books.deliveriesSuppressed += suppressed
        if suppressed > 0 { books.suppressedByReason["device_removed", default: 0] += suppressed }
        return deliveries.removeValue(forKey: id)?.count ?? 0
    }

    mutating func recordPending(_ list: [OperationRecord]) -> Int {
        var new = 0
        for operation in list where operations[operation.transactionID] == nil {
            operations[operation.transactionID] = operation
            listed[operation.transactionID] = places(operation.listsBeforeAcceptance, of: operation)
            new += 1
        }
        return new
    }

    mutating func apply(
        _ step: ChainStep, now: UInt64, withdrawsUnsent: Bool, retractsPayments: Bool
    ) -> ChainStepResult {
        var result = ChainStepResult()
        var lost: [(id: TransactionID, acceptance: OperationRecord.Acceptance)] = []
        for block in step.removed {
            for row in accepted where row.block == block {
                accepted.remove(row)
                guard
                    let acceptance = operations[row.transaction]?.acceptance ?? transfers[row.transaction]?.acceptance,
                    acceptance.blockHash == block
                else { continue }
                transfers[row.transaction]?.acceptance = nil
                transfers[row.transaction]?.acceptedAt = nil
                operations[row.transaction]?.acceptance = nil
                operations[row.transaction]?.acceptedAt = nil
                operations[row.transaction]?.isReverted = true
                unconfirmed.remove(row.transaction)
                result.reverted += 1
                guard withdrawsUnsent, let marker = markers[row.transaction],
                    events[marker.event]?.progress == FanOutProgress()
                else {
                    lost.append((row.transaction, acceptance))
                    continue
                }
                events[marker.event] = nil
                markers[row.transaction] = nil
                reverted[row.transaction] = nil
                retractions[row.transaction] = nil
                result.withdrawn += 1
                books.eventsWithdrawn += 1
            }
        }
        for score in Set(step.accepted.map(\.score) + step.transfers.map(\.score)).sorted() {
            for entry in step.accepted where entry.score == score { accept(entry, now: now, &result) }
            for entry in step.transfers where entry.score == score { accept(entry, now: now, &result) }
        }
        unconfirmed = unconfirmed.filter { id in
            ((operations[id]?.acceptance ?? transfers[id]?.acceptance)?.blueScore ?? 0) + StoreModel.confirmations
                > step.cursor.blueScore
        }
        for (id, acceptance) in lost {
            let kind = operations[id].map { PushKind($0.kind) } ?? .addressActivity
            guard operations[id]?.acceptance == nil, transfers[id]?.acceptance == nil, markers[id] != nil else {
                continue
            }
            var record = RevertedRecord(revertedAt: now, acceptance: acceptance)
            record.isRetracted = reverted[id]?.isRetracted ?? false
            reverted[id] = record
            if retractsPayments, kind == .payment, !record.isRetracted { retractions[id] = now + 600_000 }
            result.revertedPushes[kind, default: 0] += 1
        }
        cursor = step.cursor
        return result
    }

    mutating func retractDue(now: UInt64, limit: Int) -> [Int] {
        let due = retractions.filter { $0.value <= now }
            .sorted { ($0.value, $0.key) < ($1.value, $1.key) }.prefix(limit)
        var enqueued = 0
        for (id, _) in due {
            retractions[id] = nil
            guard let operation = operations[id], let marker = markers[id], let record = reverted[id] else { continue }
            reverted[id]?.isRetracted = true
            lastEvent += 1
            books.eventsCreated += 1
            enqueued += 1
            events[lastEvent] = PushEvent(
                number: lastEvent, transactionID: id, kind: .paymentReverted, sender: operation.sender,
                receiver: operation.receiver, amount: operation.amount, blockTime: operation.blockTime,
                acceptance: record.acceptance, queuedAt: now, toldAt: marker.time)
        }
        return [due.count, enqueued]
    }

    mutating func fanOutRetraction(
        event number: UInt64, limit: Int, ordinaryWatchers: UInt64, now: UInt64, expiresAt: UInt64
    ) -> FanOutStep {
        var step = FanOutStep()
        guard var event = events[number] else {
            step.finished = true
            return step
        }
        guard !expire(event, now: now, expiresAt: expiresAt, &step) else { return step }
        let later = log.values.flatMap(\.values).filter { entry in
            entry.queuedAt == event.toldAt
                && event.progress.last.map { $0.bytes.lexicographicallyPrecedes(entry.device.bytes) } ?? true
        }.sorted { $0.timeKey.lexicographicallyPrecedes($1.timeKey) }
        var page = Array(later.prefix(limit))
        page += later.dropFirst(limit).prefix { $0.device == page.last?.device }
        for entry in page {
            event.progress.last = entry.device
            guard log[entry.device]?[entry.seq] != nil, entry.transactionID == event.transactionID,
                entry.kind == .payment
            else { continue }
            let lane: ScheduleKey.Lane = event.progress.walked < ordinaryWatchers ? .ordinary : .bulk
            event.progress.walked += 1
            // The row may have ended meanwhile: what is queued now may drop what waits.
            let state = log[entry.device]?[entry.seq]?.state
            if state != .delivered && state != .queued {
                suppress(.neverTold, &step)
            } else if isBarred(entry.device) {
                suppress(.onProbation, &step)
            } else {
                books.deliveriesCreated += 1
                tell(
                    event, entry.device, lane: lane, now: now, expiresAt: expiresAt, correcting: entry.seq, &step)
            }
        }
        step.walked = page.count
        step.finished = page.count < limit
        events[number] = step.finished ? nil : event
        if step.finished { books.eventsFannedOut += 1 }
        return step
    }

    private mutating func tell(
        _ event: PushEvent, _ id: DeviceID, lane: ScheduleKey.Lane, now: UInt64, expiresAt: UInt64,
        correcting seq: UInt64 = 0, _ step: inout FanOutStep
    ) {
        step.notified += 1
        var state = states[id] ?? DeviceState()
        state.lastSeq += 1
        var delivery = Delivery(device: id, seq: state.lastSeq, event: event, expiresAt: expiresAt)
        delivery.correctedSeq = seq
        let others = (deliveries[id] ?? [:]).keys.filter { $0 != state.scheduled?.seq }.sorted()
        let isFull = others.count + (state.scheduled == nil ? 0 : 1) >= StoreModel.queue
        var least = state.scheduled == nil ? state.lastSeq + 1 : state.firstKept
        if isFull, let oldest = others.first {
            deliveries[id]?[oldest] = nil
            log[id]?[oldest]?.suppress(.queueFull, at: now)
            suppress(.queueFull, created: false, &step)
            step.dropped += 1
            least = oldest + 1
        }
        deliveries[id, default: [:]][state.lastSeq] = delivery
        log[id, default: [:]][state.lastSeq] = DeliveryLogEntry(delivery)
        if state.lastSeq > logPerDevice { forget(id, state.lastSeq - logPerDevice) }
        if state.scheduled == nil {
            let own: ScheduleKey.Lane = state.isAccepted ? lane : .probation
            state.scheduled = .init(seq: state.lastSeq, due: now, lane: own)
            step.scheduled.append(ScheduleKey(lane: own, due: now, device: id, seq: state.lastSeq))
        }
        states[id] = state
        count(id, least: least)
    }

    /// A row of the log for what a device is not told.
    private mutating func leaveRow(_ event: PushEvent, _ id: DeviceID, now: UInt64) {
        var state = states[id] ?? DeviceState()
        state.lastSeq += 1
        var entry = DeliveryLogEntry(Delivery(device: id, seq: state.lastSeq, event: event, expiresAt: 0))
        entry.suppress(.onProbation, at: now)
        log[id, default: [:]][state.lastSeq] = entry
        if state.lastSeq > logPerDevice { forget(id, state.lastSeq - logPerDevice) }
        states[id] = state
    }

    private mutating func accept(_ entry: AcceptedOperation, now: UInt64, _ result: inout ChainStepResult) {
        var operation = entry.operation
        let id = operation.transactionID
        guard let acceptance = operation.acceptance else { return }
        if let group = entry.group {
            guard owners[group.blindedGroupID, default: group.senderPublicKey] == group.senderPublicKey else {
                result.foreignGroupMessages += 1
                return
            }
            owners[group.blindedGroupID] = group.senderPublicKey
        }
        let known = operations[id]
        if operation.sender == nil { operation.sender = known?.sender }
        if known?.acceptance == nil {
            result.accepted += 1
            retractions[id] = nil
            if reverted[id]?.isRetracted == false { reverted[id] = nil }
        }
        if let previous = known?.acceptance { accepted.remove(.init(block: previous.blockHash, transaction: id)) }
        if known?.acceptance != acceptance { unconfirmed.insert(id) }
        operations[id] = operation
        listed[id] = places(operation.lists, of: operation)
        accepted.insert(.init(block: acceptance.blockHash, transaction: id))
        guard entry.notifies, markers[id] == nil else { return }
        lastEvent += 1
        books.eventsCreated += 1
        events[lastEvent] = PushEvent(
            number: lastEvent, transactionID: id, kind: PushKind(operation.kind), sender: operation.sender,
            receiver: operation.receiver, amount: operation.amount, blockTime: operation.blockTime,
            acceptance: acceptance, queuedAt: now, subject: PushSubject(operation))
        markers[id] = Marker(time: now, event: lastEvent)
        result.enqueued[PushKind(operation.kind), default: 0] += 1
    }

    private mutating func accept(_ entry: AcceptedTransfer, now: UInt64, _ result: inout ChainStepResult) {
        var transfer = entry.record
        let id = transfer.transactionID
        guard let acceptance = transfer.acceptance, operations[id] == nil else { return }
        let known = transfers[id]
        func isWatched(_ address: Address) -> Bool {
            let keys: Set<WatchKey> = [.address(address), .primary(address), .funds(address)]
            return devices.values.contains { !subjects($0).isDisjoint(with: keys) }
        }
        var listed: [Address] = []
        for address in transfer.funds.credits.map(\.address) + transfer.funds.spenders
        where !listed.contains(address) && (isWatched(address) || known?.listed.contains(address) == true) {
            listed.append(address)
        }
        guard !listed.isEmpty else { return }
        let told = transfer.funds.credits.filter { credit in
            devices.values.contains { $0.watchOnlyAddresses.contains(credit.address) }
        }
        let spenders = transfer.funds.spenders
        transfer.listed = listed
        transfer.funds.credits.removeAll { !listed.contains($0.address) && spenders.contains($0.address) }
        if let previous = known?.acceptance { accepted.remove(.init(block: previous.blockHash, transaction: id)) }
        if known?.acceptance == nil {
            result.accepted += 1
            if reverted[id]?.isRetracted == false { reverted[id] = nil }
        }
        if known?.acceptance != acceptance || known?.listed != listed { unconfirmed.insert(id) }
        transfers[id] = transfer
        accepted.insert(.init(block: acceptance.blockHash, transaction: id))
        guard !told.isEmpty, markers[id] == nil else { return }
        guard entry.push == .due else {
            if entry.push == .tooOld, known?.acceptance == nil { result.tooOldTransfers += 1 }
            return
        }
        lastEvent += 1
        books.eventsCreated += 1
        events[lastEvent] = PushEvent(
            number: lastEvent, transactionID: id, kind: .addressActivity, sender: spenders.first, receiver: nil,
            amount: 0, blockTime: transfer.blockTime, acceptance: acceptance, queuedAt: now,
            funds: Funds(credits: told, spenders: spenders))
        markers[id] = Marker(time: now, event: lastEvent)
        result.enqueued[.addressActivity, default: 0] += 1
    }

    private func places(_ lists: [OperationList], of operation: OperationRecord) -> Set<[UInt8]> {
        Set(lists.map { $0.prefix + operation.position.bytes })
    }

    mutating func prune(before time: UInt64, limit: Int, keepsUncorrected: Bool) -> Int {
        let old = markers.filter { $0.value.time < time && !(keepsUncorrected && retractions[$0.key] != nil) }
            .sorted { ($0.value.time, $0.key) < ($1.value.time, $1.key) }.prefix(limit)
        for (id, _) in old {
            markers[id] = nil
            reverted[id] = nil
            retractions[id] = nil
        }
        return old.count
    }

    /// One whole round over the history; the sums of what went.
    mutating func forget(_ limits: HistoryLimits) -> [Int] {
        var acceptances = 0
        for row in accepted {
            guard
                let acceptance = operations[row.transaction]?.acceptance ?? transfers[row.transaction]?.acceptance,
                acceptance.blockHash == row.block, acceptance.blueScore < limits.acceptancesBelow
            else { continue }
            accepted.remove(row)
            acceptances += 1
        }
        var (old, never) = (0, 0)
        for (id, operation) in operations {
            let isOld = operation.blockTime < limits.bodiesBefore
            let isNever =
                operation.acceptance == nil && !operation.isReverted
                && operation.blockTime < limits.neverAcceptedBefore
            guard isOld || isNever, retractions[id] == nil, markers[id].map({ $0.time < limits.queuedBefore }) ?? true
            else { continue }
            operations[id] = nil
            listed[id] = nil
            unconfirmed.remove(id)
            if let acceptance = operation.acceptance {
                accepted.remove(Acceptance(block: acceptance.blockHash, transaction: id))
            }
            if isNever { never += 1 } else { old += 1 }
        }
        var plain = 0
        for (id, transfer) in transfers where transfer.blockTime < limits.bodiesBefore {
            guard markers[id].map({ $0.time < limits.queuedBefore }) ?? true else { continue }
            transfers[id] = nil
            unconfirmed.remove(id)
            if let acceptance = transfer.acceptance {
                accepted.remove(Acceptance(block: acceptance.blockHash, transaction: id))
            }
            plain += 1
        }
        return [acceptances, old, never, plain]
    }

    private mutating func forget(_ id: DeviceID, _ seq: UInt64) {
        guard let entry = log[id]?.removeValue(forKey: seq) else { return }
        letters[entry.timeKey] = nil
    }

    /// What a check finds: only acceptances that were forgotten long before their depth allows it.
    var problems: [String] {
        func isLost(_ acceptance: OperationRecord.Acceptance?, _ id: TransactionID) -> Bool {
            acceptance.map { !accepted.contains(.init(block: $0.blockHash, transaction: id)) } ?? false
        }
        let lostTransfers = transfers.filter { isLost($1.acceptance, $0) }
        let lostOperations = operations.filter { isLost($1.acceptance, $0) }
        let problems =
            lostTransfers.map { "transfer \($0.key) has lost its acceptance" }
            + lostOperations.map { "operation \($0.key) has lost its acceptance" }
        return problems.sorted()
    }

    /// How many wait again, and how many older ones are untrue.
    mutating func retry(limit: Int, now: UInt64, expiresAt: UInt64) -> [Int] {
        var old: [([UInt8], Delivery)] = []
        var untrue = 0
        var waiting = deliveries.mapValues(\.count)
        for (key, letter) in letters.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) where old.count < limit {
            let most = states[letter.device]?.isAccepted == true ? StoreModel.queue : StoreModel.probationQueue
            guard waiting[letter.device, default: 0] < most else { continue }
            let (operation, transfer) = (operations[letter.transactionID], transfers[letter.transactionID])
            let isKnown = operation != nil || transfer != nil
            let isAccepted = operation?.acceptance != nil || transfer?.acceptance != nil
            if (!isKnown || isAccepted) == (letter.kind != .paymentReverted) {
                old.append((key, letter))
                waiting[letter.device, default: 0] += 1
            } else {
                untrue += 1
            }
        }
        for (key, letter) in old {
            let (id, seq) = (letter.device, letter.seq)
            letters[key] = nil
            if log[id]?[seq]?.state == .dead {
                books.deliveriesDead -= 1
                books.deadByReason[log[id]?[seq]?.reason ?? "", default: 0] -= 1
            } else {
                books.deliveriesExpired -= 1
            }
            log[id]?[seq]?.state = .queued
            log[id]?[seq]?.changedAt = now
            var delivery = letter
            delivery.attempts = 1
            delivery.expiresAt = expiresAt
            deliveries[id, default: [:]][seq] = delivery
            let lane: ScheduleKey.Lane = states[id]?.isAccepted == true ? .bulk : .probation
            let isFirst = states[id]?.scheduled == nil
            if isFirst { states[id]?.scheduled = .init(seq: seq, due: now, lane: lane) }
            count(id, least: isFirst ? seq + 1 : min(states[id]?.firstKept ?? 0, seq))
        }
        return [old.count, untrue]
    }

    /// The books, with what follows from the rows.
    var allBooks: Outbox.Books {
        var books = books
        books.eventsQueued = totals.events
        books.deliveriesQueued = totals.deliveries
        books.deadLetters = UInt64(letters.count)
        return books
    }

    mutating func pruneLog(before time: UInt64, limit: Int) -> Int {
        let old = log.values.flatMap(\.values).filter { $0.queuedAt < time }
            .sorted { $0.timeKey.lexicographicallyPrecedes($1.timeKey) }.prefix(limit)
            .filter { deliveries[$0.device]?[$0.seq] == nil }
        for entry in old { forget(entry.device, entry.seq) }
        return old.count
    }

    mutating func fanOut(
        event number: UInt64, lists: [WatchKey], limit: Int, ordinaryWatchers: UInt64, now: UInt64, expiresAt: UInt64,
        decide: (DeviceRecord, Int) -> WatcherDecision
    ) -> FanOutStep {
        var step = FanOutStep()
        guard var event = events[number] else {
            step.finished = true
            return step
        }
        guard !expire(event, now: now, expiresAt: expiresAt, &step) else { return step }
        while step.walked < limit, Int(event.progress.list) < lists.count {
            let list = Int(event.progress.list)
            let next = devices.values.filter { subjects($0).contains(lists[list]) }.map(\.id)
                .filter { id in event.progress.last.map { $0.bytes.lexicographicallyPrecedes(id.bytes) } ?? true }
                .min { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            guard let id = next, let device = devices[id] else {
                event.progress = FanOutProgress(list: event.progress.list + 1, walked: event.progress.walked)
                continue
            }
            step.walked += 1
            let lane: ScheduleKey.Lane = event.progress.walked < ordinaryWatchers ? .ordinary : .bulk
            event.progress = FanOutProgress(list: event.progress.list, walked: event.progress.walked + 1, last: id)
            let state = states[id] ?? DeviceState()
            if isBarred(id), state.unacceptedSince != nil || state.lastSeq >= StoreModel.numbered {
                suppress(.onProbation, &step)
                continue
            }
            switch decide(device, list) {
            case .notify where isBarred(id):
                suppress(.onProbation, &step)
                leaveRow(event, id, now: now)
            case .skip, .notifyFunds, .notifyWithin: break
            case .suppress(let reason): suppress(reason, &step)
            case .notify:
                books.deliveriesCreated += 1
                tell(event, id, lane: lane, now: now, expiresAt: expiresAt, &step)
            }
        }
        step.finished = Int(event.progress.list) >= lists.count
        events[number] = step.finished ? nil : event
        if step.finished { books.eventsFannedOut += 1 }
        return step
    }

    mutating func settle(_ settlement: Settlement, now: UInt64) -> SettlementResult {
        var result = SettlementResult()
        let id = settlement.key.device
        let seq = settlement.key.seq
        guard let delivery = deliveries[id]?[seq], delivery.transactionID == settlement.transactionID,
            let place = states[id]?.scheduled, place.seq == seq
        else { return result }
        result.found = true
        if settlement.next == .done { log[id]?[seq]?.state = settlement.ending }
        log[id]?[seq]?.attempts += settlement.wasSent ? 1 : 0
        if settlement.reason != "" { log[id]?[seq]?.reason = settlement.reason }
        log[id]?[seq]?.changedAt = now
        let removes = take(settlement.effect, id, now: now)
        let isAccepted = states[id]?.isAccepted == true
        switch settlement.next {
        case .done:
            let reason = log[id]?[seq]?.reason ?? settlement.reason
            switch settlement.ending {
            case .queued: break
            case .delivered: books.deliveriesDelivered += 1
            case .dead:
                books.deliveriesDead += 1
                books.deadByReason[reason, default: 0] += 1
            case .expired: books.deliveriesExpired += 1
            case .suppressed:
                books.deliveriesSuppressed += 1
                books.suppressedByReason[reason, default: 0] += 1
            }
            if settlement.ending.isDeadLetter, let entry = log[id]?[seq] {
                letters[entry.timeKey] = delivery
                if letters.count > 3, let oldest = letters.keys.min(by: { $0.lexicographicallyPrecedes($1) }) {
                    letters[oldest] = nil
                }
            }
            deliveries[id]?[seq] = nil
            let next = deliveries[id]?.keys.min()
            let lane: ScheduleKey.Lane =
                !isAccepted ? .probation : place.lane == .probation ? .ordinary : place.lane
            states[id]?.scheduled = next.map { .init(seq: $0, due: now, lane: lane) }
            count(id, least: (next ?? 0) + 1)
        case .retry(let due, let omitsPayload):
            deliveries[id]?[seq]?.attempts += 1
            if omitsPayload { deliveries[id]?[seq]?.omitsPayload = true }
            result.attempts = delivery.attempts + 1
            states[id]?.scheduled = .init(seq: seq, due: due, lane: isAccepted ? .bulk : .probation)
        }
        result.scheduled = states[id]?.scheduled.map {
            ScheduleKey(lane: $0.lane, due: $0.due, device: id, seq: $0.seq)
        }
        if removes {
            result.removedWith = remove(id)
            result.scheduled = nil
        }
        return result
    }

    /// What an answer means for the device; whether it goes.
    private mutating func take(_ effect: Settlement.DeviceEffect, _ id: DeviceID, now: UInt64) -> Bool {
        let isAccepted = states[id]?.isAccepted == true
        var isOverdue = false
        func isRefusal() -> Bool {
            switch effect {
            case .unaccepted, .strike: !isAccepted
            default: false
            }
        }
        if isRefusal() {
            let since = states[id]?.unacceptedSince ?? now
            states[id]?.unacceptedSince = since
            isOverdue = now - since >= 604_800_000
        }
        switch effect {
        case .none: return false
        case .alive, .aliveAt:
            states[id]?.strikes = 0
            states[id]?.isAccepted = true
            states[id]?.unacceptedSince = nil
            if case .aliveAt(let environment) = effect, devices[id]?.environment?.isSaid != true {
                devices[id]?.environment = .init(environment, isSaid: false)
            }
            return false
        case .strike(let limit, let mayRemove):
            guard mayRemove || !isAccepted else { return false }
            states[id]?.strikes += 1
            return (states[id]?.strikes ?? 0) >= limit || isOverdue
        case .unaccepted: return isOverdue
        case .gone(let time): return devices[id].map { $0.lastSeen <= time } ?? false
        }
    }
}

extension AcceptedOperation {
    fileprivate var score: UInt64 { operation.acceptance?.blueScore ?? 0 }
}

extension AcceptedTransfer {
    fileprivate var score: UInt64 { record.acceptance?.blueScore ?? 0 }
}
