import Kaspa
import StoreSupport
import Testing

@testable import Store

@Suite("Addresses watched for funds only")
struct WatchOnlyTests {
    private let fixture: StoreFixture
    private var store: Store { fixture.store }

    init() throws { fixture = try StoreFixture() }

    private static func mayContain(_ store: Store, _ address: Address) -> Bool {
        Script(paying: address).bytes.withUnsafeBytes(store.registry.watchedScripts.mayContain)
    }

    /// What the index holds of addresses 1 to 9; the filter lets all of them through.
    private func watched(_ store: Store) async throws -> [Int] {
        var found: [Int] = []
        for number in 1...9 {
            let isIndexed = try await store.registry.watcherCount(.funds(Sample.address(number)), limit: 9) > 0
            #expect(!isIndexed || WatchOnlyTests.mayContain(store, Sample.address(number)))
            if isIndexed { found.append(number) }
        }
        return found
    }

    private static func device(_ number: Int, _ addresses: [Int], wallet: Address? = nil, at time: UInt64 = 1)
        -> DeviceRecord
    {
        var device = Sample.device(number, watching: [Sample.address(1)], at: time)
        device.watchOnlyAddresses = addresses.map { Sample.address($0) }
        device.walletAddress = wallet
        return device
    }

    @Test("The index follows each registration, and an address is watched until its last device is gone")
    func inStep() async throws {
        await #expect(try watched(store) == [])
        try await fixture.register(WatchOnlyTests.device(1, [2, 3]))
        await #expect(try watched(store) == [2, 3])
        try await fixture.register(WatchOnlyTests.device(2, [3, 4]))
        await #expect(try watched(store) == [2, 3, 4])
        try await fixture.register(WatchOnlyTests.device(1, [5]))
        await #expect(try watched(store) == [3, 4, 5])
        try await fixture.register(WatchOnlyTests.device(1, [5]))
        await #expect(try watched(store) == [3, 4, 5])
        #expect(try store.checkBooks().isSound)
        try await store.registry.removeDevice(Sample.id(2))
        await #expect(try watched(store) == [5])
        try await fixture.register(WatchOnlyTests.device(1, []))
        await #expect(try watched(store) == [])
        #expect(try store.checkBooks().isSound)
    }

    @Test("A refused token, the end of a wallet and a wallet with too many devices take their addresses along")
    func removals() async throws {
        let wallet = Sample.address(7)
        for number in 1...3 {
            try await fixture.register(WatchOnlyTests.device(number, [number + 1], wallet: wallet, at: UInt64(number)))
        }
        try await fixture.accept(1)
        try await fixture.fanOut(event: 1)
        let place = try #require(try await fixture.place(Sample.id(1)))
        _ = try await store.outbox.settle(
            [
                Settlement(
                    key: place, transactionID: Sample.transaction(1), next: .done, effect: .gone(at: 100), ending: .dead
                )
            ],
            now: 7_000)
        await #expect(try watched(store) == [3, 4])
        // Twenty more of the wallet: the two that were seen least recently give way.
        for number in 10..<30 {
            try await fixture.register(WatchOnlyTests.device(number, [8], wallet: wallet, at: UInt64(number)))
        }
        await #expect(try watched(store) == [8])
        #expect(try store.checkBooks().isSound)
        _ = try await store.registry.removeDevices(ofWallet: wallet)
        await #expect(try watched(store) == [])
        #expect(try store.checkBooks().isSound)
    }

    @Test("A check finds an index row that is missing, and one too many")
    func checked() async throws {
        try await fixture.register(WatchOnlyTests.device(1, [2]))
        let row = store.database.watchIndexKey(.funds(Sample.address(2))) + Sample.id(1).bytes
        try await store.write { (transaction) throws(StoreError) in transaction.delete(.watchers, row) }
        #expect(try store.checkBooks().problems.contains { $0.contains("missing in the watch index") })
        try await store.write { (transaction) throws(StoreError) in
            transaction.put(.watchers, row, [])
            transaction.put(
                .watchers, transaction.watchIndexKey(.funds(Sample.address(3))) + Sample.id(1).bytes, [])
        }
        #expect(try store.checkBooks().problems.contains { $0.contains("does not watch this") })
    }
}
