import Kaspa

/// What of the history may go; see `History.historyLimits`.
public struct HistoryLimits: Equatable, Sendable {
    /// Operations and transfers of blocks before this time go, milliseconds since 1970; 0: none.
    public var bodiesBefore: UInt64 = 0
    /// What was queued for push at this time or later stays whatever its block's time, milliseconds since 1970.
    public var queuedBefore: UInt64 = 0
    /// Operations that were never accepted go if their block is from before this time, milliseconds since 1970; 0: none.
    public var neverAcceptedBefore: UInt64 = 0
    /// Acceptances by chain blocks of a lower blue score are not taken back any more, and need not be found; 0: none.
    public var acceptancesBelow: UInt64 = 0

    /// Lets nothing go.
    public init() {}
}

/// How far a round over the history has come: in memory only, a restart begins a new one.
public struct HistoryPlace: Equatable, Sendable {
    /// What is walked, in this order.
    public enum Stage: Int, CaseIterable, Sendable {
        case acceptances
        case operations
        case transfers
    }

    /// Which rows are walked.
    public var stage: Stage
    /// The last row that was looked at; nil at the stage's beginning.
    var lastKey: [UInt8]?

    /// The beginning of a round.
    public static let start = HistoryPlace(stage: .acceptances)

    init(stage: Stage, lastKey: [UInt8]? = nil) {
        self.stage = stage
        self.lastKey = lastKey
    }
}

/// What one step of a round did.
public struct HistoryStep: Equatable, Sendable {
    /// Rows looked at.
    public var rows = 0
    /// Operations that had become too old.
    public var operations = 0
    /// Operations that were never accepted.
    public var neverAccepted = 0
    /// Plain transfers that had become too old.
    public var transfers = 0
    /// Acceptances that nothing can take back any more; those of what went are not counted.
    public var acceptances = 0
    /// Where to go on; nil at the end of the round.
    public var next: HistoryPlace?

    /// No rows looked at, nothing forgotten, no next place.
    public init() {}

    /// All that was forgotten: operations, transfers and acceptances.
    public var removed: Int { operations + neverAccepted + transfers + acceptances }

    /// Adds another step's numbers.
    public mutating func add(_ other: HistoryStep) {
        rows += other.rows
        operations += other.operations
        neverAccepted += other.neverAccepted
        transfers += other.transfers
        acceptances += other.acceptances
    }
}

extension History {
    /// How long after its block an operation may still be accepted, with a wide margin, milliseconds.
    ///
    /// Consensus merges no block after an hour.
    public static let acceptancePatience: UInt64 = 86_400_000
    /// How deep below the cursor an acceptance may be taken back, in blue score: at ten blocks a second 33 hours.
    ///
    /// Consensus lets no reorganisation go deeper than the finality depth, 432,000, and a node forgets the blocks that it
    /// would have to name below the pruning depth, 1,080,000.
    public static let reorganizationDepth: UInt64 = 1_200_000
    /// A block's time may be ahead of ours: a marker stays an hour longer than the age that it guards, milliseconds.
    public static let markerSlack: UInt64 = 3_600_000

    /// What may go at `now`; nil while the chain is not followed yet.
    ///
    /// Ages count from how far the chain is known, so that nothing grows old while there is no node. `retention` is
    /// `store.retention`, nil to keep everything, and `maximumAge` `push.max_age`, milliseconds both: what is older than
    /// the first must be older than the second. Whatever still waits to be sent holds everything back that is not older
    /// than its block. All milliseconds since 1970; takes as long as reading what waits.
    public func historyLimits(
        now: UInt64, retention: UInt64?, maximumAge: UInt64
    ) async throws(StoreError) -> HistoryLimits? {
        try await read { () throws(StoreError) -> HistoryLimits? in
            let snapshot = database.snapshot()
            guard let cursor = try snapshot.cursor(), cursor.timestamp > 0 else { return nil }
            let time = min(now, cursor.timestamp)
            var limits = HistoryLimits()
            limits.neverAcceptedBefore = time.earlier(by: History.acceptancePatience)
            limits.acceptancesBelow = cursor.blueScore.earlier(by: History.reorganizationDepth)
            limits.queuedBefore = time.earlier(by: maximumAge).earlier(by: History.markerSlack)
            if let retention {
                limits.bodiesBefore = min(
                    time.earlier(by: max(retention, maximumAge)),
                    try snapshot.oldestWaiting(now: now, network: network))
            }
            return limits
        }
    }

    /// Looks at the next `rows` rows of a round, and forgets those that the limits let go.
    ///
    /// It never touches registrations, first bindings of groups, what waits to be sent, asked for or corrected, and what
    /// belongs to a marker that is still young. What it reads does not hold up the writer.
    public func forgetHistory(
        _ limits: HistoryLimits, at place: HistoryPlace, rows: Int
    ) async throws(StoreError) -> HistoryStep {
        let network = network
        let (candidates, walked) = try await readPage { () throws(StoreError) in
            try historyCandidates(limits, at: place, rows: rows)
        }
        var step = walked
        guard !candidates.isEmpty else { return step }
        // Read again by the writer: it may have become something else meanwhile.
        let removed = try await write { (transaction) throws(StoreError) in
            var removed = HistoryStep()
            try transaction.willRead { () throws(StoreError) in
                try transaction.rows(of: candidates, at: place.stage, network: network)
            }
            for key in candidates {
                switch place.stage {
                case .acceptances: try transaction.forgetAcceptance(key, limits, network: network, &removed)
                case .operations: try transaction.forgetOperation(key, limits, network: network, &removed)
                case .transfers: try transaction.forgetTransfer(key, limits, network: network, &removed)
                }
            }
            return removed
        }
        step.add(removed)
        return step
    }

    /// Keys of the next rows that may go, as far as their reading says; the step has nothing removed yet.
    private func historyCandidates(
        _ limits: HistoryLimits, at place: HistoryPlace, rows: Int
    ) throws(StoreError) -> (keys: [[UInt8]], step: HistoryStep) {
        let family: ColumnFamily =
            switch place.stage {
            case .acceptances: .accepted
            case .operations: .operations
            case .transfers: .transfers
            }
        var candidates: [[UInt8]] = []
        var step = HistoryStep()
        var last: [UInt8]?
        try database.scanUncached(family, from: place.lastKey.map { $0 + [0] } ?? []) { (row) throws(StoreError) in
            let key = Array(row.key)
            if try unlessCorrupt({ () throws(StoreError) in try mayGo(row, place.stage, limits) }) {
                candidates.append(key)
            }
            step.rows += 1
            last = key
            return step.rows < rows
        }
        if place.stage == .acceptances {
            let snapshot = database.snapshot()
            try snapshot.willRead { () throws(StoreError) in
                try snapshot.rows(of: candidates, at: place.stage, network: network)
            }
            var beyondReach: [[UInt8]] = []
            for key in candidates
            where try unlessCorrupt({ () throws(StoreError) in
                try snapshot.isBeyondReach(key, limits, network: network)
            }) { beyondReach.append(key) }
            candidates = beyondReach
        }
        if step.rows == rows {
            step.next = HistoryPlace(stage: place.stage, lastKey: last)
        } else if let stage = HistoryPlace.Stage(rawValue: place.stage.rawValue + 1) {
            step.next = HistoryPlace(stage: stage)
        }
        return (candidates, step)
    }

    /// What cannot be read stays, and does not end every round.
    private func unlessCorrupt(_ condition: () throws(StoreError) -> Bool) throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try condition()
        } catch {
            guard error.code == .corrupt else { throw error }
            return false
        }
    }

    /// By the row alone: that of an acceptance says nothing.
    private func mayGo(
        _ row: Row, _ stage: HistoryPlace.Stage, _ limits: HistoryLimits
    ) throws(StoreError) -> Bool {
        switch stage {
        case .acceptances: return true
        case .operations:
            let operation = try OperationRecord(transactionID: .zero, encoded: Array(row.value), network: network)
            return operation.isForgotten(by: limits)
        case .transfers:
            let transfer = try TransferRecord(transactionID: .zero, encoded: Array(row.value), network: network)
            return transfer.blockTime < limits.bodiesBefore
        }
    }
}

extension OperationRecord {
    fileprivate func isForgotten(by limits: HistoryLimits) -> Bool {
        blockTime < limits.bodiesBefore || isNeverAccepted(by: limits)
    }

    fileprivate func isNeverAccepted(by limits: HistoryLimits) -> Bool {
        acceptance == nil && !isReverted && blockTime < limits.neverAcceptedBefore
    }
}

extension StoreReading {
    /// What is read to see whether these rows go.
    fileprivate func rows(
        of keys: [[UInt8]], at stage: HistoryPlace.Stage, network: Network
    ) throws(StoreError) -> RowsAhead {
        let ids = stage == .acceptances ? keys.map { Array($0.dropFirst(Hash.byteCount)) } : keys
        try willRead {
            var ahead = RowsAhead()
            if stage != .transfers { ahead.add(.operations, ids) }
            if stage != .operations { ahead.add(.transfers, ids) }
            ahead.add(.unresolved, ids)
            if stage != .acceptances {
                ahead.add(.reverted, ids)
                ahead.add(.enqueued, ids)
            }
            return ahead
        }
        return stage == .acceptances ? RowsAhead() : try retractionRows(of: ids.compactMap { Hash(bytes: $0) })
    }

    /// Whether a row of `accepted` is too deep to be taken back; false for what is still asked for, and where the row
    /// and its transaction disagree.
    fileprivate func isBeyondReach(
        _ key: [UInt8], _ limits: HistoryLimits, network: Network
    ) throws(StoreError) -> Bool {
        guard let id = Hash(bytes: key.dropFirst(Hash.byteCount)) else { throw ByteReader.corrupt("accepted") }
        var acceptance = try operation(id, network: network)?.acceptance
        if acceptance == nil { acceptance = try transfer(id, network: network)?.acceptance }
        guard let acceptance, acceptance.blueScore < limits.acceptancesBelow else { return false }
        return key.starts(with: acceptance.blockHash.bytes)
    }
}

extension WriteTransaction {
    fileprivate func forgetAcceptance(
        _ key: [UInt8], _ limits: HistoryLimits, network: Network, _ removed: inout HistoryStep
    ) throws(StoreError) {
        guard try isBeyondReach(key, limits, network: network),
            try get(.unresolved, Array(key.dropFirst(Hash.byteCount))) == nil
        else { return }
        delete(.accepted, key)
        removed.acceptances += 1
    }

    fileprivate func forgetOperation(
        _ key: [UInt8], _ limits: HistoryLimits, network: Network, _ removed: inout HistoryStep
    ) throws(StoreError) {
        guard let id = Hash(bytes: key) else { throw ByteReader.corrupt("operations") }
        guard let operation = try operation(id, network: network), operation.isForgotten(by: limits),
            try !isAwaited(id, limits)
        else { return }
        deleteOperation(operation)
        if operation.isNeverAccepted(by: limits) {
            // Whoever watches it come hears that it will not; that history ends is no news of an item.
            touch(id, before: operation.activityState, after: nil)
            removed.neverAccepted += 1
        } else {
            removed.operations += 1
        }
    }

    fileprivate func forgetTransfer(
        _ key: [UInt8], _ limits: HistoryLimits, network: Network, _ removed: inout HistoryStep
    ) throws(StoreError) {
        guard let id = Hash(bytes: key) else { throw ByteReader.corrupt("transfers") }
        guard let transfer = try transfer(id, network: network), transfer.blockTime < limits.bodiesBefore,
            try !isAwaited(id, limits)
        else { return }
        deleteTransfer(transfer)
        removed.transfers += 1
    }

    /// Whether a sender is asked for, a correction waits, or the marker says that it was queued not long ago: what
    /// follows from a marker's event is younger than the marker, and what was there before is in the limits.
    private func isAwaited(_ id: TransactionID, _ limits: HistoryLimits) throws(StoreError) -> Bool {
        if try get(.unresolved, id.bytes) != nil { return true }
        if try isRetractionWaiting(id) { return true }
        return try enqueuedMarker(id).map { $0.time >= limits.queuedBefore } ?? false
    }

    /// Deletes an operation with its places in lists and its acceptance.
    ///
    /// Its marker, the group's binding and what devices were told stay.
    func deleteOperation(_ operation: OperationRecord) {
        let id = operation.transactionID
        delete(.operations, id.bytes)
        for list in operation.lists { delete(.operationLists, list.prefix + operation.position.bytes) }
        guard let acceptance = operation.acceptance else { return }
        delete(.accepted, acceptance.blockHash.bytes + id.bytes)
        delete(.unconfirmed, UnconfirmedItem.key(acceptance.blueScore, id))
    }
}
