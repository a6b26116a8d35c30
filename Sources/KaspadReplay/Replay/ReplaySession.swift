import KaspaNode

/// One stream of one client.
final class ReplaySession: Sendable {
    let id: UInt64
    let queue: OutgoingQueue

    init(id: UInt64, queueCapacity: Int) {
        self.id = id
        queue = OutgoingQueue(capacity: queueCapacity)
    }
}

/// What a session wants to be told.
struct ReplaySubscriptions {
    var blockAdded = false
    var virtualChainChanged = false
    var acceptedTransactionIDs = false
    var virtualDAAScoreChanged = false
}
