import Kaspa

/// The walk of `checkBooks`: looks, family by family, for what belongs to each row.
struct StoreWalk {
    let reading: any StoreReading
    let network: Network
    let limits: StoreLimits
    let shards: ShardPlan
    var check = StoreCheck()
    var watchEntries: UInt64 = 0
    var longEvents: UInt64 = 0
    var waitingForSenders: UInt64 = 0
    /// How far below the cursor every acceptance must be there, in blue score: 2.7 hours.
    ///
    /// Acceptances are kept for longer. But a node may send us back to its pruning point, a day and more, and what was
    /// forgotten below the height before is not missed there.
    private static let acceptancesLookedAt: UInt64 = 100_000
    /// The blue score below which acceptances may have been forgotten.
    private(set) var reach: UInt64 = 0
    /// When the oldest was queued that the log has not forgotten.
    private(set) var oldestLogTime = UInt64.max

    init(reading: any StoreReading, network: Network, limits: StoreLimits, shards: ShardPlan) {
        self.shards = shards
        self.reading = reading
        self.network = network
        self.limits = limits
    }

    mutating func run() throws(StoreError) -> StoreCheck {
        if let stored = try reading.get(.meta, MetaKey.cursor) {
            let score = try ChainCursor(encoded: stored).blueScore
            reach = score - min(score, StoreWalk.acceptancesLookedAt)
        }
        let oldest = try reading.list(
            .deliveryLogByTime, from: [], below: KeyBytes.successor(ofPrefix: []), limit: 1
        ) { row in Array(row.key) }
        if let key = oldest.first { oldestLogTime = LogDay.time(ofKey: key) }
        for family in ColumnFamily.allCases where shards.own == 0 || family.isOfEachShard {
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
            (.devices, check.rows[.devices, default: 0]), (.watchEntries, shards.own == 0 ? watchEntries : 0),
            (.deliveries, check.rows[.deliveries, default: 0]), (.events, check.rows[.events, default: 0]),
            (.deadLetters, check.rows[.deadLetters, default: 0]), (.eventsUnresolved, waitingForSenders),
            (.eventsLong, longEvents),
        ]
        for (counter, rows) in counted {
            let value = try reading.value(of: counter)
            check.require(value == rows, "\(counter.rawValue) says \(value), there are \(rows)")
        }
        check.require(
            check.rows[.unresolvedTimes, default: 0] == 2 * check.rows[.unresolved, default: 0],
            "unresolved_times has not two rows for each of unresolved")
    }

    private mutating func look(at row: Row, in family: ColumnFamily) throws(StoreError) {
        switch family {
        case .meta, .groupBindings: break
        // History
        case .operations: try lookAtOperation(row)
        case .operationLists: try lookAtListEntry(row)
        case .accepted: try lookAtAcceptance(row)
        case .transfers: try lookAtTransfer(row)
        case .unresolved: try lookAtUnresolved(row)
        case .unresolvedTimes: try lookAtUnresolvedTime(row)
        case .changes: _ = try ActivityChange(row, network: network)
        case .unconfirmed: try lookAtUnconfirmed(row)
        // Registry
        case .devices: try lookAtDevice(row)
        case .watchers: try lookAtWatcher(row)
        case .walletDevices: try lookAtWalletDevice(row)
        case .usedNonces: check.require(row.key.count == 8 + NonceUse.byteCount, "a used nonce of another length")
        case .releasedBindings: try lookAtReleasedBinding(row)
        // Outbox
        case .events: if try PushEvent(row, network: network).isLong(limits) { longEvents += 1 }
        case .enqueued: try lookAtMarker(row)
        case .enqueuedByTime: try lookAtMarkerTime(row)
        case .deliveries: try lookAtDelivery(row)
        case .deviceStates: try lookAtState(row)
        case .schedule: try lookAtSchedule(row)
        case .deliveryLog: try lookAtLog(row)
        case .deliveryLogByTime: try lookAtLogTime(row)
        case .deadLetters: try lookAtDeadLetter(row)
        case .recentFunds: try lookAtRecentPushes(row)
        case .reverted: try lookAtReverted(row)
        case .retractions: try lookAtRetraction(row)
        }
    }

    func has(_ family: ColumnFamily, _ key: [UInt8]) throws(StoreError) -> Bool {
        try reading.get(family, key) != nil
    }
}
