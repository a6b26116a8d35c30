import Kaspa
import Testing

@testable import Store

@Suite("Wallets and device keys")
struct OwnershipTests {
    private let fixture: StoreFixture
    private var store: Store { fixture.store }
    private let wallet = Sample.address(100)

    init() throws { fixture = try StoreFixture() }

    private func key(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private func device(_ number: Int, wallet: Address?, key: [UInt8]? = nil, at time: UInt64 = 1_000) -> DeviceRecord {
        var device = Sample.device(number, watching: [Sample.address(1)], at: time)
        device.walletAddress = wallet
        device.deviceKeyID = key
        return device
    }

    /// Writes without asking; returns what gave way.
    @discardableResult
    private func put(_ device: DeviceRecord, counter: UInt64? = nil) async throws -> [RemovedDevice] {
        let use = device.deviceKeyID.flatMap { key in counter.map { DeviceKeyUse(keyID: key, counter: $0) } }
        let outcome: DeviceOutcome<Never> = try await store.changeDevice(device.id, use: use) { _, _ in .put(device) }
        guard case .put(let removed) = outcome else { return [] }
        return removed
    }

    @Test("A bound device is in its wallet's index until it goes")
    func index() async throws {
        try await put(device(1, wallet: wallet))
        try await put(device(2, wallet: Sample.address(101)))
        try await put(device(3, wallet: nil))
        #expect(try store.devices(ofWallet: wallet).map(\.id) == [Sample.id(1)])
        #expect(
            try StoreDump(store).keys(.walletDevices).contains(wallet.storageKey + Sample.id(1).bytes))
        #expect(try StoreDump(store)[.walletDevices].count == 2)
        try await store.removeDevice(Sample.id(1))
        #expect(try store.devices(ofWallet: wallet) == [])
        #expect(try StoreDump(store)[.walletDevices].count == 1)
    }

    @Test("A refusal writes nothing, and sees what was there")
    func refusal() async throws {
        try await put(device(1, wallet: wallet, key: key(1)), counter: 4)
        let before = try StoreDump(store)
        let outcome = try await store.changeDevice(Sample.id(1), use: DeviceKeyUse(keyID: key(1), counter: 9)) {
            (old, counter) -> DeviceDecision<String> in
            .refuse("\(old?.walletAddress == wallet) \(counter ?? 0)")
        }
        guard case .refused("true 4") = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try StoreDump(store) == before)
    }

    @Test("The device seen least recently gives way to the twenty-first", arguments: [19, 20, 21, 25])
    func limit(count: Int) async throws {
        var removed: [RemovedDevice] = []
        for number in 1...count {
            // The third is the oldest, whatever the order of their numbers.
            removed += try await put(device(number, wallet: wallet, at: number == 3 ? 1 : UInt64(number) * 10))
        }
        #expect(try store.devices(ofWallet: wallet).count == min(count, 20))
        #expect(removed.count == max(0, count - 20))
        #expect(removed.map(\.id) == [3, 1, 2, 4, 5].prefix(removed.count).map { Sample.id($0) })
        #expect(try store.totals().devices == UInt64(min(count, 20)))
        #expect(try store.totals().watchEntries == UInt64(min(count, 20)))
    }

    @Test("A wallet's devices go together, and nobody else's")
    func signOut() async throws {
        for number in 1...3 { try await put(device(number, wallet: wallet)) }
        try await put(device(4, wallet: Sample.address(101)))
        let alone = try StoreDump(store)[.devices].filter { $0.key == Sample.id(4).bytes }
        #expect(try await store.removeDevices(ofWallet: wallet)?.count == 3)
        #expect(try StoreDump(store)[.devices] == alone)
        #expect(try StoreDump(store)[.walletDevices].count == 1)
        #expect(try await store.removeDevices(ofWallet: wallet) == [])
    }

    @Test("A key's counter outlives its devices, without a trace of them")
    func counters() async throws {
        try await put(device(1, wallet: wallet, key: key(1)), counter: 5)
        try await put(device(2, wallet: wallet, key: key(1)), counter: 6)
        #expect(try store.database.deviceKey(key(1))?.devices == 2)
        try await store.removeDevice(Sample.id(1))
        #expect(try store.database.deviceKey(key(1))?.retired == nil)
        try await store.removeDevice(Sample.id(2))
        let retired = try #require(try store.database.deviceKey(key(1)))
        #expect(retired.counter == 6 && retired.devices == 0 && retired.retired == 1)
        let dump = try StoreDump(store)
        for number in 1...2 {
            #expect(dump.families(containing: Sample.id(number).bytes) == [])
            #expect(dump.families(containing: Sample.token(number)) == [])
        }
        #expect(dump.families(containing: wallet.payload) == [])
        #expect(try await store.noteUse(of: DeviceKeyUse(keyID: key(1), counter: 6)) == false)
        #expect(try await store.noteUse(of: DeviceKeyUse(keyID: key(1), counter: 7)))
        try await put(device(3, wallet: wallet, key: key(1)), counter: 8)
        let back = try #require(try store.database.deviceKey(key(1)))
        #expect(back.counter == 8 && back.devices == 1 && back.retired == nil)
        #expect(try StoreDump(store)[.retiredDeviceKeys].isEmpty)
    }

    @Test("A key that no registration has named leaves no row")
    func strangers() async throws {
        #expect(try await store.noteUse(of: DeviceKeyUse(keyID: key(2), counter: 1)))
        _ = try await store.changeDevice(Sample.id(1), use: DeviceKeyUse(keyID: key(2), counter: 1)) {
            (_, _) -> DeviceDecision<Never> in .remove
        }
        #expect(try StoreDump(store)[.deviceKeys].isEmpty)
    }

    @Test("A new key takes the old one's place, which is retired")
    func replaced() async throws {
        try await put(device(1, wallet: wallet, key: key(1)), counter: 1)
        try await put(device(1, wallet: wallet, key: key(2)), counter: 1)
        #expect(try store.database.deviceKey(key(1))?.retired == 1)
        #expect(try store.database.deviceKey(key(2))?.devices == 1)
    }

    @Test("Of two changes at once, the second sees the first", .timeLimit(.minutes(10)))
    func serial() async throws {
        for round in 0..<50 {
            let id = Sample.id(round)
            let record = device(round, wallet: wallet, at: UInt64(round))
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 {
                    group.addTask { [store] in
                        let outcome: DeviceOutcome<Bool> = try await store.changeDevice(id) { old, _ in
                            old == nil ? .put(record) : .refuse(true)
                        }
                        if case .put = outcome { return true }
                        return false
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
        }
    }
}
