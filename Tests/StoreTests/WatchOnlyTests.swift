import Kaspa
import Testing

@testable import Store

@Suite("Addresses watched for funds only")
struct WatchOnlyTests {
    private let fixture: StoreFixture
    private var store: Store { fixture.store }

    init() throws { fixture = try StoreFixture() }

    private static func mayContain(_ store: Store, _ address: Address) -> Bool {
        Script(paying: address).bytes.withUnsafeBytes(store.watchOnlyScripts.mayContain)
    }

    /// What the filter lets through of addresses 1 to 9, and what the index holds of them: always the same.
    private func watched(_ store: Store) throws -> [Int] {
        try (1...9).filter { number in
            let indexed = try store.watcherCount(.funds(Sample.address(number)), limit: 9) > 0
            #expect(WatchOnlyTests.mayContain(store, Sample.address(number)) == indexed)
            return indexed
        }
    }

    private static func device(_ number: Int, _ addresses: [Int], wallet: Address? = nil, at time: UInt64 = 1)
        -> DeviceRecord
    {
        var device = Sample.device(number, watching: [Sample.address(1)], at: time)
        device.watchOnlyAddresses = addresses.map { Sample.address($0) }
        device.walletAddress = wallet
        return device
    }

    @Test("Index and filter follow each registration, and an address is watched until its last device is gone")
    func inStep() async throws {
        #expect(store.watchOnlyScripts.isEmpty)
        #expect(try watched(store) == [])
        try await fixture.register(WatchOnlyTests.device(1, [2, 3]))
        #expect(!store.watchOnlyScripts.isEmpty)
        #expect(try watched(store) == [2, 3])
        try await fixture.register(WatchOnlyTests.device(2, [3, 4]))
        #expect(try watched(store) == [2, 3, 4])
        try await fixture.register(WatchOnlyTests.device(1, [5]))
        #expect(try watched(store) == [3, 4, 5])
        try await fixture.register(WatchOnlyTests.device(1, [5]))
        #expect(try watched(store) == [3, 4, 5])
        #expect(try store.checkBooks().isSound)
        try await store.removeDevice(Sample.id(2))
        #expect(try watched(store) == [5])
        try await fixture.register(WatchOnlyTests.device(1, []))
        #expect(try watched(store) == [])
        #expect(store.watchOnlyScripts.isEmpty)
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
        let place = try #require(try fixture.place(Sample.id(1)))
        _ = try await store.settle(
            [
                Settlement(
                    key: place, transactionID: Sample.transaction(1), fate: .done, effect: .gone(at: 100), ending: .dead
                )
            ],
            now: 7_000)
        #expect(try watched(store) == [3, 4])
        // Twenty more of the wallet: the two that were seen least recently give way.
        for number in 10..<30 {
            try await fixture.register(WatchOnlyTests.device(number, [8], wallet: wallet, at: UInt64(number)))
        }
        #expect(try watched(store) == [8])
        #expect(try store.checkBooks().isSound)
        _ = try await store.removeDevices(ofWallet: wallet)
        #expect(try watched(store) == [])
        #expect(try store.checkBooks().isSound)
    }

    @Test("The filter is there after a restart, and a store that is only read has none")
    func reopened() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        do {
            let store = try Store(path: path, network: .mainnet)
            for number in 1...3 {
                let device = WatchOnlyTests.device(number, [number, number + 1])
                try await store.upsertDevice(device.id) { _ in device }
            }
        }
        let reader = try Store(path: path, network: .mainnet, readOnly: true)
        #expect(reader.watchOnlyScripts.isEmpty)
        let again = try await StoreFiles(path: path).open()
        #expect(try watched(again) == [1, 2, 3, 4])
        try await again.removeDevice(Sample.id(2))
        #expect(try watched(again) == [1, 2, 3, 4])
        try await again.removeDevice(Sample.id(3))
        #expect(try watched(again) == [1, 2])
    }

    @Test("A check finds an index row that is missing, and one too many")
    func checked() async throws {
        try await fixture.register(WatchOnlyTests.device(1, [2]))
        let row = WatchKey.funds(Sample.address(2)).bytes + Sample.id(1).bytes
        try await store.write { (transaction) throws(StoreError) in transaction.delete(.watchers, row) }
        #expect(try store.checkBooks().problems.contains { $0.contains("missing in the watch index") })
        try await store.write { (transaction) throws(StoreError) in
            transaction.put(.watchers, row, [])
            transaction.put(.watchers, WatchKey.funds(Sample.address(3)).bytes + Sample.id(1).bytes, [])
        }
        #expect(try store.checkBooks().problems.contains { $0.contains("does not watch this") })
    }

    @Test("The table of hashes counts as a dictionary does, whatever collides")
    func countedHashes() {
        let seed = SeededRandom.runSeed
        var random = SeededRandom(seed: seed)
        var table = CountedHashes()
        var model: [UInt64: Int] = [:]
        for step in 0..<20_000 {
            // Few homes, at the end of the table too, and many neighbours.
            let hash = UInt64(random.below(40)) &* 0x1_0000 | [0, 1, 2, 62, 63, 127, 1023][random.below(7)]
            if random.oneIn(2) {
                table.insert(hash)
                model[max(hash, 1), default: 0] += 1
            } else {
                table.remove(hash)
                if let count = model[max(hash, 1)] { model[max(hash, 1)] = count == 1 ? nil : count - 1 }
            }
            guard table.count == model.count else {
                Issue.record("TEST_SEED=\(seed), step \(step): \(table.count), expected \(model.count)")
                return
            }
        }
        for home in [0, 1, 2, 62, 63, 127, 1023] as [UInt64] {
            for group in 0..<40 {
                let hash = UInt64(group) &* 0x1_0000 | home
                #expect(table.contains(hash) == (model[max(hash, 1)] != nil), "TEST_SEED=\(seed): \(hash)")
            }
        }
    }

    @Test("An address costs at most 32 bytes of memory", arguments: [48, 49, 10_000, 24_576, 24_577])
    func memory(_ count: Int) {
        var table = CountedHashes()
        var random = SeededRandom(seed: 1)
        for _ in 0..<count { table.insert(random.next()) }
        #expect(table.count == count)
        #expect(table.byteCount <= 32 * count + 64, "\(table.byteCount) bytes")
    }
}
