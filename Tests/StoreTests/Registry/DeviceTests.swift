import Kaspa
import StoreSupport
import Testing

@testable import Store

@Suite("Registrations")
struct DeviceTests {
    private let fixture: StoreFixture
    private var store: Store { fixture.store }
    private let id = Sample.id(1)

    init() throws { fixture = try StoreFixture() }

    /// What the index says about a device.
    private func watched(by id: DeviceID) throws -> Set<[UInt8]> {
        Set(
            try StoreDump(store).keys(.watchers).filter { $0.suffix(16).elementsEqual(id.bytes) }
                .map { Array($0.dropLast(16)) })
    }

    private func keys(_ keys: [WatchKey]) -> Set<[UInt8]> { Set(keys.map(store.database.watchIndexKey)) }

    @Test("A registration is in the index under each address, group and its primary address, once")
    func create() async throws {
        let group = [UInt8](repeating: 9, count: 32)
        let device = Sample.device(
            1, watching: [Sample.address(1), Sample.address(2), Sample.address(1)], primary: Sample.address(1),
            groups: [group])
        try await fixture.register(device)
        #expect(try await store.registry.device(id) == device)
        #expect(
            try watched(by: id)
                == keys([
                    .address(Sample.address(1)), .address(Sample.address(2)), .primary(Sample.address(1)),
                    .inbox(Sample.address(1).inboxTag), .group(group),
                ]))
        #expect(try await store.totals() == .init(devices: 1, watchEntries: 5, deliveries: 0, events: 0))
        var expected = DeviceState()
        expected.isAccepted = true
        #expect(try await store.outbox.deviceState(id) == expected)
    }

    @Test("A renewal writes only what changed in the index, continues createdAt and forgets strikes")
    func renew() async throws {
        _ = try await fixture.deviceWithDeliveries(2)
        let place = try #require(try await fixture.place(id))
        _ = try await store.outbox.settle(
            [
                Settlement(
                    key: place, transactionID: Sample.transaction(1), next: .retry(at: 8_000, omitsPayload: false),
                    effect: .strike(limit: 9, mayRemove: true))
            ], now: 7_000)
        let before = try await store.outbox.deviceState(id)
        #expect(before.strikes == 1)
        try await store.registry.upsertDevice(id) { old in
            #expect(old?.createdAt == 1_000)
            return Sample.device(
                1, watching: [Sample.address(2), Sample.address(3)], primary: Sample.address(4), at: 8_000)
        }
        #expect(
            try watched(by: id)
                == keys([
                    .address(Sample.address(2)), .address(Sample.address(3)), .primary(Sample.address(4)),
                    .inbox(Sample.address(4).inboxTag),
                ]))
        let renewed = try #require(try await store.registry.device(id))
        #expect(renewed.createdAt == 1_000 && renewed.lastSeen == 8_000)
        var expected = before
        expected.strikes = 0
        // Numbering and what waits go on.
        #expect(try await store.outbox.deviceState(id) == expected)
        #expect(try await store.totals() == .init(devices: 1, watchEntries: 4, deliveries: 2, events: 0))
    }

    @Test("The same registration twice changes nothing")
    func same() async throws {
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)]))
        let dump = try StoreDump(store)
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)]))
        #expect(try StoreDump(store) == dump)
    }

    @Test("After an unregister no family holds the device or its token, and others keep theirs")
    func remove() async throws {
        try await fixture.register(Sample.device(2, watching: [Sample.address(1), Sample.address(2)]))
        let alone = try StoreDump(store)
        _ = try await fixture.deviceWithDeliveries(3)
        let tried = Settlement(
            key: try #require(try await fixture.place(id)), transactionID: Sample.transaction(1),
            next: .retry(at: 9_000, omitsPayload: false))
        _ = try await store.outbox.settle([tried], now: 7_000)
        #expect(try StoreDump(store).families(containing: id.bytes).count == 7)
        #expect(try StoreDump(store).families(containing: Sample.token(1)) == ["devices"])
        #expect(try await store.registry.removeDevice(id) == 3)
        let dump = try StoreDump(store)
        #expect(dump.families(containing: id.bytes) == [])
        #expect(dump.families(containing: Sample.token(1)) == [])
        #expect(dump[.devices] == alone[.devices])
        #expect(dump[.watchers] == alone[.watchers])
        #expect(try await store.totals() == .init(devices: 1, watchEntries: 2, deliveries: 3, events: 0))
        #expect(try await store.registry.removeDevice(id) == nil)
        #expect(try StoreDump(store) == dump)
    }

    @Test("A device that comes back is new: createdAt begins again and deliveries are numbered from 1")
    func comesBack() async throws {
        _ = try await fixture.deviceWithDeliveries(2)
        try await store.registry.removeDevice(id)
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)], at: 50_000))
        #expect(try await store.registry.device(id)?.createdAt == 50_000)
        try await fixture.accept(3)
        try await fixture.fanOut(event: 3)
        #expect(try await store.outbox.deliveries(of: id, limit: 10).map(\.seq) == [1])
        #expect(try fixture.schedule().count == 1)
    }

    @Test("Watchers are listed in order after a device, up to a limit, and only those of the key")
    func watchers() async throws {
        for number in 1...5 {
            try await fixture.register(Sample.device(number, watching: [Sample.address(1)], primary: Sample.address(2)))
        }
        let all = (1...5).map { Sample.id($0) }.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        let key = WatchKey.address(Sample.address(1))
        for limit in [0, 1, 4, 5, 6] {
            #expect(try await store.registry.watchers(key, limit: limit) == Array(all.prefix(limit)))
            #expect(try await store.registry.watcherCount(key, limit: limit) == min(5, limit))
        }
        for index in all.indices {
            #expect(try await store.registry.watchers(key, after: all[index], limit: 9) == Array(all[(index + 1)...]))
        }
        #expect(try await store.registry.watcherCount(.primary(Sample.address(1)), limit: 9) == 0)
        #expect(try await store.registry.watcherCount(.address(Sample.address(2)), limit: 9) == 0)
        #expect(try await store.registry.watcherCount(.primary(Sample.address(2)), limit: 9) == 5)
    }

    @Test("Keys of one subject never run into the next: equal payloads of both key kinds stay apart")
    func neighbours() async throws {
        let schnorr = try #require(
            Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 0xff, count: 32)))
        let ecdsa = try #require(Address(prefix: .kaspa, version: .ecdsa, payload: [UInt8](repeating: 0xff, count: 33)))
        let zeros = try #require(Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 0, count: 32)))
        for (number, address) in [(1, schnorr), (2, ecdsa), (3, zeros)] {
            try await fixture.register(Sample.device(number, watching: [address], primary: address))
        }
        for (number, address) in [(1, schnorr), (2, ecdsa), (3, zeros)] {
            #expect(try await store.registry.watchers(.address(address), limit: 9) == [Sample.id(number)])
            #expect(try await store.registry.watchers(.primary(address), limit: 9) == [Sample.id(number)])
        }
    }

    @Test(
        "A watch entry that is not 51 bytes long is corrupt",
        .rocksDBAlone("PostgreSQL's columns have one length"))
    func damagedIndex() async throws {
        let key = WatchKey.address(Sample.address(1))
        for suffix in [[], [1], [UInt8](repeating: 1, count: 15), [UInt8](repeating: 1, count: 17)] as [[UInt8]] {
            try await store.write { (transaction) throws(StoreError) in
                transaction.put(.watchers, key.bytes + suffix, [])
            }
            let error = await #expect(throws: StoreError.self) { try await store.registry.watchers(key, limit: 9) }
            #expect(error?.code == .corrupt)
            try await store.clear()
        }
    }
}
