public import KasiaProtocol
public import Kaspa

/// What became of an operation whose sender was found.
public enum SenderResolution: Equatable, Sendable {
    /// The sender is stored; `enqueued` says whether an event was released.
    case stored(OperationKind, enqueued: Bool)
    /// A group message of a key that does not own the group, or is not the one that pays: it is gone. `waited` says
    /// whether an event waited for it.
    case foreign(waited: Bool)
    /// A reorganisation was faster, or another answer.
    case gone
}

/// What the end of waiting did to events whose sender stayed unknown.
public struct EndedWaits: Equatable, Sendable {
    /// Events that went their way without a sender.
    public var released: [OperationKind: Int] = [:]
    /// Events that are for nobody without a sender.
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

/// Until when a sender is waited for that was not found by the deadline; milliseconds since 1970.
public struct SenderWaits: Sendable {
    /// What has waited so long is over.
    public var now: UInt64
    /// A sender that no event waits for any more is asked for until then.
    public var askingUntil: UInt64
    /// An event that is lost without its sender waits until then if the node was hardly asked.
    public var waitingUntil: UInt64
    /// Unless its block is from before this time: then it is no news any more.
    public var newsSince: UInt64

    /// Waits that are over at `now`.
    public init(now: UInt64, askingUntil: UInt64, waitingUntil: UInt64, newsSince: UInt64) {
        self.now = now
        self.askingUntil = askingUntil
        self.waitingUntil = waitingUntil
        self.newsSince = newsSince
    }
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
extension Store {
    /// Questions whose time has come, the longest due first, at most `limit`.
    public func dueSenderQuestions(now: UInt64, limit: Int) throws(StoreError) -> [UnresolvedSender] {
        let snapshot = Snapshot(database)
        return try snapshot.unresolvedSenders(.question, until: now, limit: limit, network: network)
    }

    /// The question about a transaction's sender; nil when there is none.
    public func unresolvedSender(of id: TransactionID) throws(StoreError) -> UnresolvedSender? {
        try database.unresolvedSender(of: id, network: network)
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
                transaction.forgetUnverified(row)
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
            if row.notifies, row.refusals >= Store.enoughRefusals { row.deadline = min(row.deadline, now) }
            transaction.putUnresolved(row)
        }
    }

    /// How often a node is asked, at least, before its not knowing a sender loses something: with the pauses between
    /// questions that is half a minute.
    ///
    /// Before that no time is held against a question without whose answer nobody is told.
    public static let fewestSenderQuestions: UInt32 = 7

    /// How often in a row a node refuses to name the sender of a payment or handshake before its event goes without.
    public static let enoughRefusals: UInt8 = 4

    /// Ends the waiting of events whose deadline has come, and gives up senders after theirs; at most `limit` a call.
    ///
    /// An event that needs no sender is released; others are suppressed once the node was asked
    /// `fewestSenderQuestions` times, or when they are no news any more.
    public func endSenderWaits(_ waits: SenderWaits, limit: Int) async throws(StoreError) -> EndedWaits {
        let network = network
        return try await write { (transaction) throws(StoreError) in
            let now = waits.now
            var ended = EndedWaits()
            let rows = try transaction.unresolvedSenders(.deadline, until: now, limit: limit, network: network)
            for row in rows {
                transaction.deleteUnresolved(row)
                if let later = try transaction.prolongedDeadline(of: row, waits, network: network) {
                    var open = row
                    open.deadline = later
                    transaction.putUnresolved(open)
                    ended.prolonged += 1
                    continue
                }
                guard row.notifies else {
                    if row.group != nil { transaction.forgetUnverified(row) }
                    ended.givenUp += 1
                    continue
                }
                try transaction.adjust(.eventsUnresolved, by: -1)
                if !row.needsSender, let operation = try transaction.readable(row.transactionID, network: network) {
                    try transaction.enqueue(operation, row.acceptance, now: now, isCounted: true)
                    ended.released[operation.kind, default: 0] += 1
                } else {
                    transaction.mark(row.transactionID, event: 0, now: now)
                    try transaction.adjust(.eventsSuppressed, by: 1)
                    ended.suppressed += 1
                }
                var open = row
                open.notifies = false
                open.deadline = waits.askingUntil
                transaction.putUnresolved(open)
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
    /// The new deadline of a question that the node was hardly asked, if its end would cost somebody something.
    fileprivate func prolongedDeadline(
        of row: UnresolvedSender, _ waits: SenderWaits, network: Network
    ) throws(StoreError) -> UInt64? {
        guard row.attempts < Store.fewestSenderQuestions else { return nil }
        guard row.notifies else { return waits.askingUntil }
        guard row.needsSender, let operation = try readable(row.transactionID, network: network),
            operation.blockTime >= waits.newsSince
        else { return nil }
        return waits.waitingUntil
    }

    /// Stores an operation whose sender is asked for, and lets its event wait.
    ///
    /// A group message is no accepted operation before its writer is verified: its row stays pending.
    func acceptUnresolved(
        _ accepted: AcceptedOperation, _ pending: AcceptedOperation.PendingSender, known: OperationRecord?,
        acceptance: OperationRecord.Acceptance, now: UInt64, into result: inout ChainStepResult
    ) throws(StoreError) {
        var operation = accepted.operation
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
        let isMarked = try get(.enqueued, id.bytes) != nil
        let notifies = accepted.notifies && !isMarked
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

    /// A group message that nobody vouches for leaves no trace.
    fileprivate func forgetUnverified(_ row: UnresolvedSender) {
        delete(.operations, row.transactionID.bytes)
        delete(.accepted, row.acceptance.blockHash.bytes + row.transactionID.bytes)
    }
}
