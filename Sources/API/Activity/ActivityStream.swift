import Kaspa
import Store

/// The events of one reader: from where it was, out of the store's log, and then as they come.
///
/// Where the log does not go back far enough, or the reader is more than `longestReplay` changes behind, the first event
/// is `reset`: the reader has to page through the activity again. Each event has an id to go on from; the first that a
/// reader without one gets is the present end of the log.
struct ActivityStream: AsyncSequence, Sendable {
    /// Changes of all addresses that are read for a reader that comes back, at most: beyond that its pages cost less.
    static let longestReplay = 20_000
    /// Streams for which the log is read at once; the others wait in turn.
    static let replaysAtOnce = 4
    /// Changes read from the log at once while a reader catches up: one read of the store.
    private static let stretch = 200
    /// Events that go out in one write, at most: a reader who takes some 20 KB in the streams' write timeout keeps up.
    static let eventsPerWrite = 32

    let hub: ActivityHub
    let store: Store
    let address: Address
    let includesTransfers: Bool
    let start: ChangePosition?
    let answer: ActivityAnswer
    /// Whom its reads count for.
    let client: [UInt8]
    let reads: Reads
    /// Taken while a stretch of the log is read, not while its events are sent: a slow reader holds up no other.
    let replays: ClientTurns
    var longestReplay = ActivityStream.longestReplay

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
        /// Events that are ready.
        private var ready: ArraySlice<ServerSentEvent> = []
        private var live: AsyncStream<ServerSentEvent>.Iterator?
        /// What of the log is still to be read: after the first number, up to the second.
        private var replay: (after: UInt64, upTo: UInt64)?

        fileprivate init(stream: ActivityStream) {
            self.stream = stream
        }

        /// What goes out together, at most `eventsPerWrite`.
        mutating func next() async throws -> [ServerSentEvent]? {
            if live == nil { try await begin() }
            while ready.isEmpty, let (after, end) = replay { try await read(after: after, upTo: end) }
            if !ready.isEmpty {
                defer { ready = ready.dropFirst(ActivityStream.eventsPerWrite) }
                return Array(ready.prefix(ActivityStream.eventsPerWrite))
            }
            return await live?.next(isolation: #isolation).map { [$0] }
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
            let end = subscription.after.number
            let isTooFar = end > start.number && end - start.number > UInt64(stream.longestReplay)
            guard !isTooFar, try await stream.hasChanges(since: start) else {
                ready = [ServerSentEvent(id: id, name: "reset", data: "{}")]
                return
            }
            replay = (start.number, subscription.after.number)
        }

        private mutating func read(after: UInt64, upTo end: UInt64) async throws {
            replay = nil
            guard after < end else { return }
            let stretch = try await stream.stretch(after: after, upTo: end)
            ready = stretch.events[...]
            if let last = stretch.last { replay = (last, end) }
        }
    }

    /// A stretch of the log.
    private struct Stretch {
        /// What of it concerns the address, or that the log was cut meanwhile.
        var events: [ServerSentEvent] = []
        /// The last change read; nil when there is nothing more to read.
        var last: UInt64?
    }

    private func hasChanges(since start: ChangePosition) async throws -> Bool {
        try await replays.run(for: client) {
            try await reads.run(client, isExempt: true) { [store] _ in try await store.history.hasChanges(since: start)
            }
        }
    }

    private func stretch(after: UInt64, upTo end: UInt64) async throws -> Stretch {
        try await replays.run(for: client) {
            try await reads.run(client, isExempt: true) { [self] budget in
                try await read(after: after, upTo: end, budget)
            }
        }
    }

    private func read(after: UInt64, upTo end: UInt64, _ budget: ReadBudget) async throws(StoreError) -> Stretch {
        let changes = try await store.history.changes(after: after, limit: ActivityStream.stretch)
        guard let first = changes.first, let last = changes.last else { return Stretch() }
        guard first.number == after + 1 else {
            let id = ActivityStream.text(of: last.position)
            return Stretch(events: [ServerSentEvent(id: id, name: "reset", data: "{}")])
        }
        var stretch = Stretch()
        for change in changes {
            guard change.number <= end else { return Stretch(events: stretch.events) }
            if change.addresses.contains(address), includesTransfers || !change.isTransfer {
                // What is left of the stretch is read again in the next turn.
                guard stretch.last == nil || !budget.isOver else { break }
                stretch.events.append(try await answer.event(change, for: address, in: store))
            }
            stretch.last = change.number
        }
        if let last = stretch.last, last >= end { stretch.last = nil }
        return stretch
    }
}
