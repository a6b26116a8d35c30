import Kaspa
import StoreSupport
import Testing

@testable import Store

@Suite(
    "What every engine offers to read", .rocksDBAlone("it opens the database alone; PostgresStoreTests reads the other")
)
struct StoreReadingTests {
    private let directory: TemporaryDirectory
    private let database: Database
    private let seed = SeededRandom.runSeed

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path)
    }

    /// The committed rows, a snapshot of them, and transactions on both that have written nothing.
    private var readings: [any StoreReading] {
        let snapshot = database.snapshot()
        return [database, snapshot, WriteTransaction(database), WriteTransaction(snapshot)]
    }

    /// Commits in a few batches, with a flush to files after some of them.
    private func commit(
        _ family: ColumnFamily, _ rows: [[UInt8]: [UInt8]], _ random: inout SeededRandom
    ) throws {
        var transaction = WriteTransaction(database)
        for key in rows.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }).shuffled(using: &random) {
            transaction.put(family, key, rows[key] ?? [])
            guard random.oneIn(20) else { continue }
            try transaction.commit(synced: false)
            transaction = WriteTransaction(database)
            // A checkpoint flushes memory to files.
            if random.oneIn(2) { try database.checkpoint(to: directory.file("flushed-\(random.next())")) }
        }
        try transaction.commit(synced: false)
    }

    // MARK: Rows ahead

    @Test("What will be read are single rows and stretches, in the order in which they were added")
    func rowsAhead() {
        var rows = RowsAhead()
        #expect(rows.keys.isEmpty && rows.ranges.isEmpty)
        rows.add(.devices, [[2], [1], [2]])
        rows.add(.deviceStates, (3...4).lazy.map { [$0] })
        rows.add(.events, [])
        #expect(rows.keys.map(\.family) == [.devices, .devices, .devices, .deviceStates, .deviceStates])
        #expect(rows.keys.map(\.key) == [[2], [1], [2], [3], [4]])
        #expect(rows.ranges.isEmpty)
        rows.add(.deliveries, from: [1, 2], below: [1, 2, 3], limit: 5)
        rows.add(.events, prefix: [7, 0xff], limit: 6)
        rows.add(.events, prefix: [], limit: 0)
        #expect(rows.keys.count == 5)
        #expect(rows.ranges.map(\.family) == [.deliveries, .events, .events])
        #expect(rows.ranges.map(\.lower) == [[1, 2], [7, 0xff], []])
        #expect(rows.ranges.map(\.upper) == [[1, 2, 3], [8], KeyBytes.successor(ofPrefix: [])])
        #expect(rows.ranges.map(\.limit) == [5, 6, 0])
    }

    @Test("RocksDB never asks which rows will be read, as it reads each as fast alone")
    func willRead() throws {
        for reading in readings {
            try reading.willRead { () throws(StoreError) in
                Issue.record("\(reading) asked")
                return RowsAhead()
            }
        }
    }

    // MARK: The watch index

    /// Keys of all kinds about subjects that differ little.
    private static let watchKeys: [WatchKey] = (0..<5).flatMap { (number) -> [WatchKey] in
        let address = Sample.address(number)
        return [
            .address(address), .primary(address), .funds(address), .channel("channel \(number)"),
            .group([UInt8](repeating: UInt8(number), count: 32)), .inbox([UInt8](repeating: UInt8(number), count: 16)),
        ]
    }

    @Test("Whether a key is watched is what the index says, whoever is asked")
    func isWatched() throws {
        var random = SeededRandom(seed: seed)
        var watched: [WatchKey: Set<Int>] = [:]
        func check(_ readings: [any StoreReading], against watched: [WatchKey: Set<Int>]) throws {
            // Some of them twice.
            let keys = (0..<40).map { _ in Self.watchKeys[random.below(Self.watchKeys.count)] }
            let expected = keys.map { watched[$0]?.isEmpty == false }
            for reading in readings { #expect(try reading.isWatched(keys) == expected, "TEST_SEED=\(seed)") }
        }
        for round in 0..<30 {
            let (before, snapshot, transaction) = (watched, database.snapshot(), WriteTransaction(database))
            for _ in 0...random.below(8) {
                let (key, device) = (Self.watchKeys[random.below(Self.watchKeys.count)], random.below(3))
                let row = transaction.watchIndexKey(key) + Sample.id(device).bytes
                if random.oneIn(2) {
                    transaction.delete(.watchers, row)
                    watched[key]?.remove(device)
                } else {
                    transaction.put(.watchers, row, [])
                    watched[key, default: []].insert(device)
                }
            }
            // The transaction itself does not ask its own writes either.
            try check(readings + [transaction], against: before)
            try transaction.commit(synced: false)
            if round.isMultiple(of: 5) { try database.checkpoint(to: directory.file("flushed-\(round)")) }
            try check([snapshot, WriteTransaction(snapshot)], against: before)
            try check(readings, against: watched)
            for key in Self.watchKeys {
                let devices = Set((watched[key] ?? []).map(Sample.id))
                #expect(try Set(database.watchers(key, after: nil, limit: .max)) == devices, "TEST_SEED=\(seed)")
            }
        }
        #expect(try readings.allSatisfy { (reading) throws in try reading.isWatched([]).isEmpty })
    }

    @Test("The index's keys begin with a watch key's own bytes")
    func watchIndexKeys() {
        for reading in readings {
            #expect(Self.watchKeys.allSatisfy { reading.watchIndexKey($0) == $0.bytes })
            #expect(Self.watchKeys.allSatisfy { reading.watchIndexKey($0).count == WatchKey.prefixBytes })
        }
    }

    @Test("A key of the index that is longer or shorter than a device's name allows is damage", arguments: [-1, 0, 1])
    func keyLength(more: Int) throws {
        let key = WatchKey.address(Sample.address(1))
        let transaction = WriteTransaction(database)
        transaction.put(.watchers, key.bytes + [UInt8](repeating: 7, count: DeviceID.byteCount + more), [])
        try transaction.commit(synced: false)
        let isRight = more == 0
        for reading in readings {
            let devices = Result { () throws(StoreError) in try reading.watchers(key, after: nil, limit: 1) }
            #expect((try? devices.get())?.count == (isRight ? 1 : nil))
        }
    }

    @Test("All watched addresses are lent, in whatever way they are watched, until nobody wants more")
    func watchedAddresses() throws {
        let transaction = WriteTransaction(database)
        var expected: [Address] = []
        let devices = (0..<4).map { number in
            // One is watched by all, one by a device in all three ways; the last watches no address.
            var device = Sample.device(
                number, watching: number == 3 ? [] : [Sample.address(9), Sample.address(number)],
                primary: number == 1 ? Sample.address(1) : nil)
            device.watchOnlyAddresses = number == 1 ? [Sample.address(1), Sample.address(7)] : []
            device.watchedGroupIDs = [[UInt8](repeating: 1, count: 32)]
            device.broadcastChannels = ["a"]
            return device
        }
        for device in devices.sorted(by: { KeyBytes.precedes($0.id.bytes, $1.id.bytes) }) {
            transaction.put(.devices, device.id.bytes, device.encoded)
            expected += device.watchedAddresses + device.watchOnlyAddresses
            if let own = device.primaryAddress { expected.append(own) }
        }
        try transaction.commit(synced: false)
        for limit in 1...expected.count + 1 {
            var found: [Address] = []
            try database.scanWatchedAddresses(on: .mainnet) { address in
                found.append(address)
                return found.count < limit
            }
            #expect(found == Array(expected.prefix(limit)))
        }
    }

    // MARK: Scans

    @Test(
        "Backwards the same rows are lent as forwards, in reverse",
        arguments: [ColumnFamily.events, .watchers, .schedule])
    func backwards(_ family: ColumnFamily) throws {
        var random = SeededRandom(seed: seed)
        // Short bounds between keys that are as long as the watch index needs them.
        let rest = [UInt8](repeating: 0, count: WatchKey.prefixBytes)
        func bytes() -> [UInt8] { (0..<random.below(4)).map { _ in [0, 1, 2, 0xff][random.below(4)] } }
        var rows: [[UInt8]: [UInt8]] = [:]
        for number in 0..<60 {
            let start = bytes()
            rows[start + rest.dropFirst(start.count) + bytes()] = random.oneIn(5) ? [] : [UInt8(number)]
        }
        try commit(family, rows, &random)
        let keys = rows.keys.sorted { $0.lexicographicallyPrecedes($1) }
        func entry(_ row: Row) -> [[UInt8]] { [Array(row.key), Array(row.value)] }
        for _ in 0..<60 {
            var (lower, upper) = (bytes(), bytes())
            // Bounds that are keys, too.
            if random.oneIn(3) { lower = keys[random.below(keys.count)] }
            if random.oneIn(3) { upper = keys[random.below(keys.count)] }
            if random.oneIn(6) { upper = KeyBytes.successor(ofPrefix: []) }
            for reading in readings {
                var forwards: [[[UInt8]]] = []
                try reading.scan(family, from: lower, below: upper) { (row) throws(StoreError) in
                    forwards.append(entry(row))
                    return true
                }
                var backwards: [[[UInt8]]] = []
                try reading.scanBackwards(family, from: lower, below: upper, atMost: nil) { (row) throws(StoreError) in
                    backwards.append(entry(row))
                    return true
                }
                #expect(backwards == forwards.reversed(), "\(lower) to \(upper), TEST_SEED=\(seed)")
                for limit in [forwards.count - 1, forwards.count, forwards.count + 1] {
                    let list = try reading.listBackwards(family, from: lower, below: upper, limit: limit, entry)
                    #expect(list == Array(forwards.reversed().prefix(max(0, limit))), "TEST_SEED=\(seed)")
                }
            }
            let expected = rows.filter {
                !$0.key.lexicographicallyPrecedes(lower) && $0.key.lexicographicallyPrecedes(upper)
            }
            let found = try database.list(family, from: lower, below: upper, limit: .max, entry)
            #expect(Dictionary(uniqueKeysWithValues: found.map { ($0[0], $0[1]) }) == expected, "TEST_SEED=\(seed)")
        }
    }

    @Test("A walk backwards whose body throws or stops early can be followed by another")
    func endOfWalk() throws {
        let transaction = WriteTransaction(database)
        for byte in 1...3 as ClosedRange<UInt8> { transaction.put(.events, [byte], []) }
        try transaction.commit(synced: false)
        for reading in readings {
            #expect(throws: StoreError(.engine, "stop")) {
                try reading.scanBackwards(.events, from: [], below: [9], atMost: nil) { (_) throws(StoreError) in
                    throw StoreError(.engine, "stop")
                }
            }
            // What the caller said it would take binds nobody.
            var seen: [UInt8] = []
            try reading.scanBackwards(.events, from: [], below: [9], atMost: 1) { (row) throws(StoreError) in
                seen += Array(row.key)
                return seen.count < 2
            }
            #expect(seen == [3, 2])
        }
    }

    // MARK: Transactions on another engine

    @Test("A transaction hands on what its engine is asked, and its own writes are no reason to read less")
    func handedOn() throws {
        let base = RecordedReading()
        let transaction = WriteTransaction(base)
        transaction.put(.deliveries, [1], [])
        transaction.delete(.deliveries, [2])
        #expect(transaction.watchIndexKey(.inbox([7])) == [5])
        #expect(try transaction.isWatched([.inbox([7]), .channel("a")]) == [true, false])
        #expect(try transaction.list(.events, from: [], below: [9], limit: 4) { _ in 0 } == [])
        #expect(try transaction.listBackwards(.events, from: [], below: [9], limit: 5) { _ in 0 } == [])
        #expect(try transaction.list(.deliveries, from: [], below: [9], limit: 6) { Array($0.key) } == [[1]])
        #expect(try transaction.list(.events, from: [], below: [9], limit: 0) { _ in 0 } == [])
        #expect(base.limits == [4, 5, nil])
        try transaction.willRead { () throws(StoreError) in
            var rows = RowsAhead()
            rows.add(.devices, [[1]])
            return rows
        }
        #expect(base.rowsAhead.map(\.key) == [[1]])
        #expect(throws: StoreError(.engine, "stop")) {
            try transaction.willRead { () throws(StoreError) in throw StoreError(.engine, "stop") }
        }
    }
}

/// An engine without rows that keeps what it was asked.
private final class RecordedReading: StoreReading {
    /// Of each scan.
    private(set) var limits: [Int?] = []
    private(set) var rowsAhead: [(family: ColumnFamily, key: [UInt8])] = []

    func get(_ family: ColumnFamily, _ key: [UInt8]) -> [UInt8]? { nil }

    func scan(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) { limits.append(limit) }

    func scanBackwards(
        _ family: ColumnFamily, from lower: [UInt8], below upper: [UInt8], atMost limit: Int?,
        _ body: (Row) throws(StoreError) -> Bool
    ) { limits.append(limit) }

    func isWatched(_ keys: [WatchKey]) -> [Bool] { keys.map { $0 == .inbox([7]) } }

    func watchIndexKey(_ key: WatchKey) -> [UInt8] { [5] }

    func willRead(_ rows: () throws(StoreError) -> RowsAhead) throws(StoreError) { rowsAhead += try rows().keys }
}
