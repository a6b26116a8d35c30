import Kaspa
import KasiaProtocol
import Store

/// Durable deliveries that wait: messages of many writers, each watched by one device.
struct Backlog {
    private static let operationsPerStep = 1_000
    /// As many as the dispatcher advances together.
    private static let eventsPerTurn = 64
    /// The whole payload: it makes a notification of about 1 kB.
    private static let payloadBytes = 320

    let store: Store
    let deviceCount: Int

    /// Registers the devices in a fresh store; `device` names each by its number, an iPhone if it is left out.
    init(
        store: Store, deviceCount: Int,
        device: (Int) -> DeviceRecord = {
            WatchPopulation.watcher($0, of: [])
        }
    ) async throws {
        self.store = store
        self.deviceCount = deviceCount
        for index in 0..<deviceCount {
            var device = device(index)
            device.watchedAddresses = [WatchPopulation.address(UInt64(index))]
            try await store.registry.upsertDevice(device.id) { [device] _ in device }
            try await store.outbox.noteAccepted(device.id)
        }
    }

    /// What a step of `queue` has just done.
    enum Part {
        case accepted
        /// Deliveries, with their places in the schedule.
        case queued([ScheduleKey])
    }

    /// Queues `count` deliveries and makes them durable; `round` keeps transactions of different rounds apart, and goes on
    /// with the devices where the last one ended.
    ///
    /// `onPart` is told when operations have been accepted, and when their deliveries have been queued.
    func queue(_ count: Int, round: Int, now: UInt64, onPart: (Part) -> Void = { _ in }) async throws {
        var last = try await store.outbox.lastEventNumber()
        for start in stride(from: 0, to: count, by: Self.operationsPerStep) {
            try await Self.accept(
                (start..<min(start + Self.operationsPerStep, count)).map { index in
                    Self.operation(
                        UInt64(round) << 40 | UInt64(index),
                        of: WatchPopulation.address(UInt64((round * count + index) % deviceCount)), now: now)
                }, in: store, now: now)
            onPart(.accepted)
            // As the dispatcher does: from the last one on, not past all that are gone.
            let events = try await store.outbox.events(after: last, limit: Self.operationsPerStep)
            last = events.last?.number ?? last
            let walks = events.map { event in
                FanOutWalk(
                    event: event.number, lists: event.sender.map { [.address($0)] } ?? [], expiresAt: now + 86_400_000
                ) { _, _ in .notify }
            }
            var (rest, scheduled) = (walks[...], [ScheduleKey]())
            while !rest.isEmpty {
                let steps = try await store.outbox.fanOut(
                    Array(rest.prefix(Self.eventsPerTurn)), limit: 256, ordinaryWatchers: 256, now: now)
                rest = rest.dropFirst(steps.count)
                scheduled += steps.flatMap(\.scheduled)
            }
            onPart(.queued(scheduled))
        }
        try await store.sync()
        // Each turn has a dispatcher of its own, whose first look would read past what all earlier turns have deleted.
        for family in [ColumnFamily.events, .schedule] { await store.compact(family) }
        let waiting = try await store.totals().deliveries
        guard waiting == UInt64(count) else {
            throw BenchmarkError("Expected a backlog of \(count) deliveries, found \(waiting).")
        }
    }

    /// Accepts one message of `sender`; its event's number.
    static func message(of sender: Address, number: Int, in store: Store, now: UInt64) async throws -> UInt64 {
        try await accept([operation(1 << 63 | UInt64(number), of: sender, now: now)], in: store, now: now)
        guard let event = try await store.outbox.events(after: 0, limit: 1).first else {
            throw BenchmarkError("A message made no event.")
        }
        return event.number
    }

    private static func accept(_ operations: [OperationRecord], in store: Store, now: UInt64) async throws {
        let accepted = operations.map { AcceptedOperation(operation: $0, notifies: true) }
        let cursor = ChainCursor(blockHash: .zero, daaScore: 1, blueScore: 1, timestamp: now)
        _ = try await store.history.apply(
            ChainStep(removed: [], accepted: accepted, cursor: cursor), now: now, withdrawsUnsent: false)
    }

    /// `seed` tells it from all others.
    private static func operation(_ seed: UInt64, of sender: Address, now: UInt64) -> OperationRecord {
        var random = SplitMix64(seed: seed)
        let head = Array("ciph_msg:1:comm:8f3a1c2b9d4e:".utf8)
        return OperationRecord(
            transactionID: Hash(bytes: random.bytes(32)) ?? .zero, kind: .contextualMessage, sender: sender,
            receiver: nil, amount: 0, blockHash: .zero, blockTime: now,
            acceptance: OperationRecord.Acceptance(blockHash: .zero, daaScore: 1, blueScore: 1),
            payload: head + random.hexadecimal(payloadBytes - head.count))
    }
}
