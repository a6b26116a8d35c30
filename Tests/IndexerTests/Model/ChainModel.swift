import KasiaProtocol
import Kaspa
import KaspadReplay

@testable import Store

/// What the store should say about the virtual chain, in plain dictionaries.
///
/// It knows the generated world and where the cursor stands, not what the node answered: what is accepted at a cursor
/// follows from the chain blocks below it.
struct ChainModel {
    struct Row: Equatable {
        var acceptance: BlockHash?
        /// Whether the store knows the sender, and with it the receiver.
        var isNamed: Bool
        /// The block that the accepting answer named; nil while the transaction was only seen in blocks.
        var block: BlockHash?
        var blockTime: UInt64?
        /// Whether it was accepted and is not any more.
        var isReverted = false
    }

    struct Event: Equatable {
        var block: BlockHash
        var isNamed: Bool
        var queuedAt: UInt64
    }

    struct Question: Equatable {
        var block: BlockHash
        var notifies: Bool
        var attempts: UInt32
        var refusals: UInt8
        var due: UInt64
        var deadline: UInt64
    }

    struct Marker: Equatable {
        var time: UInt64
        var isForNobody: Bool
    }

    struct Transfer: Equatable {
        var acceptance: BlockHash?
        var listed: Set<Address>
        var blockTime: UInt64
    }

    static let patience: UInt64 = 60_000
    static let persistence: UInt64 = 3_600_000

    let world: ModelWorld
    let unnamed: Set<TransactionID>
    let unknown: Set<TransactionID>
    let withdrawsUnsent: Bool
    let maximumAge: UInt64

    var cursor: BlockHash?
    var gaps: UInt64 = 0
    var rows: [TransactionID: Row] = [:]
    var transfers: [TransactionID: Transfer] = [:]
    /// Who is watched, and of them for funds; nobody ceases to be.
    var watched: Set<Address> = []
    var watchedForFunds: Set<Address> = []
    var events: [TransactionID: Event] = [:]
    var questions: [TransactionID: Question] = [:]
    var markers: [TransactionID: Marker] = [:]
    /// Accepted operations above which the chain has never stood high enough.
    var unconfirmed: Set<TransactionID> = []
    var owners: [[UInt8]: [UInt8]] = [:]
    var books = Outbox.Books()

    /// Rows of the family `accepted`.
    var accepted: Set<[BlockHash]> {
        var rows = Set(self.rows.compactMap { id, row in row.acceptance.map { [$0, id] } })
        for (id, transfer) in transfers { if let block = transfer.acceptance { rows.insert([block, id]) } }
        for (id, question) in questions { rows.insert([question.block, id]) }
        return rows
    }

    private func kind(_ id: TransactionID) -> OperationKind { world.operations[id]?.kind ?? .broadcast }

    /// Whether only the sender says who is told.
    private func needsSender(_ id: TransactionID) -> Bool {
        guard let operation = world.operations[id] else { return true }
        switch operation.kind {
        case .payment, .handshake: return false
        case .groupControl:
            guard case .operation(let read) = PayloadGrammar.classify(operation.payload) else { return true }
            return read.recipient == nil
        default: return true
        }
    }

    // MARK: The chain

    /// What is known of a transaction's fee once it was accepted: an answer that leaves a coin out says none.
    func fee(of id: TransactionID) -> UInt64? { unnamed.contains(id) ? nil : world.fees[id] }

    mutating func seen(_ operations: [GeneratedOperation]) {
        for operation in operations where rows[operation.id] == nil {
            rows[operation.id] = Row(acceptance: nil, isNamed: false)
        }
    }

    /// The store begins at a block, or leaves a gap up to it.
    mutating func begin(at block: BlockHash) {
        if cursor != nil { gaps += 1 }
        cursor = block
    }

    /// The cursor moved; nil when there is no way from where it was.
    mutating func move(to target: BlockHash, now: UInt64) -> Bool {
        guard let cursor else { return false }
        var old = [cursor]
        while let below = world.below[old[old.count - 1]] { old.append(below) }
        let known = Set(old)
        var added: [BlockHash] = []
        var fork = target
        while !known.contains(fork) {
            added.append(fork)
            guard let below = world.below[fork] else { return false }
            fork = below
        }
        for block in old.prefix(while: { $0 != fork }) { remove(block) }
        for block in added.reversed() { accept(block, now: now) }
        self.cursor = target
        confirm()
        return true
    }

    /// Takes out what has 4 confirmations at the cursor.
    mutating func confirm() {
        let score = cursor.flatMap { world.contents[$0]?.acceptance.blueScore } ?? 0
        unconfirmed = unconfirmed.filter { id in
            let block = rows[id]?.acceptance ?? transfers[id]?.acceptance
            let accepted = block.flatMap { world.contents[$0]?.acceptance.blueScore }
            return accepted.map { $0 + 4 > score } ?? false
        }
    }

    private mutating func remove(_ block: BlockHash) {
        for (id, question) in questions where question.block == block { drop(id, question) }
        for (id, row) in rows where row.acceptance == block {
            rows[id]?.acceptance = nil
            rows[id]?.isReverted = true
            withdraw(id)
        }
        for (id, transfer) in transfers where transfer.acceptance == block {
            transfers[id]?.acceptance = nil
            withdraw(id)
        }
    }

    private mutating func withdraw(_ id: TransactionID) {
        guard withdrawsUnsent, events.removeValue(forKey: id) != nil else { return }
        markers[id] = nil
        books.eventsWithdrawn += 1
    }

    private mutating func drop(_ id: TransactionID, _ question: Question) {
        questions[id] = nil
        if question.notifies { books.eventsWithdrawn += 1 }
    }

    private mutating func accept(_ block: BlockHash, now: UInt64) {
        for transfer in world.contents[block]?.transfers ?? [] {
            let id = transfer.id
            let listed = transfer.parties.intersection(watched)
            guard !listed.isEmpty else { continue }
            if transfers[id]?.acceptance != block || transfers[id]?.listed != listed { unconfirmed.insert(id) }
            transfers[id] = Transfer(acceptance: block, listed: listed, blockTime: transfer.blockTime)
            guard transfer.credits.contains(where: { $0.address.map(watchedForFunds.contains) ?? false }),
                transfer.blockTime + maximumAge >= now, markers[id] == nil
            else { continue }
            books.eventsCreated += 1
            enqueue(id, block, isNamed: true, now: now)
        }
        for entry in world.contents[block]?.accepted ?? [] {
            let id = entry.id
            if let question = questions[id] { drop(id, question) }
            let told = kind(id) != .selfStash && kind(id) != .broadcast && entry.blockTime + maximumAge >= now
            let notifies = told && markers[id] == nil
            let isNamed = !unnamed.contains(id) || rows[id]?.isNamed == true
            let verified = isNamed || kind(id) != .groupMessage
            if verified, rows[id]?.acceptance != block { unconfirmed.insert(id) }
            rows[id] = Row(
                acceptance: verified ? block : nil, isNamed: isNamed, block: entry.block, blockTime: entry.blockTime,
                isReverted: !verified && rows[id]?.isReverted == true)
            if notifies { books.eventsCreated += 1 }
            if isNamed {
                own(id)
                if notifies { enqueue(id, block, isNamed: true, now: now) }
            } else {
                questions[id] = Question(
                    block: block, notifies: notifies, attempts: 0, refusals: 0, due: now,
                    deadline: now + (notifies ? ChainModel.patience : ChainModel.persistence))
            }
        }
    }

    private mutating func own(_ id: TransactionID) {
        guard kind(id) == .groupMessage, let sender = world.operations[id]?.sender, let wallet = world.groups[sender]
        else { return }
        owners[wallet.blindedGroupID.bytes] = wallet.publicKey
    }

    private mutating func enqueue(_ id: TransactionID, _ block: BlockHash, isNamed: Bool, now: UInt64) {
        events[id] = Event(block: block, isNamed: isNamed, queuedAt: now)
        markers[id] = Marker(time: now, isForNobody: false)
    }

    // MARK: Senders and dispatch

    mutating func resolve(isConnected: Bool, now: UInt64) {
        for (id, question) in questions where question.deadline <= now {
            if question.attempts < 7 {
                if !question.notifies {
                    questions[id]?.deadline = now + ChainModel.persistence
                    continue
                }
                if needsSender(id), let blockTime = rows[id]?.blockTime, blockTime + maximumAge >= now {
                    questions[id]?.deadline = now + ChainModel.patience
                    continue
                }
            }
            guard question.notifies else {
                questions[id] = nil
                if kind(id) == .groupMessage { rows[id] = nil }
                continue
            }
            if needsSender(id) {
                markers[id] = Marker(time: now, isForNobody: true)
                books.eventsSuppressed += 1
            } else {
                enqueue(id, question.block, isNamed: false, now: now)
            }
            questions[id]?.notifies = false
            questions[id]?.deadline = now + ChainModel.persistence
        }
        guard isConnected else { return }
        for (id, question) in questions where question.due <= now {
            guard !unknown.contains(id) else {
                questions[id]?.attempts += 1
                questions[id]?.due = now + min(500 << UInt64(question.attempts), 300_000)
                guard kind(id) == .payment || kind(id) == .handshake else { continue }
                questions[id]?.refusals += 1
                if question.notifies, question.refusals >= 3 { questions[id]?.deadline = min(question.deadline, now) }
                continue
            }
            questions[id] = nil
            rows[id]?.isNamed = true
            if rows[id]?.acceptance != question.block { unconfirmed.insert(id) }
            rows[id]?.acceptance = question.block
            rows[id]?.isReverted = false
            own(id)
            confirm()
            if question.notifies { enqueue(id, question.block, isNamed: true, now: now) }
        }
    }

    mutating func dispatched(_ id: TransactionID) {
        events[id] = nil
        books.eventsFannedOut += 1
    }

    /// The books, with what follows from the rows.
    var allBooks: Outbox.Books {
        var books = books
        books.eventsQueued = UInt64(events.count)
        books.eventsUnresolved = UInt64(questions.values.count { $0.notifies })
        return books
    }
}
