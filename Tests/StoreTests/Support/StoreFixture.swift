import Foundation
import Kaspa

@testable import Store
import StoreSupport

/// A fresh store in a directory that goes with it, and short forms of what most tests do first.
final class StoreFixture: Sendable {
    let directory: TemporaryDirectory
    let store: Store

    /// On the engine of this run, unless conditions are given: those are RocksDB's.
    init(limits: StoreLimits = StoreLimits(), conditions: StoreConditions? = nil) throws {
        directory = try TemporaryDirectory()
        store = try TestStores.open(directory.file("store"), limits: limits, conditions: conditions)
    }

    var path: String { directory.file("store") }

    /// Puts a registration, of a token that Apple has accepted unless it is on probation.
    func register(_ device: DeviceRecord, onProbation: Bool = false) async throws {
        try await store.registry.upsertDevice(device.id) { _ in device }
        if !onProbation { try await store.outbox.noteAccepted(device.id) }
    }

    /// Accepts a transaction in a chain block of the same number; its event has the next number.
    @discardableResult
    func accept(_ number: Int, now: UInt64 = 5_000) async throws -> ChainStepResult {
        try await store.history.apply(
            Sample.step(accepting: [Sample.operation(number, acceptedIn: number)], cursor: number), now: now,
            withdrawsUnsent: false)
    }

    /// Walks the watchers of `Sample.address(1)` for one event in one step, telling all of them.
    @discardableResult
    func fanOut(
        event: UInt64, limit: Int = 1_000, ordinary: UInt64 = .max, now: UInt64 = 6_000, expiresAt: UInt64 = 99_000
    ) async throws -> FanOutStep {
        try await store.outbox.fanOut(
            event: event, lists: [.address(Sample.address(1))], limit: limit, ordinaryWatchers: ordinary, now: now,
            expiresAt: expiresAt
        ) { _, _ in .notify }
    }

    /// The same for several events in one batch.
    func fanOut(events: ClosedRange<UInt64>, limit: Int = 1_000) async throws -> [FanOutStep] {
        try await store.outbox.fanOut(
            events.map { number in
                FanOutWalk(event: number, lists: [.address(Sample.address(1))], expiresAt: 99_000) { _, _ in .notify }
            }, limit: limit, ordinaryWatchers: .max, now: 6_000)
    }

    /// Registers one device that watches `Sample.address(1)` and queues `count` deliveries, of transactions 1, 2 and on.
    func deviceWithDeliveries(
        _ count: Int, device number: Int = 1, onProbation: Bool = false
    ) async throws -> DeviceID {
        try await register(Sample.device(number, watching: [Sample.address(1)]), onProbation: onProbation)
        for transaction in 1...max(1, count) {
            try await accept(transaction)
            try await fanOut(event: UInt64(transaction))
        }
        return Sample.id(number)
    }

    /// The device's place in the schedule, as its state has it.
    func place(_ id: DeviceID) async throws -> ScheduleKey? {
        try await store.outbox.deviceState(id).scheduled?.key(of: id)
    }

    /// All schedule rows.
    func schedule() throws -> [ScheduleKey] {
        try DeviceID.allPartitions.flatMap { partition in
            try ScheduleKey.Lane.allCases.flatMap { lane in
                try store.outbox.entries(partition: partition, lane: lane, limit: 10_000)
            }
        }
    }

    /// What the store knows in memory and does not hold: rows, queues by device, and where families begin.
    func untrueInMemory() async throws -> [String] {
        let snapshot = store.database.snapshot()
        var untrue: [String] = []
        for family in ColumnFamily.allCases {
            for (key, row) in store.database.rowCache.rows(of: family) {
                if try snapshot.get(family, key.bytes) != row { untrue.append("\(family) \(Hex.encode(key.bytes))") }
            }
        }
        for (device, target) in store.database.rowCache.targets {
            let row = try snapshot.deviceRow(device)
            if try row.map({ (row) throws(StoreError) in try DeviceTarget(encoded: row) }) != target {
                untrue.append("target of \(device)")
            }
        }
        for device in try await store.registry.devices(limit: .max).map(\.id) {
            let waiting = try await store.outbox.deliveries(of: device, limit: .max).map(\.seq)
            let known = try await store.write { $0.waiting(for: device) }
            if let known, known != waiting { untrue.append("queue of \(device)") }
        }
        for family in ColumnFamily.allCases where KeyLowerBounds.areKept(of: family) {
            let known = try await store.write { $0.lowerBound(of: family) }
            let below = try snapshot.list(family, from: [], below: known, limit: 1) { Array($0.key) }
            if !below.isEmpty { untrue.append("lower bound of \(family)") }
        }
        return untrue
    }

    /// The store's files as they are on disk now, while it is open: what a crash would leave.
    func copyFiles(to name: String) throws -> String {
        let target = directory.file(name)
        try FileManager.default.copyItem(atPath: path, toPath: target)
        return target
    }
}

extension DeviceID {
    static var allPartitions: Range<UInt8> { 0..<partitionCount }
}

extension Store {
    /// Deletes every row but the store's identity, so that many short runs share the cost of one opening.
    func clear() async throws {
        try await write { (transaction) throws(StoreError) in
            for family in ColumnFamily.allCases {
                var keys: [[UInt8]] = []
                try transaction.scan(family, prefix: []) { (row) throws(StoreError) in
                    keys.append(Array(row.key))
                    return true
                }
                for key in keys where key != MetaKey.schemaVersion && key != MetaKey.network {
                    transaction.delete(family, key)
                    if family == .devices {
                        var reader = ByteReader(key)
                        transaction.note(waiting: nil, for: try reader.readDeviceID())
                    }
                }
            }
        }
    }
}
