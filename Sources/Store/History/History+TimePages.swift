public import KasiaProtocol
import Kaspa

/// How a page ends when its reader asks for the next one by block time.
///
/// It never ends between two rows of one time: the next page begins behind that time, and would skip the others.
public enum TimePageEnd: Sendable {
    /// The page goes on to the end of the time that it is at, and can be a little longer than its limit.
    case afterTime
    /// The page ends before the time that does not fit, and can be shorter than its limit; the first time it takes
    /// whole, so that the reader always gets on.
    case beforeTime
}

/// A page whose reader asks for the next one by block time.
public struct TimePage: Equatable, Sendable {
    /// In the page's order.
    public var operations: [OperationRecord]
    /// Whether the list goes on.
    public var hasMore: Bool
}

extension History {
    /// Rows that a page by block time looks at, at most.
    ///
    /// A block carries some hundreds, so only a miner who gives many blocks one time can put more than that there; what
    /// is left of such a time is not in the next page. Pages by position (`operations(in:from:after:limit:)`) have it.
    public static let timePageRows = 5_000

    /// Bytes of payloads with which a page by block time is full, whatever its limit.
    public static let timePageBytes = 4 << 20

    /// Operations of any of the lists, each once, that are later than `blockTime` (milliseconds): the oldest first.
    ///
    /// All of one moment. Costs a seek for each list, however long it is, and one for each 16 rows shown: bounded by the
    /// lists, `limit` and `timePageRows`. No budget of time ends it, as its readers take a short page for the last.
    public func operations(
        inAnyOf lists: [OperationList], laterThan blockTime: UInt64, limit: Int, ending end: TimePageEnd
    ) async throws(StoreError) -> [OperationRecord] {
        try await readPage { () throws(StoreError) -> [OperationRecord] in
            guard blockTime < .max else { return [] }
            let snapshot = database.snapshot()
            let start = OperationPosition(blockTime: blockTime + 1, transactionID: .zero)
            var merge = try ListMerge(of: lists, in: snapshot, direction: .forwards(from: start))
            return try timePage(of: &merge, in: snapshot, limit: limit, ending: end) { _ in true }.operations
        }
    }

    /// A channel's broadcasts before a block time (milliseconds, exclusive; nil: the newest), the newest first.
    ///
    /// Only those that are accepted and whose sender is known: nothing else says who wrote a public message. All of one
    /// moment; the page ends as `.afterTime` says. Others are looked at and count among the page's 5,000 rows. When the
    /// budget's time is over, the page ends behind the time that it is at, with `hasMore`.
    public func broadcasts(
        in channel: ChannelName, before blockTime: UInt64?, limit: Int, budget: ReadBudget = ReadBudget()
    ) async throws(StoreError) -> TimePage {
        try await readPage { () throws(StoreError) -> TimePage in
            let snapshot = database.snapshot()
            let end = blockTime.map { OperationPosition(blockTime: $0, transactionID: .zero) }
            var merge = try ListMerge(
                of: [.broadcasts(channel: Array(channel.text.utf8))], in: snapshot, direction: .backwards(before: end))
            return try timePage(of: &merge, in: snapshot, limit: limit, ending: .afterTime, budget: budget) {
                $0.acceptance != nil && $0.sender != nil
            }
        }
    }

    private func timePage(
        of merge: inout ListMerge, in snapshot: any StoreReading, limit: Int, ending end: TimePageEnd,
        budget: ReadBudget? = nil, where isShown: (OperationRecord) -> Bool
    ) throws(StoreError) -> TimePage {
        var page = TimePage(operations: [], hasMore: false)
        var (rows, bytes) = (0, 0)
        while let position = try merge.next() {
            let isFull =
                page.operations.count >= limit || bytes >= History.timePageBytes || budget?.isOver == true
            let isOfNextTime = page.operations.last.map { $0.blockTime != position.blockTime } ?? false
            page.hasMore = true
            if isFull, isOfNextTime { return page }
            let isOfFirstTime = page.operations.first?.blockTime == position.blockTime
            if end == .beforeTime, page.operations.count >= limit, !isOfFirstTime {
                page.operations.removeAll { $0.blockTime == position.blockTime }
                return page
            }
            guard rows < History.timePageRows else { return page }
            rows += 1
            page.hasMore = false
            guard let operation = try snapshot.operation(position.transactionID, network: network), isShown(operation)
            else { continue }
            page.operations.append(operation)
            bytes += operation.payload.count
        }
        return page
    }
}

/// Reads several lists as one, each place once: from the oldest on, or from the newest back.
private struct ListMerge {
    enum Direction {
        case forwards(from: OperationPosition)
        /// nil: from the list's end.
        case backwards(before: OperationPosition?)
    }

    /// Keys read from a list at a time: little more than is shown, however many lists there are.
    private static let stretch = 16

    private struct Source {
        let prefix: [UInt8]
        /// What was read and is not given out yet, the next one last.
        var ready: [OperationPosition]
        /// Whether the last read found less than it asked for.
        var isAtEnd: Bool
    }

    private let snapshot: any StoreReading
    private let isForwards: Bool
    /// Those that have something ready, the one whose turn it is last.
    private var sources: [Source] = []
    private var last: OperationPosition?

    init(of lists: [OperationList], in snapshot: any StoreReading, direction: Direction) throws(StoreError) {
        self.snapshot = snapshot
        let bound: [UInt8]?
        switch direction {
        case .forwards(let start): (isForwards, bound) = (true, start.bytes)
        case .backwards(let end): (isForwards, bound) = (false, end?.bytes)
        }
        for prefix in Set(lists.map(\.prefix)) {
            var source = Source(prefix: prefix, ready: [], isAtEnd: false)
            try read(&source, from: bound)
            if !source.ready.isEmpty { sources.append(source) }
        }
        sources = sources.sorted { comes($1, before: $0) }
    }

    mutating func next() throws(StoreError) -> OperationPosition? {
        while var source = sources.popLast() {
            guard let position = source.ready.popLast() else { continue }
            if source.ready.isEmpty, !source.isAtEnd {
                // The next possible key after a position is the position itself and one byte more.
                try read(&source, from: isForwards ? position.bytes + [0] : position.bytes)
            }
            if !source.ready.isEmpty { insert(source) }
            // A row that stands in two lists has the same place in both.
            guard position != last else { continue }
            last = position
            return position
        }
        return nil
    }

    /// `bound` is the first key forwards, and the first that is not read backwards.
    private func read(_ source: inout Source, from bound: [UInt8]?) throws(StoreError) {
        let (prefix, end) = (source.prefix, KeyBytes.successor(ofPrefix: source.prefix))
        func position(_ row: Row) throws(StoreError) -> OperationPosition {
            guard let position = OperationPosition(bytes: row.key.dropFirst(OperationList.prefixBytes)) else {
                throw ByteReader.corrupt("operation_lists")
            }
            return position
        }
        let found =
            isForwards
            ? try snapshot.list(
                .operationLists, from: prefix + (bound ?? []), below: end, limit: ListMerge.stretch, position)
            : try snapshot.listBackwards(
                .operationLists, from: prefix, below: bound.map { prefix + $0 } ?? end, limit: ListMerge.stretch,
                position)
        source.ready = found.reversed()
        source.isAtEnd = found.count < ListMerge.stretch
    }

    private mutating func insert(_ source: Source) {
        var (low, high) = (0, sources.count)
        while low < high {
            let middle = (low + high) / 2
            if comes(sources[middle], before: source) { high = middle } else { low = middle + 1 }
        }
        sources.insert(source, at: low)
    }

    private func comes(_ one: Source, before other: Source) -> Bool {
        guard let first = one.ready.last, let second = other.ready.last else { return false }
        let isEarlier = (first.blockTime, first.transactionID) < (second.blockTime, second.transactionID)
        return isForwards ? isEarlier : !isEarlier && first != second
    }
}
