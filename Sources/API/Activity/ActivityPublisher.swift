import Kaspa
import Logging
import ServiceLifecycle
import Store

/// Publishes changes of activity to the open streams. Each item is built once for all readers of its address.
///
/// A reader gets every change after the position of its subscription, in order, or its stream is closed. At most
/// `bufferedEvents` are buffered for it.
actor ActivityPublisher: Service {
    /// Events that are buffered for one reader.
    ///
    /// One that is further behind is closed, and resumes from the store's log.
    static let bufferedEvents = 256
    /// Changes that are read from the log at once.
    private static let stretch = 500

    struct Subscription: Sendable {
        /// The position of the last change before `events`.
        let after: ChangePosition
        let events: AsyncStream<ServerSentEvent>
    }

    private struct Reader {
        let includesTransfers: Bool
        let continuation: AsyncStream<ServerSentEvent>.Continuation
    }

    private let store: Store
    private let answer: ActivityAnswer
    private let buffered: Int
    private let logger: Logger
    private var readers: [Address: [Int: Reader]] = [:]
    private var lastReader = 0
    private var position = ChangePosition.start

    init(store: Store, answer: ActivityAnswer, buffered: Int = bufferedEvents, logger: Logger) {
        self.store = store
        self.answer = answer
        self.buffered = buffered
        self.logger = logger
    }

    /// The number of subscribed streams.
    var readerCount: Int { readers.values.reduce(0) { $0 + $1.count } }

    /// Publishes this process's changes until the service stops.
    ///
    /// Then all streams end. Those of another process are published by `deliver`, each time it is called.
    func run() async throws {
        for await _ in store.history.changeSignals.cancelOnGracefulShutdown() { await deliver() }
        closeAll()
    }

    func subscribe(to address: Address, includesTransfers: Bool) async throws(StoreError) -> Subscription {
        if readers.isEmpty {
            let last = try await store.history.lastChange()
            // There were and are no readers: nobody needs the changes before this one.
            if readers.isEmpty { position = last }
        }
        lastReader += 1
        let number = lastReader
        let (stream, continuation) = AsyncStream.makeStream(
            of: ServerSentEvent.self, bufferingPolicy: .bufferingOldest(buffered))
        continuation.onTermination = { [weak self] _ in Task { await self?.unsubscribe(number, from: address) } }
        readers[address, default: [:]][number] = Reader(
            includesTransfers: includesTransfers, continuation: continuation)
        return Subscription(after: position, events: stream)
    }

    /// Reads new changes and publishes them.
    func deliver() async {
        do throws(StoreError) {
            while !readers.isEmpty {
                let start = position
                let changes = try await store.history.changes(after: start.number, limit: ActivityPublisher.stretch)
                // A first reader that came meanwhile has moved the position.
                guard position == start else { continue }
                guard let first = changes.first else { return }
                guard first.number == start.number + 1 else { return closeAll() }
                for change in changes where try await !hand(change) { break }
            }
        } catch {
            logger.error("api.activity.store_failed", metadata: ["error.message": "\(error)"])
            // Readers resume from the log once it can be read again.
            closeAll()
        }
    }

    /// Publishes the change after `position` and moves the position to it.
    ///
    /// Returns false if it was moved meanwhile.
    private func hand(_ change: ActivityChange) async throws(StoreError) -> Bool {
        let start = position
        var events: [Address: ServerSentEvent] = [:]
        // A reader that subscribes while an event is built needs this change too.
        while let address = change.addresses.first(where: { events[$0] == nil && isListening(to: $0, change) }) {
            events[address] = try await answer.event(change, for: address, in: store)
            guard position == start else { return false }
        }
        position = change.position
        for (address, event) in events {
            for (number, reader) in readers[address] ?? [:] where reader.includesTransfers || !change.isTransfer {
                guard case .dropped = reader.continuation.yield(event) else { continue }
                // What is buffered is still sent. The reader asks for the rest.
                unsubscribe(number, from: address)
                reader.continuation.finish()
            }
        }
        return true
    }

    private func isListening(to address: Address, _ change: ActivityChange) -> Bool {
        readers[address]?.values.contains { $0.includesTransfers || !change.isTransfer } ?? false
    }

    private func unsubscribe(_ number: Int, from address: Address) {
        readers[address]?[number] = nil
        if readers[address]?.isEmpty == true { readers[address] = nil }
    }

    /// Ends all streams.
    func closeAll() {
        let all = readers.values.flatMap(\.values)
        readers = [:]
        for reader in all { reader.continuation.finish() }
    }
}

extension ActivityAnswer {
    /// The event for a change: the item as it is now, or `removed` if the address has no part in it any more.
    func event(
        _ change: ActivityChange, for address: Address, in store: Store
    ) async throws(StoreError) -> ServerSentEvent {
        let id = ActivityStream.text(of: change.position)
        guard let item = try await store.history.activityItem(change.transactionID, of: address) else {
            let gone = JSONAnswer.object([("id", .string(change.transactionID.description))])
            return ServerSentEvent(id: id, name: "removed", data: gone.text)
        }
        return ServerSentEvent(id: id, name: "activity", data: self.item(item).text)
    }
}
