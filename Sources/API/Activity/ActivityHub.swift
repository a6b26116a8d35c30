import Kaspa
import Logging
import ServiceLifecycle
import Store

/// Hands the changes of activity to the streams that are open, each item built once for all who look at its address.
///
/// A reader gets everything after the number that its subscription names, in order, or is closed: nothing is left out,
/// and nothing is held for it beyond `bufferedEvents`. It reads the store, which blocks, on a thread of its own.
actor ActivityHub: Service {
    /// Events that wait for one reader; whoever is further behind is closed, and resumes from the store's log.
    static let bufferedEvents = 256
    /// Changes read from the log at once.
    private static let stretch = 500

    struct Subscription: Sendable {
        /// The last change before those of `events`.
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
    private let executor = BlockingExecutor(label: "kasia.api.activity")
    private var readers: [Address: [Int: Reader]] = [:]
    private var lastReader = 0
    private var position = ChangePosition.start

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(store: Store, answer: ActivityAnswer, buffered: Int = bufferedEvents, logger: Logger) {
        self.store = store
        self.answer = answer
        self.buffered = buffered
        self.logger = logger
    }

    /// How many streams are subscribed.
    var readerCount: Int { readers.values.reduce(0) { $0 + $1.count } }

    /// Hands out changes until the service stops; then all streams end.
    func run() async throws {
        for await _ in store.changeSignals.cancelOnGracefulShutdown() { deliver() }
        closeAll()
    }

    func subscribe(to address: Address, includesTransfers: Bool) throws(StoreError) -> Subscription {
        // Nobody was listening: what came meanwhile concerns nobody.
        if readers.isEmpty { position = try store.lastChange() }
        lastReader += 1
        let number = lastReader
        let (stream, continuation) = AsyncStream.makeStream(
            of: ServerSentEvent.self, bufferingPolicy: .bufferingOldest(buffered))
        continuation.onTermination = { [weak self] _ in Task { await self?.unsubscribe(number, from: address) } }
        readers[address, default: [:]][number] = Reader(
            includesTransfers: includesTransfers, continuation: continuation)
        return Subscription(after: position, events: stream)
    }

    /// Reads what is new and hands it out.
    func deliver() {
        guard !readers.isEmpty else { return }
        do throws(StoreError) {
            while true {
                let changes = try store.changes(after: position.number, limit: ActivityHub.stretch)
                guard let first = changes.first, let last = changes.last else { return }
                guard first.number == position.number + 1 else { return closeAll() }
                for change in changes { try hand(change) }
                position = last.position
            }
        } catch {
            logger.error("api.activity.store_failed", metadata: ["error.message": "\(error)"])
            // They resume from the log when it can be read again.
            closeAll()
        }
    }

    private func hand(_ change: ActivityChange) throws(StoreError) {
        for address in change.addresses {
            let listening = (readers[address] ?? [:]).filter { $0.value.includesTransfers || !change.isTransfer }
            guard !listening.isEmpty else { continue }
            let event = try answer.event(change, for: address, in: store)
            for (number, reader) in listening {
                guard case .dropped = reader.continuation.yield(event) else { continue }
                // What it has so far is still sent; the rest it asks for.
                unsubscribe(number, from: address)
                reader.continuation.finish()
            }
        }
    }

    private func unsubscribe(_ number: Int, from address: Address) {
        readers[address]?[number] = nil
        if readers[address]?.isEmpty == true { readers[address] = nil }
    }

    private func closeAll() {
        let all = readers.values.flatMap(\.values)
        readers = [:]
        for reader in all { reader.continuation.finish() }
    }
}

extension ActivityAnswer {
    /// What a stream tells of a change: how the item stands by now, or that the address has no part in it any more.
    func event(
        _ change: ActivityChange, for address: Address, in store: Store
    ) throws(StoreError) -> ServerSentEvent {
        let id = ActivityStream.text(of: change.position)
        guard let item = try store.activityItem(change.transactionID, of: address) else {
            let gone = JSONAnswer.object([("id", .string(change.transactionID.description))])
            return ServerSentEvent(id: id, name: "removed", data: gone.text)
        }
        return ServerSentEvent(id: id, name: "activity", data: self.item(item).text)
    }
}
