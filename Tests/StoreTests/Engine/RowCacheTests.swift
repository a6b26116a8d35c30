import Kaspa
import Synchronization
import Testing

@testable import Store

@Suite("Rows kept beside RocksDB", .rocksDBAlone("both engines have the same cache"))
struct RowCacheTests {
    /// A row of a delivery of its own, with five bytes.
    private static let cost = RowCache.deviceOverhead + RowCache.deliveryOverhead + RowCache.rowOverhead + 5
    private static let generationCost = 3 + 5 + RowCache.operationOverhead

    private static func key(_ device: Int, _ seq: UInt64 = 1) -> [UInt8] { Delivery.key(Sample.id(device), seq) }

    private func commit(_ rows: RowCache, _ family: ColumnFamily, _ writes: [[UInt8]: [UInt8]?]) {
        let writes = writes.map { RowWrite(RowKey($0.key), $0.value) }
        rows.commit({ $0 == family ? writes : [] }, read: [:])
    }

    @Test("A row is kept if it fits, to the byte", arguments: [-1, 0, 1])
    func capacity(_ more: Int) {
        let rows = RowCache(capacity: 2 * Self.cost + more)
        commit(rows, .deliveries, [Self.key(1): [1, 1, 1, 1, 1]])
        commit(rows, .deliveries, [Self.key(2): [2, 2, 2, 2, 2]])
        #expect(rows.get(.deliveries, Self.key(1)) == [1, 1, 1, 1, 1])
        let second: [UInt8]? = more < 0 ? nil : [2, 2, 2, 2, 2]
        #expect(rows.get(.deliveries, Self.key(2)) == second)
        #expect(rows.bytes == (more < 0 ? 1 : 2) * Self.cost)
    }

    @Test("A new row that does not fit takes the old one away, and what goes leaves its room", arguments: [-1, 0, 1])
    func growth(_ more: Int) {
        let rows = RowCache(capacity: Self.cost + 1 + more)
        commit(rows, .deliveries, [Self.key(1): [1, 1, 1, 1, 1]])
        commit(rows, .deliveries, [Self.key(1): [2, 2, 2, 2, 2, 2]])
        let grown: [UInt8]? = more < 0 ? nil : [2, 2, 2, 2, 2, 2]
        #expect(rows.get(.deliveries, Self.key(1)) == grown)
        commit(rows, .deliveries, [Self.key(1): nil])
        #expect(rows.get(.deliveries, Self.key(1)) == nil && rows.bytes == 0)
        commit(rows, .deliveries, [Self.key(7): [3]])
        #expect(rows.get(.deliveries, Self.key(7)) == [3])
    }

    @Test(
        "A state, a target and a log row are kept if they fit, to the byte, and take nothing else away",
        arguments: [-1, 0, 1])
    func eachPart(_ more: Int) throws {
        var state = DeviceState()
        state.begin(DeviceState.Scheduled(seq: 1, due: 5, lane: .ordinary), rest: 0)
        let device = Sample.device(1, watching: [Sample.address(1)])
        let event = PushEvent(
            number: 1, transactionID: Sample.transaction(1), kind: .payment, sender: nil, receiver: nil, amount: 1,
            blockTime: 2, acceptance: Sample.acceptance(1), queuedAt: 3)
        let log = DeliveryLogEntry(Delivery(device: device.id, seq: 1, event: event, expiresAt: 9)).encoded
        let stateCost = RowCache.rowOverhead + state.encoded.count
        let targetCost = RowCache.rowOverhead + device.token.count
        func commitState(_ rows: RowCache) {
            rows.commit(
                { $0 == .deviceStates ? [(RowKey(device.id.bytes), state.encoded)] : [] },
                read: [RowKey(device.id.bytes): device.encoded])
        }
        var rows = RowCache(capacity: Self.cost + stateCost + targetCost + more)
        commit(rows, .deliveries, [Self.key(1): [1, 1, 1, 1, 1]])
        commitState(rows)
        #expect((rows.due(device.id, 1) != nil) == (more >= 0))
        #expect(rows.due(device.id, 1)?.target == (more < 0 ? nil : try DeviceTarget(encoded: device.encoded)))
        #expect((rows.get(.deviceStates, device.id.bytes) != nil) == (more >= 0))
        #expect(rows.get(.deliveries, Self.key(1)) == [1, 1, 1, 1, 1])
        rows = RowCache(capacity: Self.cost + RowCache.rowOverhead + log.count + more)
        commit(rows, .deliveries, [Self.key(1): [1, 1, 1, 1, 1]])
        commit(rows, .deliveryLog, [Self.key(1): log])
        #expect(rows.get(.deliveryLog, Self.key(1)) == (more < 0 ? nil : log))
        #expect(rows.get(.deliveries, Self.key(1)) == [1, 1, 1, 1, 1])
        commit(rows, .deliveries, [Self.key(1): nil])
        #expect(rows.get(.deliveryLog, Self.key(1)) == nil && rows.bytes == 0)
    }

    @Test("Of one device's deliveries each is found under its number, in whatever order they came and went")
    func numbers() {
        let rows = RowCache()
        for seq in [3, 1, 2, 9] as [UInt64] { commit(rows, .deliveries, [Self.key(1, seq): [UInt8(seq)]]) }
        for seq in [2, 7] as [UInt64] { commit(rows, .deliveries, [Self.key(1, seq): nil]) }
        for seq in 0...10 as ClosedRange<UInt64> {
            let row: [UInt8]? = [1, 3, 9].contains(seq) ? [UInt8(seq)] : nil
            #expect(rows.get(.deliveries, Self.key(1, seq)) == row)
            #expect(rows.get(.deliveries, Self.key(2, seq)) == nil)
        }
        #expect(rows.rows(of: .deliveries).count == 3)
        #expect(rows.get(.deliveries, Self.key(1, 1) + [0]) == nil)
        #expect(rows.get(.deliveries, Sample.id(1).bytes) == nil)
    }

    @Test("Other families are not kept, nor rows that do not say that something waits")
    func families() {
        let rows = RowCache()
        for family in ColumnFamily.allCases {
            commit(rows, family, [Self.key(1): [1]])
            #expect((rows.get(family, Self.key(1)) != nil) == (family == .deliveries), "\(family)")
            commit(rows, .deliveries, [Self.key(1): nil])
            commit(rows, family, [Sample.id(1).bytes: [1]])
            #expect(rows.get(family, Sample.id(1).bytes) == nil && (family == .meta || rows.bytes == 0), "\(family)")
        }
    }

    @Test("All rows of meta are kept, whatever the capacity, from the opening on and as they were written last")
    func meta() async throws {
        var conditions = StoreConditions()
        conditions.rowCacheBytes = 0
        let fixture = try StoreFixture(conditions: conditions)
        let name = Array("count_anything".utf8)
        for value in [[1], [2]] as [[UInt8]] {
            try await fixture.store.write { $0.put(.meta, name, value) }
            #expect(fixture.store.database.rowCache.meta(name) == value)
        }
        await #expect(throws: StoreError.self) {
            try await fixture.store.write { (transaction) throws(StoreError) in
                transaction.put(.meta, name, [3])
                throw StoreError(.corrupt, "a damaged row")
            }
        }
        #expect(fixture.store.database.rowCache.meta(name) == [2])
        try await fixture.store.sync()
        let reader = try Store(path: fixture.path, network: .mainnet, readOnly: true, conditions: conditions)
        #expect(reader.database.rowCache.rows(of: .meta) == fixture.store.database.rowCache.rows(of: .meta))
        #expect(reader.database.rowCache.meta(name) == [2] && reader.database.rowCache.bytes == 0)
        try await fixture.store.write { $0.delete(.meta, name) }
        #expect(try fixture.store.database.get(.meta, name) == nil)
    }

    @Test("The cursor, the last event's number and that no event is newer are answered without a read")
    func answeredFromMemory() async throws {
        let reads = Mutex(0)
        let fixture = try StoreFixture(
            conditions: StoreConditions(before: { step in if step == .read { reads.withLock { $0 += 1 } } }))
        try await fixture.accept(1)
        let before = reads.withLock { $0 }
        #expect(try await fixture.store.history.cursor()?.blueScore == Sample.cursor(1).blueScore)
        #expect(try await fixture.store.outbox.lastEventNumber() == 1)
        for number in [1, 2] as [UInt64] {
            let fresh = try await fixture.store.outbox.freshEvents(after: number, limit: 1, reading: 1)
            #expect(fresh.events.isEmpty && fresh.end == nil && !fresh.hasMore)
        }
        #expect(reads.withLock { $0 } == before)
        let fresh = try await fixture.store.outbox.freshEvents(after: 0, limit: 1, reading: 1)
        #expect(fresh.events.map(\.number) == [1] && reads.withLock { $0 } > before)
    }

    @Test(
        "What is to be sent is answered without a read, unless one of its rows is not in memory",
        arguments: [0, 1 << 20])
    func dueFromMemory(_ capacity: Int) async throws {
        let reads = Mutex(0)
        var conditions = StoreConditions(before: { step in if step == .read { reads.withLock { $0 += 1 } } })
        conditions.rowCacheBytes = capacity
        let fixture = try StoreFixture(conditions: conditions)
        let device = try await fixture.deviceWithDeliveries(1)
        let place = try #require(try await fixture.place(device))
        let gone = ScheduleKey(lane: place.lane, due: place.due + 1, device: device, seq: place.seq)
        let before = reads.withLock { $0 }
        let due = try await fixture.store.outbox.dueDeliveries([place, gone])
        #expect((reads.withLock { $0 } == before) == (capacity > 0))
        #expect(try due.map { try $0.get()?.delivery.seq } == [1, nil])
        #expect(try due[0].get()?.device != nil && due[0].get()?.payload != nil)
        #expect(try await fixture.store.outbox.dueDeliveries([]).isEmpty)
    }

    @Test("A delivery's rows are kept until its device has nothing waiting, and a transaction that fails changes none")
    func lifetime() async throws {
        let fixture = try StoreFixture()
        let rows = fixture.store.database.rowCache
        let device = try await fixture.deviceWithDeliveries(2)
        for seq in [1, 2] as [UInt64] {
            #expect(rows.due(device, seq) != nil)
            let tried = Settlement(
                key: try #require(try await fixture.place(device)), transactionID: Sample.transaction(Int(seq)),
                next: .retry(at: 6_000, omitsPayload: false))
            _ = try await fixture.store.outbox.settle([tried], now: 6_000)
            #expect(rows.get(.deliveryLog, Delivery.key(device, seq)) != nil)
            let place = try #require(try await fixture.place(device))
            let settlement = Settlement(key: place, transactionID: Sample.transaction(Int(seq)), next: .done)
            await #expect(throws: StoreError.self) {
                try await fixture.store.write { (transaction) throws(StoreError) in
                    transaction.delete(.deliveries, Delivery.key(device, seq))
                    throw StoreError(.corrupt, "a damaged row")
                }
            }
            #expect(rows.due(device, seq) != nil)
            _ = try await fixture.store.outbox.settle([settlement], now: 7_000)
            #expect(rows.due(device, seq) == nil)
            #expect(rows.get(.deliveryLog, Delivery.key(device, seq)) == nil)
        }
        for family in [.deliveries, .deliveryLog, .deviceStates] as [ColumnFamily] {
            #expect(rows.rows(of: family).isEmpty, "\(family)")
        }
        #expect(rows.targets.isEmpty)
    }

    @Test("An operation is at hand until its first delivery has ended, and as it was written last")
    func operations() async throws {
        let fixture = try StoreFixture()
        let rows = fixture.store.database.rowCache
        let device = try await fixture.deviceWithDeliveries(2)
        for seq in [1, 2] as [UInt64] {
            let transaction = Sample.transaction(Int(seq))
            let row = try #require(rows.get(.operations, transaction.bytes))
            #expect(try fixture.store.database.get(.operations, transaction.bytes) == row)
            let place = try #require(try await fixture.place(device))
            let settlement = Settlement(key: place, transactionID: transaction, next: .done)
            _ = try await fixture.store.outbox.settle([settlement], now: 7_000)
            #expect(rows.get(.operations, transaction.bytes) == nil)
            #expect(try fixture.store.database.get(.operations, transaction.bytes) == row)
        }
    }

    @Test("An operation that nobody is told of is at hand until its event has ended")
    func untold() async throws {
        let fixture = try StoreFixture()
        let rows = fixture.store.database.rowCache
        let (id, before) = (Sample.transaction(1).bytes, rows.bytes)
        try await fixture.accept(1)
        #expect(rows.get(.operations, id) != nil)
        try await fixture.fanOut(event: 1)
        #expect(rows.get(.operations, id) == nil)
        #expect(rows.bytes == before)
        #expect(try fixture.store.database.get(.operations, id) != nil)
    }

    @Test("Of operations those are kept that become events, as long as nothing else writes them")
    func events() {
        let rows = RowCache()
        let (told, untold) = (Sample.transaction(1).bytes, Sample.transaction(2).bytes)
        let event: [UInt8] = told + [1]
        rows.commit(
            { family in
                switch family {
                case .operations: [(RowKey(told), [1]), (RowKey(untold), [2])]
                case .events: [(RowKey([7]), event)]
                default: []
                }
            }, read: [:])
        #expect(rows.get(.operations, told) == [1])
        #expect(rows.get(.operations, untold) == nil)
        commit(rows, .operations, [told: [3]])
        #expect(rows.get(.operations, told) == nil)
    }

    @Test("Of two generations the older one goes when the younger is full, to the byte", arguments: [-1, 0, 1])
    func generations(_ more: Int) {
        var recent = RecentRows(capacity: 2 * (2 * Self.generationCost + more))
        let keys = (0..<5).map { RowKey([UInt8($0), 2, 3]) }
        func kept() -> [Int] { keys.indices.filter { recent[keys[$0]] != nil } }
        for (index, key) in keys.enumerated() {
            recent.set(key, Array(repeating: UInt8(index), count: 5))
            #expect(recent[key] == Array(repeating: UInt8(index), count: 5))
        }
        // A generation holds two, or one if there is a byte too little.
        #expect(kept() == (more < 0 ? [3, 4] : [2, 3, 4]))
        recent.set(keys[3], nil)
        #expect(kept() == (more < 0 ? [4] : [2, 4]))
        recent.set(keys[4], [9])
        #expect(recent[keys[4]] == [9])
        recent.set(keys[0], Array(repeating: 0, count: 2 * Self.generationCost + more))
        #expect(recent[keys[0]] == nil)
    }

    @Test("A device that registers again while something waits is sent to as it is now")
    func registration() async throws {
        let fixture = try StoreFixture()
        let device = try await fixture.deviceWithDeliveries(1)
        let place = try #require(try await fixture.place(device))
        #expect(try fixture.store.outbox.dueDelivery(place)?.device?.payloadFormat == nil)
        var record = Sample.device(1, watching: [Sample.address(1)])
        record.payloadFormat = .kachat
        try await fixture.register(record)
        #expect(fixture.store.database.rowCache.due(device, place.seq) != nil)
        #expect(try fixture.store.outbox.dueDelivery(place)?.device?.payloadFormat == .kachat)
        try await fixture.store.registry.removeDevice(device)
        #expect(try fixture.store.outbox.dueDelivery(place) == nil)
        #expect(fixture.store.database.rowCache.due(device, place.seq) == nil)
    }

    @Test("What is to be sent is read alike from rows that are kept and from those of an earlier run")
    func reopened() async throws {
        let fixture = try StoreFixture()
        let device = try await fixture.deviceWithDeliveries(1)
        let place = try #require(try await fixture.place(device))
        let kept = try #require(try fixture.store.outbox.dueDelivery(place))
        try await fixture.store.sync()
        let reader = try Store(path: fixture.path, network: .mainnet, readOnly: true)
        #expect(reader.database.rowCache.due(device, place.seq) == nil)
        let read = try #require(try reader.outbox.dueDelivery(place))
        #expect(kept.delivery == read.delivery && kept.device == read.device && kept.payload == read.payload)
        #expect(kept.wasTold == read.wasTold && kept.device != nil && kept.payload != nil)
    }
}
