import Kaspa
import KasiaProtocol
import Store

/// Durable deliveries that wait: messages of many writers, each watched by one device.
struct Backlog {
    private static let operationsPerStep = 1_000
    /// The whole payload: it makes a notification of about 1 kB.
    private static let payloadBytes = 320

    let store: Store
    let deviceCount: Int

    /// Registers the devices in a fresh store; `device` names each by its number, an iPhone if it is left out.
    init(
        store: Store, deviceCount: Int,
        device: (Int) -> DeviceRecord = {
            DeviceRecord(
                token: WatchPopulation.token($0), platform: .ios, createdAt: 1, lastSeen: 1, watchedAddresses: [])
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

    /// Queues `count` deliveries and makes them durable; `round` keeps transactions of different rounds apart.
    func queue(_ count: Int, round: Int, now: UInt64) async throws {
        for start in stride(from: 0, to: count, by: Self.operationsPerStep) {
            let accepted = (start..<min(start + Self.operationsPerStep, count)).map { index in
                AcceptedOperation(operation: operation(index, round: round, now: now), notifies: true)
            }
            let cursor = ChainCursor(blockHash: .zero, daaScore: 1, blueScore: 1, timestamp: now)
            _ = try await store.history.apply(
                ChainStep(removed: [], accepted: accepted, cursor: cursor), now: now, withdrawsUnsent: false)
            for event in try await store.outbox.events(after: 0, limit: Self.operationsPerStep) {
                let walk = FanOutWalk(
                    event: event.number, lists: event.sender.map { [.address($0)] } ?? [], expiresAt: now + 86_400_000
                ) { _, _ in .notify }
                _ = try await store.outbox.fanOut([walk], limit: 256, ordinaryWatchers: 256, now: now)
            }
        }
        try await store.sync()
        // Each turn has a dispatcher of its own, whose first look would read past what all earlier turns have deleted.
        for family in [ColumnFamily.events, .schedule] { await store.compact(family) }
        let waiting = try await store.totals().deliveries
        guard waiting == UInt64(count) else {
            throw BenchmarkError("Expected a backlog of \(count) deliveries, found \(waiting).")
        }
    }

    private func operation(_ index: Int, round: Int, now: UInt64) -> OperationRecord {
        var random = SplitMix64(seed: UInt64(round) << 40 | UInt64(index))
        let head = Array("ciph_msg:1:comm:8f3a1c2b9d4e:".utf8)
        return OperationRecord(
            transactionID: Hash(bytes: random.bytes(32)) ?? .zero, kind: .contextualMessage,
            sender: WatchPopulation.address(UInt64(index % deviceCount)), receiver: nil, amount: 0, blockHash: .zero,
            blockTime: now, acceptance: OperationRecord.Acceptance(blockHash: .zero, daaScore: 1, blueScore: 1),
            payload: head + random.hexadecimal(Self.payloadBytes - head.count))
    }
}
