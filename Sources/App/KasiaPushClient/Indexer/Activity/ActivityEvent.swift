/// An event of an address's activity stream.
public struct ActivityEvent: Hashable, Sendable {
    /// What the event says.
    public enum Change: Hashable, Sendable {
        /// An item is new, or has changed: how it stands by now.
        case changed(ActivityItem)
        /// The address has no part in this transaction, or the transaction was never accepted and is forgotten.
        case removed(id: String)
        /// The stream cannot go on from where the reader was: page through the activity again.
        case reset
        /// Nothing but the event's id: where the stream begins.
        case position
        /// The stream is alive.
        case heartbeat
    }

    /// What to send as `Last-Event-ID` to go on after this event; nil for a heartbeat.
    public var id: String?
    /// What the event says.
    public var change: Change

    /// Makes an event.
    public init(id: String?, change: Change) {
        self.id = id
        self.change = change
    }

    /// Reads a block of the stream; events of other names are positions.
    init?(_ block: StreamBlock) throws(IndexerError) {
        guard case .event(let event) = block else {
            self.init(id: nil, change: .heartbeat)
            return
        }
        let change: Change
        switch event.name {
        case "activity": change = .changed(try event.value())
        case "removed": change = .removed(id: try event.value(as: Removed.self).id)
        case "reset": change = .reset
        default: change = .position
        }
        self.init(id: event.id, change: change)
    }

    /// The data of `removed`.
    private struct Removed: Decodable {
        let id: String
    }
}
