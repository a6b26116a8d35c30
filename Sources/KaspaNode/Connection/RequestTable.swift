/// The pending requests of one connection: the pure state behind `NodeSession`.
///
/// Ids start at 1 (0 marks a notification) and are never reused on a connection, so an answer to an abandoned request
/// matches none. A closed table stays closed.
struct RequestTable<Waiter> {
    /// The result of admitting a request.
    enum Admission: Equatable {
        /// Send it with this id.
        case admitted(UInt64)
        /// The limit of pending requests is reached.
        case full
        /// The connection has ended, for this reason.
        case closed(NodeError)
    }

    private let limit: Int
    private var lastID: UInt64 = 0
    private var waiters: [UInt64: Waiter] = [:]
    private var end: NodeError?

    /// Makes an open table for at most `limit` pending requests.
    init(limit: Int) {
        self.limit = limit
    }

    /// The number of pending requests.
    var count: Int { waiters.count }

    /// Adds a waiter unless the table is full or closed.
    mutating func admit(_ waiter: Waiter) -> Admission {
        if let end { return .closed(end) }
        guard waiters.count < limit else { return .full }
        lastID += 1
        waiters[lastID] = waiter
        return .admitted(lastID)
    }

    /// Removes and returns the waiter of a request; nil when there is none.
    mutating func take(_ id: UInt64) -> Waiter? {
        waiters.removeValue(forKey: id)
    }

    /// Closes the table and returns the pending waiters.
    mutating func close(_ error: NodeError) -> [Waiter] {
        if end == nil { end = error }
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}
