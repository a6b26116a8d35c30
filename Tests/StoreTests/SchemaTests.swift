import KasiaProtocol
import Kaspa
import Testing

@testable import Store

@Suite("Keys, byte for byte")
struct SchemaTests {
    private let device = "8ee6b16ad6aa24c23e7eb7bbd2f01fdf"
    private let seven = "0000000000000007"

    private func hex(_ byte: String, _ count: Int = 32) -> String { String(repeating: byte, count: count) }

    @Test("A device is the first 16 bytes of the SHA-256 of its token's bytes")
    func deviceID() {
        // SHA-256("abc") begins ba7816bf 8f01cfea 414140de 5dae2223 (FIPS 180-2).
        let id = DeviceID(token: Array("abc".utf8))
        #expect(Hex.encode(id.bytes) == "ba7816bf8f01cfea414140de5dae2223")
        #expect(id.partition == 0xb)
        #expect(id.description == "ba7816bf")
        #expect(DeviceID(bytes: [0, 1, 2, 3] + [UInt8](repeating: 9, count: 12)).description == "00010203")
    }

    @Test("Watch keys are a tag and the subject, padded to 35 bytes")
    func watchKeys() throws {
        let schnorr = try #require(
            Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 0xaa, count: 32)))
        let ecdsa = try #require(Address(prefix: .kaspa, version: .ecdsa, payload: [UInt8](repeating: 0xbb, count: 33)))
        let script = try #require(
            Address(prefix: .kaspa, version: .scriptHash, payload: [UInt8](repeating: 0xcc, count: 32)))
        #expect(Hex.encode(WatchKey.address(schnorr).bytes) == "00" + "00" + hex("aa") + "00")
        #expect(Hex.encode(WatchKey.address(ecdsa).bytes) == "00" + "01" + hex("bb", 33))
        #expect(Hex.encode(WatchKey.address(script).bytes) == "00" + "08" + hex("cc") + "00")
        #expect(Hex.encode(WatchKey.primary(schnorr).bytes) == "01" + "00" + hex("aa") + "00")
        #expect(Hex.encode(WatchKey.funds(ecdsa).bytes) == "03" + "01" + hex("bb", 33))
        let group = [UInt8](repeating: 0xdd, count: 32)
        #expect(Hex.encode(WatchKey.group(group).bytes) == "02" + hex("dd") + "0000")
    }

    @Test("The list of an inbox is a tag and the inbox's own, padded to 52 bytes")
    func inboxLists() {
        let tag = [UInt8](repeating: 0xcc, count: 16)
        #expect(Hex.encode(OperationList.inboxMessages(tag).prefix) == "0f" + hex("cc", 16) + hex("00", 35))
    }

    @Test("The list of an address's transfers is a tag and the address, padded to 52 bytes")
    func transferLists() throws {
        let schnorr = try #require(
            Address(prefix: .kaspa, version: .schnorr, payload: [UInt8](repeating: 0xaa, count: 32)))
        let ecdsa = try #require(Address(prefix: .kaspa, version: .ecdsa, payload: [UInt8](repeating: 0xbb, count: 33)))
        #expect(Hex.encode(OperationList.transfers(schnorr).prefix) == "0e" + "00" + hex("aa") + hex("00", 18))
        #expect(Hex.encode(OperationList.transfers(ecdsa).prefix) == "0e" + "01" + hex("bb", 33) + hex("00", 17))
    }

    @Test("Schedule keys are partition, lane, due, device and seq", arguments: ScheduleKey.Lane.allCases)
    func scheduleKeys(_ lane: ScheduleKey.Lane) throws {
        let id = DeviceID(bytes: try #require(Hex.decode(device)))
        let key = ScheduleKey(lane: lane, due: 0x0102_0304_0506_0708, device: id, seq: 7)
        #expect(
            Hex.encode(key.bytes) == "08" + "0\(lane.rawValue)" + "0102030405060708" + device + seven)
        #expect(key.bytes.count == ScheduleKey.byteCount)
        #expect(try key.bytes.withUnsafeBytes { bytes throws(StoreError) in try ScheduleKey(bytes) } == key)
    }

    @Test("A schedule key of a wrong length, lane or partition is corrupt")
    func damagedScheduleKeys() throws {
        let key = ScheduleKey(lane: .bulk, due: 1, device: Sample.id(1), seq: 2).bytes
        var lane = key
        lane[1] = 3
        var partition = key
        partition[0] = (key[0] + 1) % DeviceID.partitionCount
        for damaged in [Array(key.dropLast()), key + [0], lane, partition, []] {
            #expect(throws: StoreError.self) {
                try damaged.withUnsafeBytes { bytes throws(StoreError) in try ScheduleKey(bytes) }
            }
        }
    }

    @Test("Event and delivery keys are big-endian numbers")
    func numberKeys() throws {
        let id = DeviceID(bytes: try #require(Hex.decode(device)))
        #expect(Hex.encode(PushEvent.key(7)) == seven)
        #expect(Hex.encode(Delivery.key(id, 7)) == device + seven)
    }

    @Test("Column families keep their names and their order")
    func families() {
        #expect(
            ColumnFamily.allCases.map(\.rawValue) == [
                "meta", "operations", "accepted", "group_bindings", "enqueued", "enqueued_by_time", "devices",
                "device_states", "watchers", "events", "deliveries", "schedule", "wallet_devices", "delivery_log",
                "delivery_log_by_time", "dead_letters", "operation_lists", "unresolved", "unresolved_times",
                "transfers", "recent_funds", "reverted", "retractions", "changes", "unconfirmed", "used_nonces",
                "released_bindings",
            ])
        #expect(ColumnFamily.allCases.map(\.index) == Array(0..<27))
        #expect(SchemaVersion.current == 9)
    }

    @Test("Every family's rows have the documented keys after an accepted, fanned-out message")
    func rowsOnDisk() async throws {
        let fixture = try StoreFixture()
        let id = try await fixture.deviceWithDeliveries(1)
        let group = [UInt8](repeating: 0xdd, count: 32)
        let key = [UInt8](repeating: 0xee, count: 32)
        var second = AcceptedOperation(
            operation: Sample.operation(2, kind: .groupMessage, acceptedIn: 2), notifies: true)
        second.group = .init(blindedGroupID: group, senderPublicKey: key)
        _ = try await fixture.store.history.apply(
            ChainStep(removed: [], accepted: [second], cursor: Sample.cursor(2)), now: 0x1_0000, withdrawsUnsent: false)
        try await fixture.store.registry.replaceProviderToken(nil, by: [1, 2, 3])

        let dump = try StoreDump(fixture.store)
        let first = Sample.transaction(1).bytes
        let other = Sample.transaction(2).bytes
        func number(_ value: UInt64) -> [UInt8] { PushEvent.key(value) }
        #expect(
            dump[.meta] == [
                Array("schema_version".utf8): [0, 0, 0, 9], Array("network".utf8): Array("mainnet".utf8),
                Array("virtual_chain_cursor".utf8): Sample.cursor(2).encoded, Array("last_event".utf8): number(2),
                Array("last_change".utf8): number(2), Array("provider_token".utf8): [1, 2, 3],
                Array("count_devices".utf8): number(1),
                Array("count_watch_entries".utf8): number(1), Array("count_deliveries".utf8): number(1),
                Array("count_events".utf8): number(1), Array("count_events_created".utf8): number(2),
                Array("count_events_fanned_out".utf8): number(1), Array("count_deliveries_created".utf8): number(1),
            ])
        #expect(Set(dump.keys(.operations)) == [first, other])
        #expect(Set(dump.keys(.accepted)) == [Sample.block(1).bytes + first, Sample.block(2).bytes + other])
        #expect(dump[.groupBindings] == [group: key])
        #expect(dump[.enqueued] == [first: number(5_000) + number(1), other: number(0x1_0000) + number(2)])
        #expect(dump.keys(.changes) == [number(1), number(2)])
        #expect(dump.keys(.unconfirmed) == [number(501) + first, number(502) + other])
        #expect(dump.keys(.enqueuedByTime) == [number(5_000) + first, number(0x1_0000) + other])
        #expect(dump.keys(.devices) == [id.bytes])
        #expect(dump.keys(.deviceStates) == [id.bytes])
        #expect(dump[.watchers] == [fixture.store.database.watchIndexKey(.address(Sample.address(1))) + id.bytes: []])
        #expect(dump.keys(.events) == [number(2)])
        #expect(dump.keys(.deliveries) == [id.bytes + number(1)])
        // It waits, and has a row once it has ended.
        #expect(dump.keys(.deliveryLog) == [])
        #expect(dump.keys(.deliveryLogByTime) == [number(5_000) + id.bytes + number(1)])
        #expect(
            dump[.schedule] == [[id.partition, 0] + number(6_000) + id.bytes + number(1): []])
    }

    @Test(
        "The successor of a prefix is the smallest key beyond all that start with it",
        arguments: [
            ([1], [2]), ([1, 0xff], [2]), ([1, 2, 0xff, 0xff], [1, 3]), ([0], [1]),
            ([0xff], [UInt8](repeating: 0xff, count: 128)), ([], [UInt8](repeating: 0xff, count: 128)),
        ] as [([UInt8], [UInt8])])
    func successors(_ prefix: [UInt8], _ successor: [UInt8]) {
        #expect(KeyBytes.successor(ofPrefix: prefix) == successor)
    }
}
