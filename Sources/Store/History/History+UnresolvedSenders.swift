public import KasiaProtocol
public import Kaspa

/// What became of an operation whose sender was found.
public enum SenderResolution: Equatable, Sendable {
    /// The sender is stored; `enqueued` says whether an event was released.
    case stored(OperationKind, enqueued: Bool)
    /// The group message is deleted: its key does not own the group, or is not the key that paid. `waited` says whether
    /// an event waited for it.
    case foreign(waited: Bool)
    /// The question is not open any more: a reorganisation or another answer came first.
    case gone
}

/// What the end of waiting did to events whose sender stayed unknown.
public struct EndedWaits: Equatable, Sendable {
    /// Events that were queued without a sender.
    public var released: [OperationKind: Int] = [:]
    /// Events that nobody is told of, as they need a sender.
    public var suppressed = 0
    /// Senders that are not asked for any more.
    public var givenUp = 0
    /// Waits that go on, because the node was hardly asked.
    public var prolonged = 0

    /// No wait has ended.
    public init() {}

    /// All waits that were over, each once: fewer than the limit means that there were no more.
    public var count: Int { released.values.reduce(suppressed + givenUp + prolonged, +) }
}

/// What becomes of a question about a sender whose time is up, and of the event that waits for it.
public enum SenderWaitDecision: Equatable, Sendable {
    /// The wait goes on until this time (milliseconds since 1970).
    case waits(until: UInt64)
    /// The event is queued without a sender.
    case released
    /// Nobody is told of the event, as it needs a sender.
    case suppressed
    /// No event waits, and the sender is not asked for any more.
    case givenUp
}

/// What came of asking the node for a sender once, when it named none.
public enum SenderAttempt: Sendable {
    /// The question was not put: there was no node to take it.
    case notPut
    /// There was no answer in time, or none that could be kept.
    case unanswered
    /// The node answered that it cannot say.
    case refused
}

/// Senders that the accepting answer did not name: a durable list of questions, with the events that wait for them.
extension History {
    /// Questions whose time has come, the longest due first, at most `limit`.
    public func dueSenderQuestions(now: UInt64, limit: Int) async throws(StoreError) -> [UnresolvedSender] {
        try await read { () throws(StoreError) -> [UnresolvedSender] in
            let snapshot = database.snapshot()
            return try snapshot.unresolvedSenders(.question, until: now, limit: limit, network: network)
        }
    }

    /// The question about a transaction's sender; nil when there is none.
    public func unresolvedSender(of id: TransactionID) async throws(StoreError) -> UnresolvedSender? {
        try await read { () throws(StoreError) -> UnresolvedSender? in
            try database.unresolvedSender(of: id, network: network)
        }
    }

    /// Writes an answer: the sender, what follows from it, and the event that waited for it, in one batch.
    ///
    /// `receiver` and `amount` are those of payments and handshakes. Nothing happens when the question is not open any
    /// more.
    public func resolveSender(
        _ question: UnresolvedSender, sender: Address, receiver: Address?, amount: UInt64, now: UInt64
    ) async throws(StoreError) -> SenderResolution {
        let network = network
        return try await write { (transaction) throws(StoreError) in
            let id = question.transactionID
            guard let row = try transaction.unresolvedSender(of: id, network: network),
                row.acceptance == question.acceptance,
                let known = try transaction.operation(id, network: network)
            else { return .gone }
            transaction.deleteUnresolved(row)
            if row.notifies { try transaction.adjust(.eventsUnresolved, by: -1) }
            var isForeign = false
            if let group = row.group {
                isForeign = group.senderPublicKey != sender.xOnlyPublicKey
                if !isForeign { isForeign = try !transaction.bind(group) }
            }
            guard !isForeign else {
                transaction.forgetUnverified(row, known)
                if row.notifies { try transaction.adjust(.eventsSuppressed, by: 1) }
                return .foreign(waited: row.notifies)
            }
            var operation = known
            operation.sender = sender
            operation.receiver = receiver
            operation.amount = amount
            operation.acceptance = row.acceptance
            operation.acceptedAt = row.acceptedAt
            operation.isReverted = false
            if known.acceptance == nil { try transaction.forgetReverted(id) }
            transaction.put(operation, replacing: known)
            if row.notifies {
                try transaction.enqueue(operation, row.acceptance, now: now, isCounted: true)
            }
            return .stored(operation.kind, enqueued: row.notifies)
        }
    }

    /// Asks again after `pause`, in milliseconds.
    ///
    /// An event that needs no sender waits no longer once the node has refused `enoughRefusals` times in a row.
    public func postponeSender(
        _ question: UnresolvedSender, after attempt: SenderAttempt, now: UInt64, pause: UInt64
    ) async throws(StoreError) {
        let network = network
        try await write { (transaction) throws(StoreError) in
            guard var row = try transaction.unresolvedSender(of: question.transactionID, network: network),
                row.acceptance == question.acceptance
            else { return }
            transaction.deleteUnresolved(row)
            row.due = now.later(by: pause)
            if attempt != .notPut, row.attempts < .max { row.attempts += 1 }
            if row.isPaid { row.refusals = attempt != .refused ? 0 : row.refusals < .max ? row.refusals + 1 : .max }
            if row.notifies, row.refusals >= History.enoughRefusals { row.deadline = min(row.deadline, now) }
            transaction.putUnresolved(row)
        }
    }

    /// How often in a row a node refuses to name the sender of a payment or handshake before its event is queued
    /// without one.
    public static let enoughRefusals: UInt8 = 4

    /// Ends the waiting of events whose deadline has come, and gives up senders after theirs; at most `limit` a call.
    ///
    /// `decide` is asked about each, with the operation if an event waits and its row can be read. A sender is asked for
    /// until `askingUntil` when its event waits no longer.
    public func endSenderWaits(
        now: UInt64, askingUntil: UInt64, limit: Int,
        decide: @escaping @Sendable (UnresolvedSender, OperationRecord?) -> SenderWaitDecision
    ) async throws(StoreError) -> EndedWaits {
        let network = network
        return try await write { (transaction) throws(StoreError) in
            var ended = EndedWaits()
            let rows = try transaction.unresolvedSenders(.deadline, until: now, limit: limit, network: network)
            for row in rows {
                let operation = row.notifies ? try transaction.readable(row.transactionID, network: network) : nil
                let decision = decide(row, operation)
                var open = row
                transaction.deleteUnresolved(row)
                switch decision {
                case .waits(let later):
                    open.deadline = later
                    transaction.putUnresolved(open)
                    ended.prolonged += 1
                case .givenUp:
                    if row.group != nil {
                        transaction.forgetUnverified(
                            row, try transaction.readable(row.transactionID, network: network))
                    }
                    ended.givenUp += 1
                case .released, .suppressed:
                    try transaction.endWait(of: row, for: decision == .released ? operation : nil, now: now, &ended)
                    open.notifies = false
                    open.deadline = askingUntil
                    transaction.putUnresolved(open)
                }
            }
            return ended
        }
    }
}

extension StoreReading {
    /// The operation; nil also when its row is damaged, so that it holds up no other.
    fileprivate func readable(_ id: TransactionID, network: Network) throws(StoreError) -> OperationRecord? {
        do throws(StoreError) {
            return try operation(id, network: network)
        } catch {
            guard error.code == .corrupt else { throw error }
            return nil
        }
    }

    func unresolvedSender(of id: TransactionID, network: Network) throws(StoreError) -> UnresolvedSender? {
        guard let stored = try get(.unresolved, id.bytes) else { return nil }
        return try UnresolvedSender(transactionID: id, encoded: stored, network: network)
    }

    /// Rows whose moment is at `time` or before, in the order of their moments.
    fileprivate func unresolvedSenders(
        _ moment: UnresolvedSender.Moment, until time: UInt64, limit: Int, network: Network
    ) throws(StoreError) -> [UnresolvedSender] {
        let upper = UnresolvedSender.timeKey(moment, time < .max ? time + 1 : .max, .zero)
        let ids = try list(.unresolvedTimes, from: [moment.rawValue], below: upper, limit: limit) {
            (row) throws(StoreError) -> TransactionID? in
            guard let id = Hash(bytes: row.key.suffix(Hash.byteCount)) else {
                throw ByteReader.corrupt("unresolved sender's time")
            }
            return id
        }
        try willRead {
            var ahead = RowsAhead()
            ahead.add(.unresolved, ids.lazy.map(\.bytes))
            ahead.addOperations(ids)
            return ahead
        }
        var rows: [UnresolvedSender] = []
        for id in ids {
            guard let row = try unresolvedSender(of: id, network: network) else {
                throw ByteReader.corrupt("unresolved sender")
            }
            rows.append(row)
        }
        return rows
    }
}

extension WriteTransaction {
    /// Ends the wait of an operation's event: it is queued without a sender, or nobody is told of it if there is no
    /// operation.
    fileprivate func endWait(
        of row: UnresolvedSender, for operation: OperationRecord?, now: UInt64, _ ended: inout EndedWaits
    ) throws(StoreError) {
        guard row.notifies else { return }
        try adjust(.eventsUnresolved, by: -1)
        if let operation {
            try enqueue(operation, row.acceptance, now: now, isCounted: true)
            ended.released[operation.kind, default: 0] += 1
        } else {
            mark(row.transactionID, event: 0, now: now)
            try adjust(.eventsSuppressed, by: 1)
            ended.suppressed += 1
        }
    }

    /// Stores an operation whose sender is asked for, and lets its event wait.
    ///
    /// A group message is no accepted operation before its writer is verified: its row stays pending.
    func acceptUnresolved(
        _ accepted: AcceptedOperation, _ pending: AcceptedOperation.PendingSender, known: OperationRecord?,
        acceptance: OperationRecord.Acceptance, now: UInt64, into result: inout ChainStepResult
    ) throws(StoreError) {
        var operation = accepted.operation
        operation.fee = operation.fee ?? known?.fee
        let id = operation.transactionID
        if let previous = known?.acceptance, previous.blockHash != acceptance.blockHash {
            delete(.accepted, previous.blockHash.bytes + id.bytes)
        }
        if accepted.group != nil {
            operation.acceptance = nil
            operation.acceptedAt = nil
            operation.isReverted = known?.isReverted ?? false
            putPending(operation, replacing: known)
        } else {
            if known?.acceptance == nil {
                result.accepted += 1
                try forgetReverted(id)
            }
            put(operation, replacing: known)
        }
        put(.accepted, acceptance.blockHash.bytes + id.bytes, [])
        let isEnqueued = try isEnqueued(id)
        let notifies = accepted.notifies && !isEnqueued
        if notifies {
            try adjust(.eventsCreated, by: 1)
            try adjust(.eventsUnresolved, by: 1)
        }
        putUnresolved(
            UnresolvedSender(
                transactionID: id, acceptance: acceptance, acceptedAt: accepted.operation.acceptedAt,
                notifies: notifies, needsSender: pending.needsSender,
                group: accepted.group, paid: pending.paid, due: now,
                deadline: notifies ? pending.deadline : pending.askingUntil))
        result.unresolved += 1
    }

    /// Takes back a question whose acceptance is gone, with the event that waited for it.
    func dropUnresolved(_ row: UnresolvedSender, into result: inout ChainStepResult) throws(StoreError) {
        deleteUnresolved(row)
        delete(.accepted, row.acceptance.blockHash.bytes + row.transactionID.bytes)
        guard row.notifies else { return }
        try adjust(.eventsUnresolved, by: -1)
        try adjust(.eventsWithdrawn, by: 1)
        result.withdrawn += 1
    }

    fileprivate func putUnresolved(_ row: UnresolvedSender) {
        put(.unresolved, row.transactionID.bytes, row.encoded)
        for key in row.timeKeys { put(.unresolvedTimes, key, []) }
    }

    fileprivate func deleteUnresolved(_ row: UnresolvedSender) {
        delete(.unresolved, row.transactionID.bytes)
        for key in row.timeKeys { delete(.unresolvedTimes, key) }
    }

    /// Deletes a group message whose writer was not verified, with the places in lists that an earlier acceptance may
    /// have left it; `operation` is nil if its row cannot be read.
    fileprivate func forgetUnverified(_ row: UnresolvedSender, _ operation: OperationRecord?) {
        if let operation { deleteOperation(operation) } else { delete(.operations, row.transactionID.bytes) }
        delete(.accepted, row.acceptance.blockHash.bytes + row.transactionID.bytes)
    }
}
