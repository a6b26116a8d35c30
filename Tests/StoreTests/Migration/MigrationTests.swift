import Foundation
import KasiaProtocol
import Kaspa
import SampleOperations
import StoreSupport
import Synchronization
import Testing

@testable import Store

@Suite("Migration of an older store", .rocksDBAlone("only RocksDB has had older versions"), .timeLimit(.minutes(5)))
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
        return try Self.withRowsOfWaiting(dump)
    }

    /// Before version 8, what waits had a row in the log.
    private static func withRowsOfWaiting(_ dump: StoreDump) throws -> StoreDump {
        var dump = dump
        for (key, value) in dump[.deliveries] where dump[.deliveryLog][key] == nil {
            let place = try #require(Delivery.place(ofKey: key))
            let delivery = try Delivery(device: place.device, seq: place.seq, encoded: value, network: .mainnet)
            dump.rows[.deliveryLog, default: [:]][key] = DeliveryLogEntry(delivery).encoded
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
        "A migrated store of version 2 to 4 equals, row for row, what this version writes of the same history",
        arguments: 2...4)
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
        let expected = try Self.withRowsOfWaiting(StoreDump(fixture.store))
        for _ in 0..<2 {
            let store = try Store(path: other, network: .mainnet)
            let dump = try StoreDump(store)
            #expect(dump == expected, "\(dump.differingFamilies(expected))")
            #expect(try store.checkBooks().problems == [])
        }
        // Its table of device keys is gone: nothing is opened that has it.
        #expect(try Database(path: other).dropped.isEmpty)
        // A key's last counter is its registration's now.
        let migrated = try Store(path: other, network: .mainnet)
        var counters: [UInt64?] = []
        for number in 2...3 {
            counters.append(try await migrated.registry.device(Sample.id(number))?.deviceKey?.counter)
        }
        #expect(counters == [2, 3])
    }

    @Test(
        "Versions 5 to 8 have today's rows: such a store needs no walk, also with the place that version 6 left behind",
        arguments: [5, 6, 7, 8], [false, true])
    func withoutWalks(_ version: UInt8, hasPlace: Bool) async throws {
        let fixture = try StoreFixture()
        try await StoreHistory.write(to: fixture.store)
        let expected = try Self.withRowsOfWaiting(StoreDump(fixture.store))
        var before = expected
        before.rows[.meta]?[MetaKey.schemaVersion] = [0, 0, 0, version]
        if hasPlace {
            before.rows[.meta]?[MetaKey.migration] = MigrationPlace(walk: SchemaMigration.all.count).encoded
        }
        let other = directory.file("other")
        try StoreRows.write(before, to: other)
        let told = Mutex<[MigrationProgress]>([])
        for _ in 0..<3 {
            let store = try Store(
                path: other, network: .mainnet, older: .migrate { progress in told.withLock { $0.append(progress) } })
            #expect(try StoreDump(store) == expected)
            #expect(try store.checkBooks().problems == [])
        }
        let all = told.withLock { $0 }
        #expect(all.map(\.isFinished) == [true] && all.map(\.rows) == [0] && all.map(\.target) == [9])
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
                found += try await store.history.operations(in: list(Sample.address(sender)), limit: 50)
            }
        }
        #expect(found.count == 12)
        #expect(found.contains { $0.isReverted && $0.kind == .groupMessage })
        #expect(Set(found.map(\.kind)) == [.groupMessage, .broadcast])
    }

    @Test("What was taken out and had never been queued is known by the lists that it stands in")
    func revertedUnqueued() async throws {
        let payload = Array("ciph_msg:1:bcast:news:x".utf8)
        let broadcast = Sample.operation(1, kind: .broadcast, acceptedIn: 1).with(payload: payload)
        let seen = Sample.operation(2, kind: .broadcast).with(payload: payload)
        let fixture = try StoreFixture()
        try await fixture.store.history.recordPending([seen])
        _ = try await fixture.store.history.apply(
            Sample.step(accepting: [broadcast], notifies: false, cursor: 1), now: 1, withdrawsUnsent: false)
        _ = try await fixture.store.history.apply(Sample.step(removed: [1], cursor: 0), now: 2, withdrawsUnsent: false)
        let after = try StoreDump(fixture.store)
        #expect(try await fixture.store.history.operation(broadcast.transactionID)?.isReverted == true)
        // As version 1 wrote it: without the flag and without the list by sender.
        var before = after
        var row = try #require(try await fixture.store.history.operation(broadcast.transactionID))
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
        let broadcast = Sample.operation(1, kind: .broadcast, acceptedIn: 1).with(
            payload: Array("ciph_msg:1:bcast: News:x".utf8))
        let fixture = try StoreFixture()
        _ = try await fixture.store.history.apply(
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

    /// A store whose operations and events are as version 4 wrote them: without what the payloads say.
    private static func versionFour(of dump: StoreDump) throws -> StoreDump {
        var before = dump
        for (key, value) in dump[.operations] {
            let operation = try OperationRecord(
                transactionID: try #require(Hash(bytes: key)), encoded: value, network: .mainnet)
            var parsed = ByteWriter()
            parsed.write(operation.parsed)
            before.rows[.operations]?[key] = Array(value.dropLast(parsed.bytes.count))
        }
        for (key, value) in dump[.events] {
            let event = try PushEvent(number: 0, encoded: value, network: .mainnet)
            var subject = ByteWriter()
            subject.write(event.subject, of: event.kind)
            before.rows[.events]?[key] = Array(value.dropLast(subject.bytes.count))
        }
        before.rows[.meta]?[MetaKey.schemaVersion] = [0, 0, 0, 4]
        return before
    }

    private static let payloads: [(kind: OperationKind, text: String)] = [
        (.handshake, "kchat:older"), (.payment, "kchat:1:pay:"), (.contextualMessage, "kchat:1:comm:tea:x"),
        (.contextualMessage, "kchat:1:dm:\(Hex.encode(Sample.address(1).inboxTag)):tea:x"),
        (.contextualMessage, "kchat:1:comm:\(String(repeating: "a", count: 65)):x"),
        (.selfStash, "kchat:1:self_stash:box:x"),
        (.groupControl, "kchat:1:gctl:\(String(repeating: "7", count: 64)):ab"),
        (.groupControl, "kchat:1:gctl:ab"), (.broadcast, "kchat:1:bcast: News:{\"type\":\"edit\"}"),
        (.broadcast, "kchat:1:bcast:a b:x"),
    ]

    @Test("Operations and waiting events of version 4 say after it what this version writes of the same payloads")
    func payloads() async throws {
        let fixture = try StoreFixture()
        let operations = Self.payloads.enumerated().map { number, payload in
            Sample.operation(number + 1, kind: payload.kind, receiver: Sample.address(2), acceptedIn: 1)
                .with(payload: Array(payload.text.utf8))
        }
        try await fixture.store.history.recordPending([
            Sample.operation(99, kind: .groupControl).with(payload: Array(Self.payloads[6].text.utf8))
        ])
        _ = try await fixture.store.history.apply(
            Sample.step(accepting: operations, cursor: 1), now: 1, withdrawsUnsent: false)
        let after = try StoreDump(fixture.store)
        #expect(after[.events].count == Self.payloads.count)
        let before = try Self.versionFour(of: after)
        #expect(before[.operations] != after[.operations] && before[.events] != after[.events])
        let other = directory.file("other")
        try StoreRows.write(before, to: other)
        let store = try Store(path: other, network: .mainnet)
        #expect(try StoreDump(store) == after)
        #expect(try store.checkBooks().problems == [])
        let subjects = try await store.outbox.events(after: 0, limit: 99).map(\.subject)
        #expect(
            subjects.map { $0.alias.map { String(decoding: $0, as: UTF8.self) } } == [
                nil, nil, "tea", "tea", nil, nil, nil, nil, nil, nil,
            ])
        #expect(subjects[3].inboxTag == Sample.address(1).inboxTag)
        #expect(subjects.map(\.channel) == [nil, nil, nil, nil, nil, nil, nil, nil, "news", nil])
        #expect(subjects[8].form == .edit && subjects[9].form == .text)
    }

    @Test("An event whose operation is gone, or cannot be read, says nothing of it; a payload that is none stays")
    func withoutOperation() async throws {
        let fixture = try StoreFixture()
        let operations = (1...3).map { Sample.operation($0, acceptedIn: 1) }
        _ = try await fixture.store.history.apply(
            Sample.step(accepting: operations, cursor: 1), now: 1, withdrawsUnsent: false)
        var before = try Self.versionFour(of: try StoreDump(fixture.store))
        before.rows[.operations]?[Sample.transaction(1).bytes] = nil
        before.rows[.operations]?[Sample.transaction(2).bytes] = [1, 2, 3]
        // No grammar reads this, and so it stood in no list.
        let foreign = operations[2].with(payload: [1, 2, 3])
        var parsed = ByteWriter()
        parsed.write(foreign.parsed)
        before.rows[.operations]?[foreign.transactionID.bytes] = Array(foreign.encoded.dropLast(parsed.bytes.count))
        let other = directory.file("other")
        try StoreRows.write(before, to: other)
        let store = try Store(path: other, network: .mainnet)
        #expect(
            try await store.outbox.events(after: 0, limit: 9).map(\.subject)
                == [PushSubject](repeating: .init(), count: 3))
        let kept = try await store.history.operation(foreign.transactionID)
        #expect(kept?.payload == [1, 2, 3] && kept?.parsed.body == 3..<3 && kept?.parsed.alias == nil)
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
        // Eight walks by sevens: 52 operations, 3 devices, 25 totals and names, the operations again, 3 states, 23 totals
        // and names, the operations once more, 3 events; then the end once more.
        let walks = [52, 3, 25, 52, 3, 23, 52, 3].flatMap { count in stride(from: 7, to: count, by: 7) + [count] }
        #expect(all.last?.rows == 213 && all.count == walks.count + 1)
        #expect(
            all.map(\.rows) == [
                0, 7, 14, 21, 28, 35, 42, 49, 52, 55, 62, 69, 76, 80, 87, 94, 101, 108, 115, 122, 129, 132, 135,
                142, 149, 156, 158, 165, 172, 179, 186, 193, 200, 207, 210, 213,
            ])
        #expect(all.map(\.isFinished) == [Bool](repeating: false, count: walks.count) + [true])
        #expect(all.allSatisfy { $0.target == 9 && $0.unreadable == 0 })
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
    func refused() async throws {
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
                #expect(try await store.totals().devices == 3)
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
        #expect(dump[.meta][MetaKey.schemaVersion] == [0, 0, 0, 9])
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
        // Two walks look at all of it.
        #expect(progress?.unreadable == 2 && progress?.rows == 213)
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
        for bytes in [
            MigrationPlace(walk: SchemaMigration.all.count + 1).encoded, [], Array(place.encoded.dropLast()),
        ] {
            #expect(throws: StoreError.self) { try MigrationPlace(encoded: bytes) }
        }
    }
}
