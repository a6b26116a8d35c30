import Kaspa
import Store

/// The events of one reader: from where it was, out of the store's log, and then as they come.
///
/// Where the log does not go back far enough, the first event is `reset`: the reader has to page through the activity
/// again. Each event has an id to go on from; the first that a reader without one gets is the present end of the log.
struct ActivityStream: AsyncSequence, Sendable {
    /// Changes read from the log at once while a reader catches up.
    private static let stretch = 200

    let hub: ActivityHub
    let store: Store
    let address: Address
    let includesTransfers: Bool
    let start: ChangePosition?
    let answer: ActivityAnswer

    /// The text of a position: its number, a hyphen, and the first digits of the transaction's id.
    static func text(of position: ChangePosition) -> String { "\(position.number)-\(Hex.encode(position.tag))" }

    /// Reads what `text(of:)` wrote; anything else is 400.
    static func position(_ text: String) throws -> ChangePosition {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let digits = parts[0].asciiDigits, let number = UInt64(digits),
            let tag = Hex.decode(parts[1].utf8), tag.count == (number == 0 ? 0 : ChangePosition.tagBytes)
        else { throw APIError.badRequest("Last-Event-ID is none of ours: send the id of an event as it is") }
        return ChangePosition(number: number, tag: tag)
    }

    func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: ActivityStream
        /// Events that are ready, the next one last.
        private var ready: [ServerSentEvent] = []
        private var live: AsyncStream<ServerSentEvent>.Iterator?
        /// What of the log is still to be read: after the first number, up to the second.
        private var replay: (after: UInt64, upTo: UInt64)?

        fileprivate init(stream: ActivityStream) {
            self.stream = stream
        }

        mutating func next() async throws -> ServerSentEvent? {
            if live == nil { try await begin() }
            while ready.isEmpty, let (after, end) = replay { try read(after: after, upTo: end) }
            if let event = ready.popLast() { return event }
            return await live?.next(isolation: #isolation)
        }

        private mutating func begin() async throws {
            let subscription = try await stream.hub.subscribe(
                to: stream.address, includesTransfers: stream.includesTransfers)
            live = subscription.events.makeAsyncIterator()
            let id = ActivityStream.text(of: subscription.after)
            guard let start = stream.start else {
                ready = [ServerSentEvent(id: id)]
                return
            }
            guard try stream.store.hasChanges(since: start) else {
                ready = [ServerSentEvent(id: id, name: "reset", data: "{}")]
                return
            }
            replay = (start.number, subscription.after.number)
        }

        private mutating func read(after: UInt64, upTo end: UInt64) throws {
            replay = nil
            guard after < end else { return }
            let changes = try stream.store.changes(after: after, limit: ActivityStream.stretch)
            guard let first = changes.first, let last = changes.last else { return }
            guard first.number == after + 1 else {
                // The log was cut meanwhile.
                ready = [ServerSentEvent(id: ActivityStream.text(of: last.position), name: "reset", data: "{}")]
                return
            }
            for change in changes where change.number <= end && change.addresses.contains(stream.address) {
                guard stream.includesTransfers || !change.isTransfer else { continue }
                ready.append(try stream.answer.event(change, for: stream.address, in: stream.store))
            }
            ready.reverse()
            if last.number < end { replay = (last.number, end) }
        }
    }
}
