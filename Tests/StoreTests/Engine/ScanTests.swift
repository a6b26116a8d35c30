import Kaspa
import StoreSupport
import Testing

@testable import Store

@Suite("Scans and transactions", .rocksDBAlone("it opens the database alone; PostgresStoreTests scans the other"))
struct ScanTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path)
    }

    private func rows(
        _ reading: some StoreReading, _ family: ColumnFamily, _ lower: [UInt8], _ upper: [UInt8]
    ) throws -> [[UInt8]] {
        try reading.list(family, from: lower, below: upper, limit: .max) { Array($0.key) }
    }

    @Test(
        "A scan begins at its lower bound and ends before its upper one", arguments: [ColumnFamily.events, .watchers])
    func bounds(_ family: ColumnFamily) throws {
        let rest = [UInt8](repeating: 7, count: WatchKey.prefixBytes - 1)
        let transaction = WriteTransaction(database)
        for byte in 1...5 as ClosedRange<UInt8> { transaction.put(family, [byte] + rest, []) }
        func found(_ reading: some StoreReading, _ lower: [UInt8], _ upper: [UInt8]) throws -> [UInt8] {
            let keys = try rows(reading, family, lower, upper)
            #expect(keys.allSatisfy { $0.dropFirst() == rest[...] })
            return keys.map { $0[0] }
        }
        #expect(try found(transaction, [2], [4]) == [2, 3])
        try transaction.commit(synced: false)
        #expect(try found(database, [2], [4]) == [2, 3])
        #expect(try found(database, [], [3]) == [1, 2])
        #expect(try found(database, [3, 8], [9]) == [4, 5])
        #expect(try found(database, [4], [4]) == [])
        #expect(try found(database, [5], [2]) == [])
        #expect(try found(database, [], []) == [])
    }

    @Test("A key of the watch index that is too short for its lists is refused, and nothing of its batch is written")
    func shortKey() async throws {
        let fixture = try StoreFixture()
        for count in [WatchKey.prefixBytes - 1, WatchKey.prefixBytes] {
            let write = {
                try await fixture.store.write { transaction in
                    transaction.put(.recentFunds, [UInt8(count)], [1])
                    transaction.put(.watchers, [UInt8](repeating: 1, count: count), [])
                }
            }
            let isLong = count == WatchKey.prefixBytes
            if isLong {
                try await write()
            } else {
                await #expect(throws: ByteReader.corrupt("a key of watchers")) { try await write() }
            }
            #expect(try (fixture.store.database.get(.recentFunds, [UInt8(count)]) != nil) == isLong)
        }
    }

    @Test("A list holds at most its limit", arguments: [-1, 0, 1, 2, 3, 4])
    func limits(_ limit: Int) throws {
        let transaction = WriteTransaction(database)
        for byte in 1...3 as ClosedRange<UInt8> { transaction.put(.events, [byte], []) }
        let found = try transaction.list(.events, from: [], below: [9], limit: limit) { Array($0.key) }
        #expect(found.count == max(0, min(limit, 3)))
    }

    @Test("A transaction sees its own writes over the committed ones, and nobody else does before the commit")
    func overlay() throws {
        let first = WriteTransaction(database)
        first.put(.meta, [1], [1])
        first.put(.meta, [2], [])
        try first.commit(synced: true)
        let second = WriteTransaction(database)
        second.put(.meta, [1], [9])
        second.delete(.meta, [2])
        second.put(.meta, [3], [3])
        second.put(.meta, [4], [4])
        second.delete(.meta, [4])
        #expect(try second.get(.meta, [1]) == [9])
        #expect(try second.get(.meta, [2]) == nil)
        #expect(try second.get(.meta, [4]) == nil)
        #expect(try rows(second, .meta, [], [9]) == [[1], [3]])
        #expect(try database.get(.meta, [1]) == [1])
        #expect(try database.get(.meta, [2]) == [])
        #expect(try rows(database, .meta, [], [9]) == [[1], [2]])
    }

    @Test("Whatever is written and scanned in whatever order, a transaction shows one state")
    func mixed() throws {
        let seed = SeededRandom.runSeed
        var random = SeededRandom(seed: seed)
        func key() -> [UInt8] { (0..<random.below(3)).map { _ in UInt8(random.below(4)) } }
        var committed: [[UInt8]: [UInt8]] = [:]
        for round in 0..<40 {
            let transaction = WriteTransaction(database)
            var state = committed
            for step in 0..<60 {
                switch random.below(4) {
                case 0:
                    let (key, value) = (key(), [UInt8(step)])
                    transaction.put(.events, key, value)
                    state[key] = value
                case 1:
                    let key = key()
                    transaction.delete(.events, key)
                    state[key] = nil
                case 2:
                    let key = key()
                    #expect(try transaction.get(.events, key) == state[key], "seed \(seed)")
                default:
                    let (lower, upper, limit) = (key(), key(), random.below(9))
                    let expected = state.filter {
                        !$0.key.lexicographicallyPrecedes(lower) && $0.key.lexicographicallyPrecedes(upper)
                    }.sorted { $0.key.lexicographicallyPrecedes($1.key) }.prefix(limit)
                    let found = try transaction.list(.events, from: lower, below: upper, limit: limit) {
                        Array($0.key) + [0xff] + Array($0.value)
                    }
                    #expect(found == expected.map { $0.key + [0xff] + $0.value }, "seed \(seed)")
                }
            }
            guard !round.isMultiple(of: 3) else { continue }
            try transaction.commit(synced: false)
            committed = state
        }
    }

    @Test("A scan's body may write: what is walked stays as it was when the scan began")
    func writesWhileScanning() throws {
        let first = WriteTransaction(database)
        for byte in [1, 3, 5] as [UInt8] { first.put(.events, [byte], []) }
        try first.commit(synced: false)
        let transaction = WriteTransaction(database)
        for byte in [2, 4] as [UInt8] { transaction.put(.events, [byte], []) }
        var seen: [UInt8] = []
        try transaction.scan(.events, prefix: []) { (row) throws(StoreError) in
            let byte = row.key.first ?? 0
            seen.append(byte)
            transaction.delete(.events, [byte])
            transaction.put(.events, [byte + 10], [])
            return true
        }
        #expect(seen == [1, 2, 3, 4, 5])
        #expect(try rows(transaction, .events, [], [99]) == [[11], [12], [13], [14], [15]])
    }

    @Test("A snapshot stays as it was, and may outlive the last other user of the database")
    func snapshots() throws {
        var other: Database? = try Database(path: directory.file("other"))
        func put(_ value: UInt8) throws {
            let transaction = WriteTransaction(try #require(other))
            transaction.put(.meta, [value], [value])
            try transaction.commit(synced: false)
        }
        try put(1)
        let snapshot = Snapshot(try #require(other))
        try put(2)
        other = nil
        #expect(try snapshot.get(.meta, [1]) == [1])
        #expect(try snapshot.get(.meta, [2]) == nil)
        #expect(try rows(snapshot, .meta, [], [9]) == [[1]])
    }

    @Test("A scan whose body throws or stops early can be followed by another")
    func earlyEnd() throws {
        let transaction = WriteTransaction(database)
        for byte in 1...5 as ClosedRange<UInt8> { transaction.put(.events, [byte], []) }
        for reading in [transaction as any StoreReading, database] {
            #expect(throws: StoreError(.engine, "stop")) {
                try reading.scan(.events, prefix: []) { (_) throws(StoreError) in throw StoreError(.engine, "stop") }
            }
            try transaction.commit(synced: false)
        }
        #expect(try rows(database, .events, [], [9]).count == 5)
    }

    @Test("Watch scans through prefix filters agree with a plain set, over files, memory and a transaction")
    func prefixScans() throws {
        let seed = SeededRandom.runSeed
        var random = SeededRandom(seed: seed)
        var present: Set<[UInt8]> = []
        let subjects = (0..<12).map { WatchKey.address(Sample.address($0)).bytes }
        func change(_ transaction: WriteTransaction, _ count: Int) {
            for _ in 0..<count {
                let key = subjects[random.below(subjects.count)] + Sample.id(random.below(20)).bytes
                if random.oneIn(3) {
                    transaction.delete(.watchers, key)
                    present.remove(key)
                } else {
                    transaction.put(.watchers, key, [])
                    present.insert(key)
                }
            }
        }
        for round in 0..<6 {
            let committed = WriteTransaction(database)
            change(committed, 40)
            try committed.commit(synced: false)
            // A checkpoint flushes memory to files, so that the filters in them are asked.
            if round % 2 == 0 { try database.checkpoint(to: directory.file("flushed-\(round)")) }
            let transaction = WriteTransaction(database)
            change(transaction, 25)
            for subject in subjects {
                let lower = random.oneIn(2) ? subject : subject + Sample.id(random.below(20)).bytes + [0]
                let upper = KeyBytes.successor(ofPrefix: subject)
                let expected = present.filter { !$0.lexicographicallyPrecedes(lower) && $0.starts(with: subject) }
                    .sorted { $0.lexicographicallyPrecedes($1) }
                #expect(try rows(transaction, .watchers, lower, upper) == expected, "seed \(seed)")
            }
            let all = present.sorted { $0.lexicographicallyPrecedes($1) }
            #expect(try rows(transaction, .watchers, [], KeyBytes.successor(ofPrefix: [])) == all, "seed \(seed)")
            // Across subjects the filter of one prefix must not hide the others.
            let span = all.filter {
                !$0.lexicographicallyPrecedes(subjects[3]) && $0.lexicographicallyPrecedes(subjects[8])
            }
            #expect(try rows(transaction, .watchers, subjects[3], subjects[8]) == span, "seed \(seed)")
            try transaction.commit(synced: false)
            #expect(try rows(database, .watchers, [], KeyBytes.successor(ofPrefix: [])) == all, "seed \(seed)")
        }
    }

    @Test(
        "An address that many devices watch lists them in order, in memory and from files",
        arguments: [255, 256, 257, 900])
    func popularAddress(_ count: Int) throws {
        let seed = SeededRandom.runSeed
        var random = SeededRandom(seed: seed)
        let subject = WatchKey.address(Sample.address(1)).bytes
        let upper = KeyBytes.successor(ofPrefix: subject)
        var ids = (0..<count).map { Sample.id($0).bytes }
        for index in ids.indices.reversed() { ids.swapAt(index, random.below(index + 1)) }
        for id in ids {
            let transaction = WriteTransaction(database)
            transaction.put(.watchers, subject + id, [])
            try transaction.commit(synced: false)
        }
        let expected = ids.map { subject + $0 }.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(try rows(database, .watchers, subject, upper) == expected, "seed \(seed)")
        #expect(try rows(database, .watchers, expected[count / 2], upper) == Array(expected[(count / 2)...]))
        let transaction = WriteTransaction(database)
        for key in expected.prefix(count / 3) { transaction.delete(.watchers, key) }
        try transaction.commit(synced: false)
        let rest = Array(expected.dropFirst(count / 3))
        #expect(try rows(database, .watchers, subject, upper) == rest, "seed \(seed)")
        #expect(try database.get(.watchers, expected[0]) == nil)
        #expect(try database.get(.watchers, rest[0]) == [])
        database.compact(.watchers)
        #expect(try rows(database, .watchers, subject, upper) == rest, "seed \(seed)")
    }

    @Test("Only scans that stay within one subject use the prefix filter")
    func filterUse() {
        let subject = WatchKey.address(Sample.address(1)).bytes
        let next = KeyBytes.successor(ofPrefix: subject)
        #expect(ColumnFamily.watchers.staysWithinPrefix(subject, next))
        #expect(ColumnFamily.watchers.staysWithinPrefix(subject + [1], next))
        #expect(ColumnFamily.watchers.staysWithinPrefix(subject, subject + [1]))
        #expect(!ColumnFamily.watchers.staysWithinPrefix(subject, next + [0]))
        #expect(!ColumnFamily.watchers.staysWithinPrefix([0], next))
        #expect(!ColumnFamily.watchers.staysWithinPrefix(subject, [1]))
        #expect(!ColumnFamily.events.staysWithinPrefix(subject, next))
        // The successor of a prefix that ends with 0xff is shorter; of one that has nothing else there is none.
        let carried = subject.dropLast(2) + [0xff, 0xff]
        let afterCarried = KeyBytes.successor(ofPrefix: Array(carried))
        #expect(afterCarried.count == subject.count - 2)
        #expect(ColumnFamily.watchers.staysWithinPrefix(Array(carried), afterCarried))
        #expect(ColumnFamily.watchers.staysWithinPrefix(carried + [7], afterCarried))
        #expect(!ColumnFamily.watchers.staysWithinPrefix(subject, afterCarried))
        let last = [UInt8](repeating: 0xff, count: subject.count)
        #expect(!ColumnFamily.watchers.staysWithinPrefix(last, [1]))
        #expect(ColumnFamily.watchers.staysWithinPrefix(last, KeyBytes.successor(ofPrefix: last)))
    }
}
