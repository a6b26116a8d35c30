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
    /// counterpart; of the shard that this is.
    ///
    /// Takes as long as reading the store does, and constant memory. Errors: `StoreError`, among them `.corrupt` for a
    /// row that cannot be read.
    public func checkBooks() throws(StoreError) -> StoreCheck {
        var walk = StoreWalk(reading: database.snapshot(), network: network, limits: limits, shards: shards)
        return try walk.run()
    }
}
