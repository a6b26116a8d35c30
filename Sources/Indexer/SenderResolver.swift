import AsyncAlgorithms
import Clocks
import KasiaProtocol
import Kaspa
import KaspaNode
import Logging
import Metrics
import Policy
import ServiceLifecycle
import Store
import Synchronization
import Troubles

/// Finds senders that the accepting answer did not name, by asking the node for the address of the spent coin.
///
/// The questions are stored with the acceptance, so the chain does not wait for answers and a restart loses none. Each
/// is asked again with growing pauses. An event waits for its sender at most `ChainIndexing.senderPatience`. Then it is
/// pushed without one, or suppressed if nobody can be notified without (`PushPolicy.senderWaits`). It is never
/// suppressed just because no node could be asked. A payment or handshake waits less if the node says that it does not
/// know the sender (`History.enoughRefusals`).
package final class SenderResolver: Service {
    /// Questions in flight at once: a quarter of what a node connection allows.
    static let concurrency = 16
    /// The pause after a question without an answer, milliseconds.
    ///
    /// With these pauses, a node that answers at once has refused `History.enoughRefusals` times after about 3.5 s.
    static let backoff = Backoff<UInt64>(first: 500, ceiling: 300_000)
    /// The pause after a question that could not be sent because no node was followed, milliseconds.
    static let nodePause: UInt64 = 1_000
    /// How often deadlines and questions are checked when nothing wakes the resolver.
    static let tick = Duration.milliseconds(500)
    /// The most deadlines that are ended in one batch.
    static let deadlinesPerBatch = 256

    private let node: any ChainNode
    private let store: Store
    private let indexing: ChainIndexing
    private let clock: ServiceClock
    private let onChange: @Sendable () -> Void
    private let logger: Logger
    private let instruments = IndexerInstruments()
    /// Transactions whose question is in flight.
    private let asking = Mutex<Set<TransactionID>>([])
    private let storeTrouble = SharedTrouble()
    private let wakes: AsyncStream<Void>
    private let wakeSink: AsyncStream<Void>.Continuation

    init(
        node: any ChainNode, store: Store, indexing: ChainIndexing, clock: ServiceClock,
        logger: Logger, onChange: @escaping @Sendable () -> Void
    ) {
        self.node = node
        self.store = store
        self.indexing = indexing
        self.clock = clock
        self.logger = logger
        self.onChange = onChange
        (wakes, wakeSink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the resolver: there are new questions, or room for more.
    func wake() { wakeSink.yield() }

    /// Runs until the service stops or the task is cancelled.
    ///
    /// Open questions stay in the store.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                let timer = AsyncTimerSequence(interval: SenderResolver.tick, clock: .continuous)
                for await _ in merge(self.wakes, timer.map { _ in () }) {
                    guard !Task.isCancelled else { break }
                    await self.endWaits()
                    await self.startDue(in: &group)
                }
                group.cancelAll()
            }
        }
    }

    /// Ends overdue deadlines, asks all due questions once, and waits for the answers.
    func turn() async {
        await endWaits()
        var put: Set<TransactionID> = []
        while true {
            let started = await withDiscardingTaskGroup { [put] group in await self.startDue(in: &group, except: put) }
            if started.isEmpty { return }
            put.formUnion(started)
        }
    }

    // MARK: Deadlines

    private func endWaits() async {
        do throws(StoreError) {
            while !Task.isCancelled {
                let time = clock.now()
                let times = UnansweredSender.Times(
                    askingUntil: time.later(by: indexing.senderPersistence),
                    waitingUntil: time.later(by: indexing.senderPatience),
                    newsSince: clock.chain().earlier(by: indexing.maximumAge))
                let ended = try await store.history.endSenderWaits(
                    now: time, askingUntil: times.askingUntil, limit: SenderResolver.deadlinesPerBatch
                ) { question, operation in
                    PushPolicy.senderWaits.decide(
                        UnansweredSender(question, blockTime: operation?.blockTime, times: times))
                }
                for (kind, count) in ended.released { instruments.pushes.event(PushKind(kind), count: count) }
                instruments.pushes.delivery(.suppressed, reason: "unresolved_sender", count: ended.suppressed)
                if !ended.released.isEmpty { onChange() }
                if ended.prolonged > 0 {
                    logger.notice("indexer.sender.prolonged", metadata: ["count": "\(ended.prolonged)"])
                }
                if ended.count > ended.prolonged {
                    logger.warning(
                        "indexer.sender.unresolved",
                        metadata: [
                            "pushed_without": "\(ended.released.values.reduce(0, +))",
                            "suppressed": "\(ended.suppressed)", "given_up": "\(ended.givenUp)",
                        ])
                }
                if ended.count < SenderResolver.deadlinesPerBatch { return }
            }
        } catch {
            report(error)
        }
    }

    // MARK: Questions

    /// Starts due questions while there is room, and returns them.
    @discardableResult
    private func startDue(
        in group: inout DiscardingTaskGroup, except put: Set<TransactionID> = []
    ) async -> [TransactionID] {
        guard node.status.connectedURL != nil else { return [] }
        let busy = asking.withLock { $0 }
        let room = SenderResolver.concurrency - busy.count
        guard room > 0 else { return [] }
        do throws(StoreError) {
            // Questions in flight are still due in the store.
            let due = try await store.history.dueSenderQuestions(now: clock.now(), limit: SenderResolver.concurrency)
            let new = due.filter { !busy.contains($0.transactionID) && !put.contains($0.transactionID) }.prefix(room)
            for question in new {
                asking.withLock { _ = $0.insert(question.transactionID) }
                group.addTask { await self.ask(question) }
            }
            return new.map(\.transactionID)
        } catch {
            report(error)
            return []
        }
    }

    private func ask(_ question: UnresolvedSender) async {
        defer { asking.withLock { _ = $0.remove(question.transactionID) } }
        let answer: Result<Address, NodeError>
        do throws(NodeError) {
            answer = .success(
                try await node.utxoReturnAddress(
                    of: question.transactionID, acceptingDAAScore: question.acceptance.daaScore))
        } catch {
            answer = .failure(error)
        }
        do throws(StoreError) {
            switch answer {
            case .success(let sender): try await resolve(question, sender)
            case .failure(let error): try await postpone(question, error)
            }
        } catch {
            report(error)
            await putBack(question, error)
            return
        }
        wake()
    }

    /// Postpones a question whose answer the store refused, as if it had found no answer.
    ///
    /// It delays no other question, and is given up in the end. While the store refuses every write it stays due, and
    /// is asked again at the next tick.
    private func putBack(_ question: UnresolvedSender, _ error: StoreError) async {
        guard !error.refusesEveryWrite else { return }
        do throws(StoreError) {
            try await postpone(question, after: .unanswered, because: error.message)
        } catch {
            report(error)
        }
    }

    private func resolve(_ question: UnresolvedSender, _ sender: Address) async throws(StoreError) {
        let (receiver, amount) = parties(of: question, sender)
        let resolution = try await store.history.resolveSender(
            question, sender: sender, receiver: receiver, amount: amount, now: clock.now())
        switch resolution {
        case .gone: break
        case .foreign(let waited):
            instruments.operation(kind: "group_message_unverified", count: 1)
            instruments.pushes.delivery(.suppressed, reason: "unverified_sender", count: waited ? 1 : 0)
        case .stored(let kind, let enqueued):
            if question.group != nil { instruments.acceptedTransactions.increment() }
            guard enqueued else { return }
            instruments.pushes.event(PushKind(kind), count: 1)
            onChange()
        }
    }

    /// The receiver depends on the sender: an output back to the sender is change, not a payment.
    private func parties(of question: UnresolvedSender, _ sender: Address) -> (receiver: Address?, amount: UInt64) {
        let payments = question.paid.map { (address: $0.address, amount: Sompi($0.amount)) }
        let parties = Parties(sender: sender, payments: payments)
        return (parties.receiver, parties.amount.amount)
    }

    private func postpone(_ question: UnresolvedSender, _ error: NodeError) async throws(StoreError) {
        let attempt: SenderAttempt =
            switch error.code {
            case .rejected, .malformedAnswer, .startHashUnknown: .refused
            case .timeout: .unanswered
            default: .notPut
            }
        try await postpone(question, after: attempt, because: "\(error)")
    }

    private func postpone(
        _ question: UnresolvedSender, after attempt: SenderAttempt, because reason: String
    ) async throws(StoreError) {
        // At a stop the question stays as it is.
        guard !Task.isCancelled else { return }
        let pause = attempt == .notPut ? SenderResolver.nodePause : SenderResolver.pause(after: question.attempts)
        logger.debug(
            "indexer.sender.postponed",
            metadata: [
                "transaction": "\(question.transactionID)", "error.message": "\(reason)", "pause_ms": "\(pause)",
            ])
        try await store.history.postponeSender(question, after: attempt, now: clock.now(), pause: pause)
    }

    /// The pause after a question that found no answer, with `attempts` earlier ones.
    static func pause(after attempts: UInt32) -> UInt64 {
        backoff.pause(after: Int(attempts))
    }

    /// `VirtualChainProcessor` logs a store that refuses every write, and its recovery.
    private func report(_ error: StoreError) {
        guard let summary = storeTrouble.met("\(error)") else { return }
        logger.log(
            level: error.refusesEveryWrite ? .debug : .error, "indexer.sender.store_failed",
            metadata: ["error.message": "\(error)"].adding(summary))
    }
}
