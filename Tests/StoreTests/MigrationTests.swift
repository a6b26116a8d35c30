import Foundation
import KasiaProtocol
import Kaspa
import Synchronization
import Testing

@testable import Store

@Suite("Migration of an older store", .timeLimit(.minutes(5)))
struct MigrationTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("store") }

    init() throws {
        directory = try TemporaryDirectory()
        try StoreRows.write(StoreRows.version(1), to: path)
    }

    /// What a store of this version holds after the history, but for the log of activity: version 1 kept none.
    private func expected() async throws -> StoreDump {
        let fixture = try StoreFixture()
        try await StoreHistory.write(to: fixture.store)
        var dump = try StoreDump(fixture.store)
        for family in Self.newFamilies { dump.rows[family] = nil }
        dump.rows[.meta]?[MetaKey.lastChange] = nil
        // Transfers of version 1 stand in no list, and go with their markers.
        dump.rows[.operationLists] = dump[.operationLists].filter { $0.key.first != OperationList.transfersTag }
        for (key, value) in dump[.transfers] {
            var transfer = try TransferRecord(
                transactionID: try #require(Hash(bytes: key)), encoded: value, network: .mainnet)
            (transfer.listed, transfer.acceptedAt) = ([], nil)
            dump.rows[.transfers]?[key] = transfer.encoded
        }
        return dump
    }

    private static let newFamilies: Set<ColumnFamily> = laterFamilies.union([.changes, .unconfirmed])
    /// Later than version 2, too.
    private static let laterFamilies: Set<ColumnFamily> = [.usedNonces, .releasedBindings]

    private func failure(readOnly: Bool = false, older: OlderStore = .migrate()) -> StoreError? {
        do {
            _ = try Store(path: path, network: .mainnet, readOnly: readOnly, older: older)
            return nil
        } catch {
            return error
        }
    }

    @Test("The fixture has rows in every column family")
    func complete() throws {
        let rows = try StoreRows.version(1)
        for family in ColumnFamily.allCases where !Self.newFamilies.contains(family) {
            #expect(!rows[family].isEmpty, "\(family)")
        }
        #expect(rows[.meta][MetaKey.schemaVersion] == [0, 0, 0, 1])
        #expect(Set(rows.dropped.keys) == Set(DroppedFamily.allCases))
    }

    @Test(
        "A migrated store of version 2 or 3 equals, row for row, what this version writes of the same history",
        arguments: [2, 3])
    func laterVersions(_ version: Int) async throws {
        let rows = try StoreRows.version(version)
        #expect(rows[.meta][MetaKey.schemaVersion] == [0, 0, 0, UInt8(version)])
        for family in ColumnFamily.allCases where !Self.laterFamilies.contains(family) {
            #expect(!rows[family].isEmpty, "\(family)")
        }
        #expect(Set(rows.dropped.keys) == (version < 3 ? Set(DroppedFamily.allCases) : []))
        let other = directory.file("a later version")
        try StoreRows.write(rows, to: other)
        let fixture = try StoreFixture()
        try await StoreHistory.write(to: fixture.store)
        let expected = try StoreDump(fixture.store)
        for _ in 0..<2 {
            let store = try Store(path: other, network: .mainnet)
            let dump = try StoreDump(store)
            #expect(dump == expected, "\(dump.differingFamilies(expected))")
            #expect(try store.checkBooks().problems == [])
        }
        // Its table of device keys is gone: nothing is opened that has it.
        #expect(try Database(path: other).dropped.isEmpty)
        // A key's last counter is its registration's now.
        let counters = try (2...3).map {
            try Store(path: other, network: .mainnet).device(Sample.id($0))?.deviceKey?.counter
        }
        #expect(counters == [2, 3])
    }

    @Test("A migrated store of version 1 equals, row for row, what this version writes of the same history")
    func equal() async throws {
        let store = try Store(path: path, network: .mainnet)
        let (dump, expected) = (try StoreDump(store), try await expected())
        #expect(dump == expected, "\(dump.differingFamilies(expected))")
        #expect(!store.isOlder)
        #expect(try store.checkBooks().problems == [])
        var found: [OperationRecord] = []
        for sender in 1...4 {
            for list in [OperationList.groupMessagesBySender, OperationList.broadcastsBySender] {
                found += try store.operations(in: list(Sample.address(sender)), limit: 50)
            }
        }
        #expect(found.count == 12)
        #expect(found.contains { $0.isReverted && $0.kind == .groupMessage })
        #expect(Set(found.map(\.kind)) == [.groupMessage, .broadcast])
    }

    @Test("What was taken out and had never been queued is known by the lists that it stands in")
    func revertedUnqueued() async throws {
        var broadcast = Sample.operation(1, kind: .broadcast, acceptedIn: 1)
        broadcast.payload = Array("ciph_msg:1:bcast:news:x".utf8)
        var seen = Sample.operation(2, kind: .broadcast)
        seen.payload = broadcast.payload
        let fixture = try StoreFixture()
        try await fixture.store.recordPending([seen])
        _ = try await fixture.store.apply(
            Sample.step(accepting: [broadcast], notifies: false, cursor: 1), now: 1, withdrawsUnsent: false)
        _ = try await fixture.store.apply(Sample.step(removed: [1], cursor: 0), now: 2, withdrawsUnsent: false)
        let after = try StoreDump(fixture.store)
        #expect(try fixture.store.operation(broadcast.transactionID)?.isReverted == true)
        // As version 1 wrote it: without the flag and without the list by sender.
        var before = after
        var row = try #require(try fixture.store.operation(broadcast.transactionID))
        row.isReverted = false
        before.rows[.operations]?[row.transactionID.bytes] = row.encoded
        let prefix = OperationList.broadcastsBySender(Sample.address(1)).prefix
        before.rows[.operationLists] = before[.operationLists].filter { !$0.key.starts(with: prefix) }
        before.rows[.meta]?[MetaKey.schemaVersion] = [0, 0, 0, 1]
        let other = directory.file("other")
        try StoreRows.write(before, to: other)
        #expect(try StoreDump(try Store(path: other, network: .mainnet)) == after)
    }

    @Test("A broadcast of an older store is listed under its channel's name as names are compared")
    func channelNames() async throws {
        var broadcast = Sample.operation(1, kind: .broadcast, acceptedIn: 1)
        broadcast.payload = Array("ciph_msg:1:bcast: News:x".utf8)
        let fixture = try StoreFixture()
        _ = try await fixture.store.apply(
            Sample.step(accepting: [broadcast], notifies: false, cursor: 1), now: 1, withdrawsUnsent: false)
        let after = try StoreDump(fixture.store)
        var before = after
        let prefix = OperationList.broadcasts(channel: Array("news".utf8)).prefix
        before.rows[.operationLists] = before[.operationLists].filter { !$0.key.starts(with: prefix) }
        #expect(before != after)
        before.rows[.meta]?[MetaKey.schemaVersion] = [0, 0, 0, 2]
        let other = directory.file("other")
        try StoreRows.write(before, to: other)
        #expect(try StoreDump(try Store(path: other, network: .mainnet)) == after)
    }

    @Test("Progress is told from the first batch to the end, and never runs backwards")
    func progress() throws {
        let told = Mutex<[MigrationProgress]>([])
        var conditions = StoreConditions()
        conditions.migrationRows = 7
        _ = try Store(
            path: path, network: .mainnet, older: .migrate { progress in told.withLock { $0.append(progress) } },
            conditions: conditions)
        let all = told.withLock { $0 }
        // Six walks by sevens: 52 operations, 3 devices, 25 totals and names, the operations again, 3 states, 23 totals and
        // names; then the end once more.
        let walks = [52, 3, 25, 52, 3, 23].flatMap { count in stride(from: 7, to: count, by: 7) + [count] }
        #expect(all.last?.rows == 158 && all.count == walks.count + 1)
        #expect(
            all.map(\.rows) == [
                0, 7, 14, 21, 28, 35, 42, 49, 52, 55, 62, 69, 76, 80, 87, 94, 101, 108, 115, 122, 129, 132, 135,
                142, 149, 156, 158,
            ])
        #expect(all.map(\.isFinished) == [Bool](repeating: false, count: walks.count) + [true])
        #expect(all.allSatisfy { $0.target == 4 && $0.unreadable == 0 })
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.percent <= $1.percent })
        #expect(all.dropLast().allSatisfy { $0.percent < 100 } && all.last?.percent == 100)
        let again = Mutex(0)
        _ = try Store(path: path, network: .mainnet, older: .migrate { _ in again.withLock { $0 += 1 } })
        #expect(again.withLock { $0 } == 0)
    }

    @Test("A batch holds as many rows as it may, whether there are one less, as many or one more", arguments: 51...53)
    func batches(_ limit: Int) async throws {
        var conditions = StoreConditions()
        conditions.migrationRows = limit
        let store = try Store(path: path, network: .mainnet, conditions: conditions)
        #expect(try StoreDump(store) == (try await expected()))
    }

    @Test("Whatever ends it, and however often, it goes on where it was", arguments: 0..<12)
    func interrupted(_ commits: Int) async throws {
        let expected = try await expected()
        var last: UInt64 = 0
        // Every opening gets through so many commits, then the disk fails.
        for attempt in 0..<60 {
            let left = Mutex(commits)
            var conditions = StoreConditions()
            conditions.migrationRows = 5
            conditions.before = { (step) throws(StoreError) in
                guard step == .commit else { return }
                let isFull = left.withLock { left in
                    left -= 1
                    return left < 0
                }
                if isFull { throw StoreError(.inputOutput, "a test's disk") }
            }
            let firstRow = Mutex<UInt64?>(nil)
            let opened = Result { () throws(StoreError) in
                try Store(
                    path: path, network: .mainnet,
                    older: .migrate { progress in firstRow.withLock { $0 = $0 ?? progress.rows } },
                    conditions: conditions)
            }
            switch opened {
            case .success(let store):
                #expect(try StoreDump(store) == expected)
                return
            case .failure(let error): #expect(error.code == .stopped)
            }
            // What was committed is not done again.
            let start = firstRow.withLock { $0 } ?? last
            #expect(start >= last)
            last = start
            // Fewer commits than the beginning and one batch get nowhere.
            if commits < 2, attempt == 3 { break }
        }
        #expect(commits < 2, "it did not come to an end")
        #expect(try StoreDump(try Store(path: path, network: .mainnet)) == expected)
    }

    @Test("Rows that it has seen may be seen again: the second time changes nothing")
    func idempotent() async throws {
        let expected = try await expected()
        for _ in 0..<2 {
            do {
                let database = try Database(path: path)
                let transaction = WriteTransaction(database)
                transaction.put(.meta, MetaKey.schemaVersion, [0, 0, 0, 1])
                try transaction.commit(synced: true)
            }
            #expect(try StoreDump(try Store(path: path, network: .mainnet)) == expected)
        }
    }

    @Test("It is refused where it is only read or not wanted, before it begins and half-way, and nothing changes")
    func refused() throws {
        for _ in 0..<2 {
            let before = try StoreDump(try Database(path: path))
            for (readOnly, older) in [(true, OlderStore.migrate()), (true, .refuse), (false, .refuse)] {
                let error = try #require(failure(readOnly: readOnly, older: older))
                #expect(error.code == .olderSchema)
                #expect(error.message.contains("start this version's service once"))
            }
            for readOnly in [true, false] {
                let store = try Store(path: path, network: .mainnet, readOnly: readOnly, older: .keep)
                #expect(store.isOlder)
                #expect(try store.totals().devices == 3)
            }
            #expect(try StoreDump(try Database(path: path)) == before)
            try interruptAfterOneBatch()
        }
    }

    /// Leaves the store half migrated.
    private func interruptAfterOneBatch() throws {
        // The beginning and one batch.
        let left = Mutex(2)
        var conditions = StoreConditions()
        conditions.migrationRows = 5
        conditions.before = { (step) throws(StoreError) in
            let isOver = left.withLock { left in
                if step == .commit { left -= 1 }
                return left < 0
            }
            if isOver { throw StoreError(.inputOutput, "a test's disk") }
        }
        do {
            _ = try Store(path: path, network: .mainnet, conditions: conditions)
            Issue.record("the migration was not interrupted")
        } catch {
            #expect(error.code == .stopped)
        }
    }

    @Test("An older program refuses a store whose migration has begun")
    func begun() throws {
        try interruptAfterOneBatch()
        let dump = try StoreDump(try Database(path: path))
        #expect(dump[.meta][MetaKey.schemaVersion] == [0, 0, 0, 4])
        let place = try MigrationPlace(encoded: try #require(dump[.meta][MetaKey.migration]))
        #expect(place.rows == 5 && place.walk == 0 && place.lastKey == dump.keys(.operations)[4])
    }

    @Test("Without space it waits for the operator, and then goes on")
    func lowSpace() async throws {
        var conditions = StoreConditions()
        conditions.freeBytes = { _ in 999 }
        var limits = StoreLimits()
        limits.minimumFreeBytes = 1_000
        do {
            _ = try Store(path: path, network: .mainnet, limits: limits, conditions: conditions)
            Issue.record("it was migrated without space")
        } catch {
            #expect(error.code == .lowSpace)
        }
        conditions.freeBytes = { _ in 1_000 }
        let store = try Store(path: path, network: .mainnet, limits: limits, conditions: conditions)
        #expect(try StoreDump(store) == (try await expected()))
    }

    @Test("A row that cannot be read is counted and left as it is")
    func unreadable() throws {
        let rows = try StoreRows.version(1)
        let damaged = rows.keys(.operations)[3]
        do {
            let transaction = WriteTransaction(try Database(path: path))
            transaction.put(.operations, damaged, [1, 2, 3])
            try transaction.commit(synced: true)
        }
        let told = Mutex<MigrationProgress?>(nil)
        let store = try Store(
            path: path, network: .mainnet, older: .migrate { progress in told.withLock { $0 = progress } })
        let progress = told.withLock { $0 }
        #expect(progress?.unreadable == 1 && progress?.rows == 158)
        #expect(try StoreDump(store)[.operations][damaged] == [1, 2, 3])
    }

    @Test("Another network's store is refused before anything is migrated")
    func otherNetwork() throws {
        #expect(throws: StoreError.self) { try Store(path: path, network: .testnet(10)) }
        #expect(try StoreDump(try Database(path: path)) == StoreRows.version(1).withoutDropped)
    }

    @Test("A place that is none is corrupt")
    func damagedPlace() throws {
        var place = MigrationPlace(walk: 0)
        place.lastKey = [1, 2]
        place.rows = 3
        #expect(try MigrationPlace(encoded: place.encoded) == place)
        let zero = "0000000000000000"
        #expect(Hex.encode(place.encoded) == "00000000" + "01" + "000000020102" + "0000000000000003" + zero)
        for bytes in [MigrationPlace(walk: SchemaMigration.all.count).encoded, [], Array(place.encoded.dropLast())] {
            #expect(throws: StoreError.self) { try MigrationPlace(encoded: bytes) }
        }
    }
}
