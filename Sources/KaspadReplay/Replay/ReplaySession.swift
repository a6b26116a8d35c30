import KaspaNode

/// One stream of one client.
final class ReplaySession: Sendable {
    let id: UInt64
    let outbox: Outbox

    init(id: UInt64, outboxCapacity: Int) {
        self.id = id
        outbox = Outbox(capacity: outboxCapacity)
    }
}

/// What a session wants to be told.
struct ReplaySubscriptions {
    var blockAdded = false
    var virtualChainChanged = false
    var acceptedTransactionIDs = false
    var virtualDAAScoreChanged = false
}
