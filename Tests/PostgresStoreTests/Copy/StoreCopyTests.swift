import Kaspa
import StoreSupport
import TestRandom
import Testing

@testable import PostgresStore
@testable import Store

@Suite("A copy of a store", .timeLimit(.minutes(5)))
struct StoreCopyTests {
    @Test("From RocksDB to PostgreSQL and back, every row is the same")
    func roundTrip() async throws {
        let bench = try CopyBench()
        let (first, middle, last) = (bench.rocks("first"), try bench.postgres("middle"), bench.rocks("last"))
        var life = try await CopyBench.live(250, in: first)
        let seed = life.random.seed
        let there = try await CopyBench.copy(first, to: middle)
        let back = try await CopyBench.copy(middle, to: last, rowsPerBatch: 10)
        let (original, copy) = (try CopyBench.dump(first), try CopyBench.dump(last))
        #expect(original.differences(from: try CopyBench.dump(middle)) == [], "TEST_SEED=\(seed)")
        #expect(original.differences(from: copy) == [], "TEST_SEED=\(seed)")
        #expect(original == copy && original.wrongWatchers.isEmpty, "TEST_SEED=\(seed)")
        #expect(there.isSound && there.rows == back.rows && there.rows[.devices, default: 0] > 0)
        // The copy lives on as the original does.
        let rocks = try CopyBench.open(first)
        let postgres = try await CopyBench.patiently { try CopyBench.open(middle) }
        life.stores = [rocks, postgres]
        try await life.live(50)
        _ = try life.compareRows()
    }

    @Test("It is continued after a stop at any batch; until its end the store does not open", arguments: [true, false])
    func resumed(isToPostgres: Bool) async throws {
        let bench = try CopyBench()
        let (rocks, postgres) = (bench.rocks("rocks"), try bench.postgres("postgres"))
        let (source, target) = isToPostgres ? (rocks, postgres) : (postgres, rocks)
        let seed = try await CopyBench.live(60, in: source).random.seed
        var batches = 0
        while try await CopyBench.copyOneBatch(source, to: target, rowsPerBatch: 25) {
            batches += 1
            for readOnly in [true, false] {
                let refusal = await CopyBench.failure {
                    _ = try await CopyBench.patiently { try CopyBench.open(target, readOnly: readOnly) }
                }
                #expect(refusal == .partlyCopied, "TEST_SEED=\(seed)")
            }
            try #require(batches < 200, "TEST_SEED=\(seed): the copy does not come to an end")
        }
        // Each family has batches of its own; some lives leave few rows.
        #expect(batches > 2, "TEST_SEED=\(seed)")
        let differences = try CopyBench.dump(source).differences(from: try CopyBench.dump(target))
        #expect(differences == [], "TEST_SEED=\(seed)")
    }

    @Test("A batch has as many rows as it may", arguments: [0, 1, 4, 5, 6, 9, 10, 11])
    func rowsOfABatch(_ count: Int) async throws {
        let bench = try CopyBench()
        let (source, target) = (bench.rocks("source"), bench.rocks("target"))
        try await CopyBench.fill(source, rows: count)
        var told: [UInt64] = []
        _ = try await CopyBench.copy(source, to: target, rowsPerBatch: 5) { family, rows in
            if family == .groupBindings { told.append(rows) }
        }
        let expected = [0] + stride(from: 5, to: count, by: 5).map { UInt64($0) } + (count > 0 ? [UInt64(count)] : [])
        #expect(told == expected)
        #expect(try CopyBench.dump(source) == CopyBench.dump(target))
    }

    @Test(
        "A batch has as many bytes as it may",
        arguments: [(83, [1, 2, 3]), (84, [2, 3]), (85, [2, 3]), (1, [1, 2, 3])])
    func bytesOfABatch(_ limit: Int, _ expected: [UInt64]) async throws {
        let bench = try CopyBench()
        let (source, target) = (bench.rocks("source"), bench.rocks("target"))
        try await CopyBench.fill(source, rows: 3)
        var told: [UInt64] = []
        let copy = StoreCopy(
            from: try CopyBench.open(source, readOnly: true), to: try CopyBench.open(target, acceptsPartialCopy: true),
            bytesPerBatch: limit)
        _ = try await copy.run { family, rows in
            if family == .groupBindings, rows > 0 { told.append(rows) }
        }
        #expect(told == expected)
    }

    @Test("A registration and its entries in the watch index are one batch")
    func watchEntries() async throws {
        let bench = try CopyBench()
        let (source, target) = (bench.rocks("source"), try bench.postgres("target"))
        try await CopyBench.with(source) { store in
            for number in 1...3 {
                // One row, one entry for each address.
                let device = DeviceRecord(
                    token: [UInt8](repeating: UInt8(number), count: 32), platform: .ios, createdAt: 1, lastSeen: 1,
                    watchedAddresses: (1...number * 2).map { LifeSamples.address($0) })
                try await store.registry.upsertDevice(device.id) { _ in device }
            }
        }
        var told: [UInt64] = []
        _ = try await CopyBench.copy(source, to: target, rowsPerBatch: 6) { family, rows in
            if family == .devices { told.append(rows) }
        }
        #expect(told == [0, 1, 2, 3])
        #expect(try CopyBench.dump(target).watchers == 12)
    }
}
