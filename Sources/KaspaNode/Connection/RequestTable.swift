/// Which requests wait for an answer on one connection: the pure half of request correlation.
///
/// Ids start at 1 (0 marks a notification) and are never used again on the same connection, so an answer that comes
/// after its request was given up finds nobody. A closed table stays closed.
struct RequestTable<Waiter> {
    /// What became of a request that wants to be sent.
    enum Admission: Equatable {
        /// Send it with this id.
        case admitted(UInt64)
        /// So many wait already that this one must not.
        case full
        /// The connection has ended, for this reason.
        case closed(NodeError)
    }

    private let limit: Int
    private var lastID: UInt64 = 0
    private var waiters: [UInt64: Waiter] = [:]
    private var end: NodeError?

    /// Makes an open table for at most `limit` outstanding requests.
    init(limit: Int) {
        self.limit = limit
    }

    /// The number of requests that wait.
    var count: Int { waiters.count }

    /// Takes a waiter in, unless the table is full or closed.
    mutating func admit(_ waiter: Waiter) -> Admission {
        if let end { return .closed(end) }
        guard waiters.count < limit else { return .full }
        lastID += 1
        waiters[lastID] = waiter
        return .admitted(lastID)
    }

    /// Gives out the waiter of an answered or abandoned request, once; nil when there is none.
    mutating func take(_ id: UInt64) -> Waiter? {
        waiters.removeValue(forKey: id)
    }

    /// Refuses all further requests and gives out those that still wait.
    mutating func close(_ error: NodeError) -> [Waiter] {
        if end == nil { end = error }
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}
