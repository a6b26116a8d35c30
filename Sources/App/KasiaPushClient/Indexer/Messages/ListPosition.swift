/// Where in a list to begin, and how many rows to take.
public struct ListPosition: Hashable, Sendable, Codable {
    /// The least block time, milliseconds since 1970, inclusive; not looked at if there is a cursor.
    public var blockTime: UInt64?
    /// The `cursor` of the last row seen: nothing that is listed by then is skipped or repeated.
    ///
    /// What is seen later may have an earlier block time, and is then before the cursor.
    public var cursor: String?
    /// The most rows; more than 50 are 50, nil is 10.
    public var limit: Int?

    /// Begins at the oldest row, unless given otherwise.
    public init(blockTime: UInt64? = nil, cursor: String? = nil, limit: Int? = nil) {
        self.blockTime = blockTime
        self.cursor = cursor
        self.limit = limit
    }

    /// The query parameters.
    var query: [(name: String, value: String?)] {
        [("block_time", blockTime.map(String.init)), ("limit", limit.map(String.init)), ("cursor", cursor)]
    }
}
