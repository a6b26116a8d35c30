import AsyncAlgorithms
package import Clocks
import KasiaProtocol
package import Kaspa
package import KaspaNode
package import Logging
import Metrics
import Policy
import ServiceLifecycle
package import Spans
package import Store
import Synchronization
import Tracing
import Troubles

/// Follows the virtual chain from the stored cursor: requests, applies, and requests again until nothing is added.
///
/// It works the same way at the live tip, after a reorganisation and after days of downtime. Acceptances, events and
/// cursor change in one batch, so after a crash at most one request is repeated. Far from the tip, several answers make
/// one batch, and the next batch is fetched while this one is written; at most two batches and one read-ahead answer
/// are in memory. A slow store slows the requests down, and so does a dispatcher with more than
/// `ChainIndexing.maximumWaitingEvents` waiting.
package struct VirtualChainProcessor: Service {
    /// The interval of requests without a notification, since notifications can be missed.
    static let pollInterval = Duration.seconds(2)
    /// The pause after a store error.
    static let storePause = Duration.milliseconds(250)

    /// When Kaspa's chain began, milliseconds since 1970.
    ///
    /// An earlier time from a node is ignored.
    static let genesisTime: UInt64 = 1_636_298_787_842

    /// The chain blocks from which on a reorganisation is logged at a higher level.
    static let remarkableDepth = 10
    /// How often the processor checks whether the dispatcher has room again.
    static let roomInterval = Duration.milliseconds(100)

    let node: any ChainNode
    let store: Store
    private let indexing: ChainIndexing
    let clock: ServiceClock
    private let onChange: @Sendable () -> Void
    let logger: Logger
    private let origins: SpanOrigins<TransactionID>?
    /// Asks for the senders that the chain's answers lack.
    ///
    /// It is a service of its own.
    package let resolver: SenderResolver
    let instruments = IndexerInstruments()
    package let status = IndexerStatus()

    /// Makes a processor that does nothing before `run()`.
    ///
    /// `clock` learns the chain's time, `onChange` is called after each applied step, and `origins` learns the span of
    /// each event.
    package init(
        node: any ChainNode, store: Store, indexing: ChainIndexing, clock: ServiceClock,
        logger: Logger, origins: SpanOrigins<TransactionID>? = nil, onChange: @escaping @Sendable () -> Void
    ) async {
        self.node = node
        self.store = store
        self.indexing = indexing
        self.clock = clock
        self.logger = logger
        self.origins = origins
        self.onChange = onChange
        resolver = SenderResolver(
            node: node, store: store, indexing: indexing, clock: clock, logger: logger, onChange: onChange)
        do throws(StoreError) {
            if let gap = try await store.history.lastGap() { show(gap) }
        } catch {
            logger.error("indexer.chain.store_failed", metadata: ["error.message": "\(error)"])
        }
    }

    /// Runs until the service stops or the task is cancelled.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            let hints = node.hints.map { _ in () }
            let timer = AsyncTimerSequence(interval: VirtualChainProcessor.pollInterval, clock: .continuous)
            for await _ in merge(hints, timer.map { _ in () }) {
                guard !Task.isCancelled else { return }
                while await !hasCaughtUp() {
                    do { try await Task.sleep(for: VirtualChainProcessor.storePause) } catch { return }
                }
            }
        }
    }

    /// Requests and applies until nothing is added.
    ///
    /// After a failure, it tries again at the next hint.
    func catchUp() async { _ = await hasCaughtUp() }

    /// The same; false after a failure of the store, which gives no hint when it is well again.
    private func hasCaughtUp() async -> Bool {
        guard node.status.connectedURL != nil else {
            endUnknownCursorWait()
            return true
        }
        do {
            var round = Round(hasMoved: true)
            while round.hasMoved, !Task.isCancelled { round = try await advance(with: round.fetched) }
            endTroubles()
        } catch let error as NodeError {
            if error.code == .notConnected || error.code == .transport { endUnknownCursorWait() }
            guard error.code != .notConnected, error.code != .cancelled else { return true }
            status.update { $0.nodeTrouble = error.message }
            // A wait for the cursor's block has a log line of its own.
            guard status.snapshot.unknownCursorWait == nil || error.code != .startHashUnknown,
                let summary = status.nodeTrouble.met("\(error)")
            else { return true }
            logger.warning("indexer.chain.node_failed", metadata: ["error.message": "\(error)"].adding(summary))
        } catch is CancellationError {
            return true
        } catch {
            // What the store says itself is over when the store says so, whatever the node answers.
            let isSaid = (error as? StoreError)?.isOfWholeStore ?? false
            status.update { $0.storeTrouble = isSaid ? nil : "\(error)" }
            // A line for each hint would fill the disk.
            guard let summary = status.storeTrouble.met("\(error)") else { return false }
            logger.error("indexer.chain.store_failed", metadata: ["error.message": "\(error)"].adding(summary))
            return false
        }
        return true
    }

    private func endTroubles() {
        status.update {
            $0.nodeTrouble = nil
            $0.storeTrouble = nil
        }
        if let summary = status.nodeTrouble.over() { logger.notice("indexer.chain.node_recovered", metadata: summary) }
        if let summary = status.storeTrouble.over() {
            logger.notice("indexer.chain.store_recovered", metadata: summary)
        }
    }

    /// One request and one batch.
    ///
    /// Returns whether the chain moved.
    func advance() async throws -> Bool { try await advance(with: nil).hasMoved }

    /// The result of one turn.
    private struct Round {
        /// Whether the chain moved.
        ///
        /// Then there may be more.
        var hasMoved: Bool
        /// The batch that was fetched for the next turn.
        var fetched: Fetched?
    }

    /// A batch, the block that it was requested from, and the request's trace.
    private struct Fetched {
        let start: BlockHash
        let batch: ChainBatch
        let trace: FetchTrace
    }

    /// Applies the fetched batch, or requests one, and meanwhile fetches the next if the tip is far.
    private func advance(with fetched: Fetched?) async throws -> Round {
        // Without room in the store there is no need to ask the node.
        try store.checkRoom()
        try await hearTime()
        let cursor = try await startingCursor()
        try await waitForDispatcher(at: cursor)
        let answer: Fetched
        if let fetched, fetched.start == cursor.blockHash {
            answer = fetched
        } else {
            let url = node.status.connectedURL
            do {
                answer = try await fetch(from: cursor.blockHash, isFar: isFar(cursor.daaScore))
            } catch let error as NodeError {
                guard error.code == .startHashUnknown else { throw error }
                try await leaveUnknown(cursor, of: url, error)
                return Round(hasMoved: true)
            }
        }
        endUnknownCursorWait()
        let update = answer.batch.update
        // Ignore blocks that are removed with none added: there would be no block to continue from. Such a node may
        // only be behind, and would continue on the same branch without adding them again. A real reorganisation comes
        // later in one answer.
        guard !update.added.isEmpty else {
            if !update.removed.isEmpty {
                logger.debug("indexer.chain.only_removed", metadata: ["removed": "\(update.removed.count)"])
            }
            report(cursor)
            return Round(hasMoved: false)
        }
        async let next = fetchAhead(after: answer.batch.end)
        let hasMoved = try await traced(
            SpanName.chainStep, under: answer.trace.context, from: answer.trace.endedAt
        ) { span in
            span.describe(update, from: answer.trace.nodeURL)
            return try await apply(update, after: cursor, in: span)
        }
        return Round(hasMoved: hasMoved, fetched: await next)
    }

    /// The answers from `start` on: one near the tip, else as many as a batch holds.
    private func fetch(from start: BlockHash, isFar: Bool) async throws -> Fetched {
        try await traced(SpanName.chainFetch) { span in
            let batch = try await ask(from: start, isFar: isFar)
            span.describe(batch.update, from: node.status.connectedURL)
            return Fetched(start: start, batch: batch, trace: FetchTrace(span, nodeURL: node.status.connectedURL))
        }
    }

    /// Requests a batch.
    ///
    /// Reads ahead only far from the tip, since near it an answer should be new.
    private func ask(from start: BlockHash, isFar: Bool) async throws -> ChainBatch {
        var batch = ChainBatch(
            try await node.virtualChain(from: start, readingAhead: isFar), limits: indexing.batch)
        while let end = batch.end, self.isFar(end.daaScore), !batch.isFull, !Task.isCancelled {
            // An error occurs again after this batch is written, and is handled then.
            guard let answer = try? await node.virtualChain(from: end.hash, readingAhead: true), batch.append(answer),
                !answer.added.isEmpty
            else { break }
        }
        return batch
    }

    /// The next batch while the tip is far; nil near the tip, or after an error, which then occurs again.
    private func fetchAhead(after end: BlockHeader?) async -> Fetched? {
        guard let end, isFar(end.daaScore) else { return nil }
        return try? await fetch(from: end.hash, isFar: true)
    }

    func isFar(_ daaScore: UInt64) -> Bool {
        node.status.virtualDAAScore > daaScore.later(by: indexing.nearTip)
    }

    private func apply(
        _ update: VirtualChainUpdate, after cursor: ChainCursor, in span: any Span
    ) async throws -> Bool {
        let (builder, step) = traced(SpanName.chainBuild) { span in
            var builder = ChainStepBuilder(
                update, after: cursor, indexing: indexing, watched: store.registry.watchedScripts)
            let step = builder.build(now: clock.now(), chainTime: clock.chain())
            span.describe(step)
            return (builder, step)
        }
        span.describe(step)
        if span.isRecording { origins?.remember(span.context, for: step) }
        let result = try await traced(SpanName.chainWrite) { (span) async throws(StoreError) in
            let result = try await store.history.apply(
                step, now: clock.now(), withdrawsUnsent: indexing.withdrawsUnsent,
                retractsPayments: indexing.retractsPayments)
            span.describe(result)
            return result
        }
        // Far from the tip, blocks are ignored: the chain brings their transactions, each once.
        if status.snapshot.isCatchingUp || isFar(step.cursor.daaScore) {
            instruments.scannedTransactions.increment(by: update.transactionCount)
        }
        count(update, builder, result)
        reportDepth(of: update, below: cursor)
        report(step.cursor)
        onChange()
        if result.unresolved > 0 { resolver.wake() }
        // A node that answers with our own cursor must not be asked again at once.
        return step.cursor.blockHash != cursor.blockHash
    }

    /// Returns when the dispatcher has room for more events.
    ///
    /// Events that wait for confirmations do not count: they need the chain to move on.
    private func waitForDispatcher(at cursor: ChainCursor) async throws {
        guard indexing.enqueuesEvents else { return }
        defer { status.update { $0.waitsForDispatcher = false } }
        var hasTold = false
        while try await isDispatcherBehind(cursor) {
            if !hasTold {
                hasTold = true
                status.update { $0.waitsForDispatcher = true }
                logger.notice(
                    "indexer.chain.waits_for_dispatcher", metadata: ["limit": "\(indexing.maximumWaitingEvents)"])
            }
            try await Task.sleep(for: VirtualChainProcessor.roomInterval)
        }
    }

    private func isDispatcherBehind(_ cursor: ChainCursor) async throws(StoreError) -> Bool {
        if try await store.othersAreBehind(by: Int(clamping: indexing.maximumWaitingEvents)) { return true }
        let totals = try await store.totals()
        // Long events yield to all others and delay none. They are the oldest: after them come as many numbers as
        // there are events that have not begun, or more.
        let waiting = totals.events - min(totals.events, totals.longEvents)
        guard waiting > indexing.maximumWaitingEvents else { return false }
        let last = try await store.outbox.lastEventNumber()
        guard let oldest = try await store.outbox.events(after: last - min(last, waiting), limit: 1).first else {
            return false
        }
        return oldest.acceptance.blueScore.later(by: indexing.confirmations) <= cursor.blueScore
    }

    /// Asks the node for the chain's time, now and then.
    ///
    /// It comes before anything is applied, since that time decides what is too old to be pushed.
    private func hearTime() async throws {
        guard clock.shouldHear else { return }
        let time = try await node.dagInfo().pastMedianTime
        guard time >= VirtualChainProcessor.genesisTime else { return }
        clock.hear(chainTime: time)
        // From here on rows have this run's time, and the next run must continue from it.
        if let reading = clock.reading { try await store.keep(reading) }
    }

    private func startingCursor() async throws -> ChainCursor {
        if let cursor = try await store.history.cursor() { return cursor }
        let info = try await node.dagInfo()
        let start = indexing.start == .sink ? info.sink : info.pruningPoint
        let cursor = try await cursor(at: start)
        try await store.history.resetCursor(to: cursor)
        logger.notice(
            "indexer.chain.first_start",
            metadata: ["from": "\(indexing.start.rawValue)", "block": "\(start)", "daa_score": "\(cursor.daaScore)"])
        return cursor
    }

    func cursor(at block: BlockHash) async throws -> ChainCursor {
        let header = try await node.header(of: block)
        return ChainCursor(
            blockHash: block, daaScore: header.daaScore, blueScore: header.blueScore, timestamp: header.timestamp)
    }
}
