import Kaspa
import KasiaProtocol
import PostgresStore
import Store

/// Durable deliveries that wait: messages of many writers, each watched by one device.
struct Backlog {
    private static let operationsPerStep = 1_000
    /// As many as the dispatcher advances together.
    private static let eventsPerTurn = 64
    /// The whole payload: it makes a notification of about 1 kB.
    private static let payloadBytes = 320

    let store: Store
    let shards: [StoreShard]
    let deviceCount: Int

    /// Registers the devices in a fresh store; `device` names each by its number, an iPhone if it is left out.
    ///
    /// `shards` are the others of a store that is shared out.
    init(
        store: Store, shards: [StoreShard] = [], deviceCount: Int,
        device: (Int) -> DeviceRecord = {
            WatchPopulation.watcher($0, of: [])
        }
    ) async throws {
        self.store = store
        self.shards = shards
        self.deviceCount = deviceCount
        for index in 0..<deviceCount {
            var device = device(index)
            device.watchedAddresses = [WatchPopulation.address(UInt64(index))]
            try await store.registry.upsertDevice(device.id) { [device] _ in device }
        }
        for shard in shards { try await Backlog.takeOrders(shard) }
        for index in 0..<deviceCount {
            let id = device(index).id
            let shard = store.shards.shard(of: id)
            try await (shard == 0 ? store : shards[shard - 1].store).outbox.noteAccepted(id)
        }
    }

    /// A backlog whose devices are registered already.
    init(again store: Store, shards: [StoreShard], deviceCount: Int) {
        self.store = store
        self.shards = shards
        self.deviceCount = deviceCount
    }

    private static func takeOrders(_ shard: StoreShard) async throws {
        while true {
            let last = try shard.store.outbox.lastTakenOrder()
            let orders = try await shard.orders(after: last, limit: 256, waitingAtMost: .zero)
            guard !orders.isEmpty else { return }
            _ = try await shard.store.outbox.take(orders)
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
        var lastOfShards: [UInt64] = []
        for shard in shards { lastOfShards.append(try await shard.store.outbox.lastEventNumber()) }
        for start in stride(from: 0, to: count, by: Self.operationsPerStep) {
            try await Self.accept(
                (start..<min(start + Self.operationsPerStep, count)).map { index in
                    Self.operation(
                        UInt64(round) << 40 | UInt64(index),
                        of: WatchPopulation.address(UInt64((round * count + index) % deviceCount)), now: now)
                }, in: store, now: now)
            onPart(.accepted)
            var scheduled = try await Backlog.fanOut(store, after: &last, now: now)
            for (index, shard) in shards.enumerated() {
                try await Backlog.takeOrders(shard)
                scheduled += try await Backlog.fanOut(shard.store, after: &lastOfShards[index], now: now)
            }
            onPart(.queued(scheduled))
        }
        try await store.sync()
        // Each turn has a dispatcher of its own, whose first look would read past what all earlier turns have deleted.
        for family in [ColumnFamily.events, .schedule] { await store.compact(family) }
        var waiting = try await store.totals().deliveries
        for shard in shards {
            try await shard.store.sync()
            waiting += try await shard.store.totals().deliveries
        }
        guard waiting == UInt64(count) else {
            throw BenchmarkError("Expected a backlog of \(count) deliveries, found \(waiting).")
        }
    }

    /// Fans out what a store has queued after `last`, as the dispatcher does: from there on, not past all that are gone.
    private static func fanOut(
        _ store: Store, after last: inout UInt64, now: UInt64
    ) async throws -> [ScheduleKey] {
        let events = try await store.outbox.events(after: last, limit: operationsPerStep)
        last = events.last?.number ?? last
        let walks = events.map { event in
            FanOutWalk(
                event: event.number, lists: event.sender.map { [.address($0)] } ?? [], expiresAt: now + 86_400_000
            ) { _, _ in .notify }
        }
        var (rest, scheduled) = (walks[...], [ScheduleKey]())
        while !rest.isEmpty {
            let steps = try await store.outbox.fanOut(
                Array(rest.prefix(eventsPerTurn)), limit: 256, ordinaryWatchers: 256, now: now)
            rest = rest.dropFirst(steps.count)
            scheduled += steps.flatMap(\.scheduled)
        }
        return scheduled
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
