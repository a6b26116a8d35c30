import Kaspa
import Store

/// The events of one reader: first a replay from the store's log, then live events.
///
/// If the log does not go back far enough, or the reader is more than `longestReplay` changes behind, the first event
/// is `reset`: the reader must page through the activity again. Each event has an id to resume from. A reader without
/// one starts at the end of the log.
struct ActivityStream: AsyncSequence, Sendable {
    /// The most changes, of all addresses, that are replayed to a reader.
    ///
    /// Beyond that, paging costs less.
    static let longestReplay = 20_000
    /// Replays at once.
    ///
    /// The others wait their turn.
    static let replaysAtOnce = 4
    /// Changes in one read of the log during a replay.
    private static let stretch = 200
    /// The most events in one write.
    ///
    /// A reader that takes some 20 KB within the write timeout keeps up; 150 KB if each is a payment with the longest
    /// sealed memo.
    static let eventsPerWrite = 32

    let publisher: ActivityPublisher
    let store: Store
    let address: Address
    let includesTransfers: Bool
    let start: ChangePosition?
    let answer: ActivityAnswer
    /// The client that its reads count for.
    let client: [UInt8]
    let reads: Reads
    /// Held while the log is read, but not while events are sent: a slow reader delays no other.
    let replays: ClientTurns
    var longestReplay = ActivityStream.longestReplay

    /// The text of a position: its number, a hyphen, and the first digits of the transaction's id.
    static func text(of position: ChangePosition) -> String { "\(position.number)-\(Hex.encode(position.tag))" }

    /// Parses a text of `text(of:)`.
    ///
    /// Anything else is 400.
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
        /// Events that are ready to send.
        private var ready: ArraySlice<ServerSentEvent> = []
        private var live: AsyncStream<ServerSentEvent>.Iterator?
        /// The part of the log still to be replayed: after the first number, up to the second.
        private var replay: (after: UInt64, upTo: UInt64)?

        fileprivate init(stream: ActivityStream) {
            self.stream = stream
        }

        /// The events of the next write, at most `eventsPerWrite`.
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
            let subscription = try await stream.publisher.subscribe(
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

    /// A part of the log that was read at once.
    private struct Stretch {
        /// The events for the address, or a `reset` if the log was cut meanwhile.
        var events: [ServerSentEvent] = []
        /// The number of the last change read; nil at the end of the log.
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
