public import KasiaProtocol
public import Kaspa

/// Where an item of activity stands in the chain.
public enum ActivityStatus: String, CaseIterable, Sendable {
    /// Seen in a block.
    case pending
    /// Accepted by the virtual chain.
    case accepted
    /// Accepted, and the virtual chain has grown enough since (`StoreLimits.confirmations`).
    case confirmed
    /// Taken out of the virtual chain, and not back.
    case reverted
}

/// What confirmations are counted from.
struct ChainTip {
    var blueScore: UInt64
    /// How many make an accepted item a confirmed one.
    var confirmations: UInt64
}

/// Which way an item goes, seen from the address whose activity it is.
public enum ActivityDirection: String, CaseIterable, Sendable {
    case incoming = "in"
    case outgoing = "out"
    /// From the address to itself.
    case toSelf = "self"
}

/// Something that an address sent or received.
public struct ActivityItem: Equatable, Sendable {
    /// The transaction that it is.
    public var transactionID: TransactionID
    /// nil: a plain transfer.
    public var kind: OperationKind?
    /// Which way it goes, seen from the address that was asked about.
    public var direction: ActivityDirection
    /// Who is at the other end; nil when there is nobody else, or it is not known.
    public var counterparty: Address?
    /// Sompi that go to whom it is for; 0 for kinds that carry none.
    public var amount: UInt64
    /// Sompi that the spender paid to have it mined; nil where it is not known, as of what was never accepted.
    public var fee: UInt64?
    /// The body of a payment's payload, sealed or not; nil for what is no payment.
    public var memo: ArraySlice<UInt8>?
    /// How it stands in the chain, at the moment of the question.
    public var status: ActivityStatus
    /// Milliseconds since 1970.
    public var blockTime: UInt64
    /// The accepting block's time, milliseconds since 1970; nil when not accepted, or not known.
    public var acceptedAt: UInt64?
    /// The virtual chain's growth since the acceptance, in blue score; nil when not accepted.
    public var confirmations: UInt64?

    /// Where it stands in the address's activity, for a page that begins behind it.
    public var position: OperationPosition {
        OperationPosition(blockTime: blockTime, transactionID: transactionID)
    }
}

/// Which items of an address's activity are asked for.
public struct ActivityFilter: Equatable, Sendable {
    /// Operations of these kinds.
    public var kinds: Set<OperationKind>
    /// Whether plain transfers are asked for, too.
    public var includesTransfers: Bool
    /// Only what goes one of these ways, seen from the address.
    public var directions: Set<ActivityDirection>
    /// Only what stands so in the chain.
    public var statuses: Set<ActivityStatus>
    /// nil: anybody.
    public var counterparty: Address?
    /// The earliest block time, inclusive, milliseconds since 1970.
    public var since: UInt64
    /// The latest block time, inclusive, milliseconds since 1970.
    public var until: UInt64

    /// All operations and no plain transfers, unless given otherwise.
    public init(
        kinds: Set<OperationKind> = Set(OperationKind.allCases), includesTransfers: Bool = false,
        directions: Set<ActivityDirection> = Set(ActivityDirection.allCases),
        statuses: Set<ActivityStatus> = Set(ActivityStatus.allCases), counterparty: Address? = nil,
        since: UInt64 = 0, until: UInt64 = .max
    ) {
        self.kinds = kinds
        self.includesTransfers = includesTransfers
        self.directions = directions
        self.statuses = statuses
        self.counterparty = counterparty
        self.since = since
        self.until = until
    }

    func admits(_ item: ActivityItem) -> Bool {
        (item.kind.map(kinds.contains) ?? includesTransfers) && directions.contains(item.direction)
            && statuses.contains(item.status) && (counterparty == nil || counterparty == item.counterparty)
            && item.blockTime >= since && item.blockTime <= until
    }
}

/// A page of activity, newest first.
public struct ActivityPage: Equatable, Sendable {
    /// The newest first, at most as many as were asked for.
    public var items: [ActivityItem]
    /// Where the next page begins; nil when this is the last.
    public var next: OperationPosition?
}

extension History {
    /// What `address` sent and received, newest first: those before `position`, at most `limit`.
    ///
    /// All of one moment. A page can hold fewer than `limit`, even none, and not be the last: at the end of its budget it
    /// ends, and `next` goes on behind the last item looked at.
    public func activity(
        of address: Address, matching filter: ActivityFilter = ActivityFilter(),
        before position: OperationPosition? = nil, limit: Int, budget: ReadBudget = ReadBudget()
    ) async throws(StoreError) -> ActivityPage {
        try await readPage { () throws(StoreError) -> ActivityPage in
            let reader = try ActivityReader(self, address, filter)
            return try reader.page(before: position, limit: limit, budget: budget)
        }
    }

    /// One item of an address's activity as it stands; nil when the address has no part in it.
    public func activityItem(_ id: TransactionID, of address: Address) async throws(StoreError) -> ActivityItem? {
        try await readPage { () throws(StoreError) -> ActivityItem? in
            let reader = try ActivityReader(self, address, ActivityFilter(includesTransfers: true))
            return try reader.item(id)
        }
    }

    /// How transactions stand, whoever asks, in the order of `ids`; nil for those of which nothing is known.
    public func transactionStates(_ ids: [TransactionID]) async throws(StoreError) -> [TransactionState?] {
        try await readPage { () throws(StoreError) -> [TransactionState?] in
            let (snapshot, network) = (database.snapshot(), network)
            let tip = ChainTip(blueScore: try snapshot.chainBlueScore(), confirmations: limits.confirmations)
            try snapshot.willRead { () throws(StoreError) in try snapshot.itemRows(ids, network: network) }
            var states: [TransactionState?] = []
            for id in ids {
                if let operation = try snapshot.operation(id, network: network) {
                    states.append(try snapshot.state(of: operation, at: tip))
                } else if let transfer = try snapshot.transfer(id, network: network) {
                    states.append(try snapshot.state(of: transfer, at: tip))
                } else {
                    states.append(nil)
                }
            }
            return states
        }
    }
}

/// How a transaction stands in the chain.
public struct TransactionState: Equatable, Sendable {
    /// nil: a plain transfer.
    public var kind: OperationKind?
    /// How it stands in the chain, at the moment of the question.
    public var status: ActivityStatus
    /// Sompi that the spender paid to have it mined; nil where it is not known, as of what was never accepted.
    public var fee: UInt64?
    /// Milliseconds since 1970.
    public var blockTime: UInt64
    /// The accepting block's time, milliseconds since 1970; nil when not accepted, or not known.
    public var acceptedAt: UInt64?
    /// The virtual chain's growth since the acceptance, in blue score; nil when not accepted.
    public var confirmations: UInt64?
}

extension StoreReading {
    /// What the items of these transactions are made of, for an engine that reads all of it at once.
    fileprivate func itemRows(_ ids: [TransactionID], network: Network) throws(StoreError) -> RowsAhead {
        try willRead {
            var ahead = RowsAhead()
            ahead.addOperations(ids)
            ahead.add(.transfers, ids.lazy.map(\.bytes))
            return ahead
        }
        var ahead = RowsAhead()
        for id in ids {
            // One that cannot be read says so when it is its turn.
            var acceptance = (try? operation(id, network: network))?.acceptance
            if acceptance == nil { acceptance = (try? transfer(id, network: network))?.acceptance }
            if let acceptance { ahead.add(.unconfirmed, [UnconfirmedItem.key(acceptance.blueScore, id)]) }
        }
        return ahead
    }

    func state(of operation: OperationRecord, at tip: ChainTip) throws(StoreError) -> TransactionState {
        let state = TransactionState(
            kind: operation.kind, status: operation.isReverted ? .reverted : .pending, fee: operation.fee,
            blockTime: operation.blockTime, acceptedAt: operation.acceptedAt)
        return try self.state(operation.acceptance, of: operation.transactionID, state, at: tip)
    }

    func state(of transfer: TransferRecord, at tip: ChainTip) throws(StoreError) -> TransactionState {
        let state = TransactionState(
            kind: nil, status: .reverted, fee: transfer.fee, blockTime: transfer.blockTime,
            acceptedAt: transfer.acceptedAt)
        return try self.state(transfer.acceptance, of: transfer.transactionID, state, at: tip)
    }

    /// What follows from the acceptance; without one it is as it is.
    private func state(
        _ acceptance: OperationRecord.Acceptance?, of id: TransactionID, _ state: TransactionState, at tip: ChainTip
    ) throws(StoreError) -> TransactionState {
        var state = state
        guard let acceptance else { return state }
        let growth = tip.blueScore - min(tip.blueScore, acceptance.blueScore)
        state.confirmations = growth
        // What was confirmed stays so when the chain is shorter for a moment, in the middle of a reorganisation.
        state.status = .confirmed
        if growth < tip.confirmations, try get(.unconfirmed, UnconfirmedItem.key(acceptance.blueScore, id)) != nil {
            state.status = .accepted
        }
        return state
    }

    func chainBlueScore() throws(StoreError) -> UInt64 {
        try cursor()?.blueScore ?? 0
    }
}

/// Merges the lists that an address stands in, newest first.
private struct ActivityReader {
    /// Keys read from each list at a time, at most.
    private static let longestStretch = 128

    private let snapshot: any StoreReading
    private let network: Network
    private let address: Address
    private let filter: ActivityFilter
    private let tip: ChainTip

    init(_ history: History, _ address: Address, _ filter: ActivityFilter) throws(StoreError) {
        snapshot = history.database.snapshot()
        (network, self.address, self.filter) = (history.network, address, filter)
        tip = ChainTip(blueScore: try snapshot.chainBlueScore(), confirmations: history.limits.confirmations)
    }

    func page(before start: OperationPosition?, limit: Int, budget: ReadBudget) throws(StoreError) -> ActivityPage {
        var page = ActivityPage(items: [], next: nil)
        guard limit > 0, filter.since <= filter.until else { return page }
        let prefixes = lists.map(\.prefix)
        var bound = start
        var budget = budget
        // One more than fit on the page tells whether it is the last.
        var count = min(limit, ActivityReader.longestStretch - 1) + 1
        while true {
            let (positions, isLast) = try stretch(of: prefixes, before: bound, atMost: count)
            let ids = positions.map(\.transactionID)
            try snapshot.willRead { () throws(StoreError) in try snapshot.itemRows(ids, network: network) }
            for position in positions {
                guard budget.take() else {
                    page.next = bound
                    return page
                }
                if let item = try item(position.transactionID), filter.admits(item) {
                    // One more than asked for tells whether there is another page.
                    guard page.items.count < limit else {
                        page.next = page.items.last?.position
                        return page
                    }
                    page.items.append(item)
                }
                bound = position
            }
            if isLast { return page }
            // A filter that matches rarely looks at many.
            count = min(2 * count, ActivityReader.longestStretch)
        }
    }

    /// The newest positions before `bound` in any of the lists, and whether there are no more.
    private func stretch(
        of prefixes: [[UInt8]], before bound: OperationPosition?, atMost count: Int
    ) throws(StoreError) -> (positions: [OperationPosition], isLast: Bool) {
        let floor = OperationPosition(blockTime: filter.since, transactionID: .zero).bytes
        let ceiling = bound?.bytes
        var keys: [[UInt8]] = []
        var isLast = true
        for prefix in prefixes {
            var upper =
                filter.until < .max
                ? OperationPosition(blockTime: filter.until + 1, transactionID: .zero).bytes : nil
            if let ceiling, upper.map({ ceiling.lexicographicallyPrecedes($0) }) ?? true { upper = ceiling }
            let found = try snapshot.listBackwards(
                .operationLists, from: prefix + floor,
                below: upper.map { prefix + $0 } ?? KeyBytes.successor(ofPrefix: prefix), limit: count
            ) { Array($0.key.suffix(OperationPosition.byteCount)) }
            if found.count == count { isLast = false }
            keys += found
        }
        keys.sort { $1.lexicographicallyPrecedes($0) }
        var positions: [OperationPosition] = []
        var previous: [UInt8]?
        for key in keys where key != previous {
            // Beyond a stretch, a list that was cut may have newer ones.
            guard isLast || positions.count < count else { break }
            guard let position = OperationPosition(bytes: key) else { throw ByteReader.corrupt("operation_lists") }
            positions.append(position)
            previous = key
        }
        return (positions, isLast)
    }

    /// nil when the address has no part in it.
    func item(_ id: TransactionID) throws(StoreError) -> ActivityItem? {
        if let operation = try snapshot.operation(id, network: network) { return try item(of: operation) }
        guard filter.includesTransfers, let transfer = try snapshot.transfer(id, network: network),
            let side = transfer.side(of: address)
        else { return nil }
        let state = try snapshot.state(of: transfer, at: tip)
        return ActivityItem(
            transactionID: id, kind: nil, direction: side.direction, counterparty: side.counterparty,
            amount: side.amount, fee: state.fee, status: state.status, blockTime: state.blockTime,
            acceptedAt: state.acceptedAt, confirmations: state.confirmations)
    }

    private func item(of operation: OperationRecord) throws(StoreError) -> ActivityItem? {
        let sender = operation.acceptance != nil || operation.isReverted ? operation.sender : nil
        let other = operation.counterparty(on: network)
        let direction: ActivityDirection
        let counterparty: Address?
        switch (sender == address, other == address) {
        case (true, true): (direction, counterparty) = (.toSelf, nil)
        case (true, false):
            direction = operation.kind == .selfStash ? .toSelf : .outgoing
            counterparty = other
        case (false, true): (direction, counterparty) = (.incoming, sender)
        case (false, false): return nil
        }
        let state = try snapshot.state(of: operation, at: tip)
        return ActivityItem(
            transactionID: operation.transactionID, kind: operation.kind, direction: direction,
            counterparty: counterparty, amount: operation.amount, fee: state.fee,
            memo: operation.kind == .payment ? operation.payload[operation.parsed.body] : nil, status: state.status,
            blockTime: operation.blockTime, acceptedAt: state.acceptedAt, confirmations: state.confirmations)
    }

    /// The lists that can hold what is asked for.
    private var lists: [OperationList] {
        var lists: [OperationList] = filter.includesTransfers ? [.transfers(address)] : []
        let sends = !filter.directions.isDisjoint(with: [.outgoing, .toSelf])
        let receives = !filter.directions.isDisjoint(with: [.incoming, .toSelf])
        for kind in filter.kinds {
            switch kind {
            case .handshake:
                if sends { lists.append(.handshakesBySender(address)) }
                if receives { lists.append(.handshakesByReceiver(address)) }
            case .payment:
                if sends { lists.append(.paymentsBySender(address)) }
                if receives { lists.append(.paymentsByReceiver(address)) }
            case .groupControl:
                if sends { lists.append(.groupControlsBySender(address)) }
                if receives, address.version == .schnorr, let key = address.xOnlyPublicKey {
                    lists.append(.groupControlsByRecipient(key))
                }
            case .contextualMessage: if sends { lists.append(.contextualMessages(sender: address, alias: nil)) }
            case .selfStash: if sends { lists.append(.selfStashes(owner: address, scope: nil)) }
            case .groupMessage: if sends { lists.append(.groupMessagesBySender(address)) }
            case .broadcast: if sends { lists.append(.broadcastsBySender(address)) }
            }
        }
        return lists
    }
}
