import Kaspa
import StoreSupport
import Synchronization
import Testing

@testable import Store

@Suite("The filter of watched scripts", .timeLimit(.minutes(10)))
struct WatchedScriptsTests {
    private static func mayContain(_ scripts: WatchedScripts, _ address: Address) -> Bool {
        Script(paying: address).bytes.withUnsafeBytes(scripts.mayContain)
    }

    /// Addresses of all versions; a thousand times as many of them are never used, `strangers`.
    private static func address(_ number: Int) -> Address {
        let version = Address.Version.allCases[number % 3]
        let payload = (0..<version.payloadByteCount).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) }
        guard let address = Address(prefix: .kaspa, version: version, payload: payload) else {
            preconditionFailure("a sample address has its version's length")
        }
        return address
    }

    private static func strangers(_ count: Int) -> [Address] { (0..<count).map { address(1_000_000_000 + $0) } }

    private static func passing(_ scripts: WatchedScripts, of addresses: [Address]) -> Int {
        addresses.count { mayContain(scripts, $0) }
    }

    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)
        var isSet: Bool {
            get { value.load(ordering: .acquiring) }
            set { value.store(newValue, ordering: .releasing) }
        }
    }

    // MARK: Registrations

    @Test("Whatever way an address is watched, its script passes; a group has none")
    func ways() async throws {
        let fixture = try StoreFixture()
        let scripts = fixture.store.registry.watchedScripts
        #expect(scripts.isEmpty)
        try await fixture.register(Sample.device(1, groups: [[UInt8](repeating: 4, count: 32)]))
        #expect(scripts.isEmpty)
        var device = Sample.device(2, watching: [Sample.address(1)], primary: Sample.address(2))
        device.watchOnlyAddresses = [Sample.address(3)]
        try await fixture.register(device)
        #expect(!scripts.isEmpty)
        #expect((1...3).allSatisfy { Self.mayContain(scripts, Sample.address($0)) })
        #expect(Self.passing(scripts, of: Self.strangers(1_000)) == 0)
        #expect(!scripts.mayContain(UnsafeRawBufferPointer(start: nil, count: 0)))
        // What is not watched any more may stay.
        try await fixture.store.registry.removeDevice(Sample.id(2))
        #expect(!scripts.isEmpty)
    }

    @Test("After a restart everything passes until the index is read, and then what it holds; a reader has nothing")
    func reopened() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        do {
            let store = try Store(path: path, network: .mainnet)
            for number in 1...3 {
                var device = Sample.device(number, watching: [Self.address(number)], primary: Self.address(number + 10))
                device.watchOnlyAddresses = [Self.address(number + 20)]
                let record = device
                try await store.registry.upsertDevice(record.id) { _ in record }
            }
            try await store.registry.removeDevice(Sample.id(3))
        }
        #expect(try Store(path: path, network: .mainnet, readOnly: true).registry.watchedScripts.isEmpty)
        let store = try await StoreFiles(path: path).open()
        let scripts = store.registry.watchedScripts
        var requests = store.registry.watchedScriptRequests.makeAsyncIterator()
        await requests.next()
        #expect(!scripts.isEmpty && !scripts.isFilled)
        #expect(Self.passing(scripts, of: Self.strangers(100)) == 100)
        #expect(!Script(bytes: [0x51]).bytes.withUnsafeBytes(scripts.mayContain), "it pays no address")
        #expect(try await store.registry.fillWatchedScripts() == 6)
        #expect(scripts.isFilled)
        #expect([1, 2, 11, 12, 21, 22].allSatisfy { Self.mayContain(scripts, Self.address($0)) })
        #expect(Self.passing(scripts, of: Self.strangers(1_000) + [3, 13, 23].map(Self.address)) == 0)
    }

    // MARK: Filling

    @Test("What is registered before, during and after a filling passes at each moment, also if the filling fails")
    func interleaved() {
        let scripts = WatchedScripts(smallestCapacity: 8)
        scripts.beginEmpty()
        let (old, during, after) = (Self.address(1), Self.address(2), Self.address(3))
        scripts.insert([old])
        for ends in [false, true] {
            scripts.beginFilling(entries: 1)
            #expect(Self.mayContain(scripts, old))
            scripts.insert([during])
            #expect(Self.mayContain(scripts, during))
            // The walk's view is older than that registration.
            scripts.fill([scripts.hash(of: old)])
            if ends { scripts.endFilling() } else { scripts.abandonFilling() }
            #expect(Self.mayContain(scripts, old) && Self.mayContain(scripts, during))
        }
        scripts.insert([after])
        #expect([old, during, after].allSatisfy { Self.mayContain(scripts, $0) })
        // What nobody watches any more is forgotten.
        scripts.beginFilling(entries: 0)
        scripts.endFilling()
        #expect(scripts.isEmpty)
        #expect(Self.passing(scripts, of: [old, during, after]) == 0)
    }

    @Test("Before the first filling is over an insertion takes nothing away")
    func firstFilling() {
        let scripts = WatchedScripts(smallestCapacity: 8)
        scripts.insert([Self.address(1)])
        #expect(Self.passing(scripts, of: Self.strangers(10)) == 10)
        scripts.beginFilling(entries: 5)
        scripts.insert([Self.address(2)])
        #expect(Self.passing(scripts, of: Self.strangers(10)) == 10)
        scripts.endFilling()
        #expect(Self.mayContain(scripts, Self.address(2)))
    }

    @Test("A filter that is too full asks once for a larger one, and lets few strangers pass afterwards")
    func overfull() async throws {
        var conditions = StoreConditions()
        conditions.smallestWatchFilter = 50
        let directory = try TemporaryDirectory()
        let store = try Store(path: directory.file("store"), network: .mainnet, conditions: conditions)
        for number in 0..<20 {
            let device = Sample.device(number, watching: (0..<100).map { Self.address(number * 100 + $0) })
            try await store.registry.upsertDevice(device.id) { _ in device }
        }
        let scripts = store.registry.watchedScripts
        let strangers = Self.strangers(2_000)
        #expect(Self.passing(scripts, of: strangers) > 1_500)
        var requests = store.registry.watchedScriptRequests.makeAsyncIterator()
        await requests.next()
        #expect(try await store.registry.fillWatchedScripts() == 2_000)
        #expect(Self.passing(scripts, of: strangers) < 40)
        #expect((0..<2_000).allSatisfy { Self.mayContain(scripts, Self.address($0)) })
        #expect(scripts.filterBytes < 2_000 * 2)
    }

    @Test("Rows that nobody had counted make the next filter larger")
    func miscounted() {
        let scripts = WatchedScripts(smallestCapacity: 4)
        let hashes = (0..<1_000).map { scripts.hash(of: Self.address($0)) }
        scripts.beginFilling(entries: 0)
        scripts.fill(hashes)
        scripts.endFilling()
        #expect(Self.passing(scripts, of: Self.strangers(1_000)) > 900)
        scripts.beginFilling(entries: 0)
        scripts.fill(hashes)
        scripts.endFilling()
        #expect(Self.passing(scripts, of: Self.strangers(1_000)) < 200)
        #expect((0..<1_000).allSatisfy { Self.mayContain(scripts, Self.address($0)) })
    }

    @Test("An error while the index is read leaves the filter as it was, and so does a stop")
    func failed() async throws {
        let fails = Flag()
        let directory = try TemporaryDirectory()
        var conditions = StoreConditions()
        conditions.before = { (step) throws(StoreError) in
            if step == .read, fails.isSet { throw StoreError(.inputOutput, "a bad sector") }
        }
        let store = try Store(path: directory.file("store"), network: .mainnet, conditions: conditions)
        let device = Sample.device(1, watching: [Self.address(1)])
        try await store.registry.upsertDevice(device.id) { _ in device }
        fails.isSet = true
        await #expect(throws: StoreError.self) { try await store.registry.fillWatchedScripts() }
        fails.isSet = false
        #expect(Self.mayContain(store.registry.watchedScripts, Self.address(1)))
        let filled = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.registry.fillWatchedScripts()
        }.result
        #expect(try filled.get() == nil)
        #expect(Self.mayContain(store.registry.watchedScripts, Self.address(1)))
        #expect(Self.passing(store.registry.watchedScripts, of: Self.strangers(100)) == 0)
    }

    @Test("Whoever registers while the index is read again and again passes from the answer on")
    func concurrent() async throws {
        var conditions = StoreConditions()
        conditions.smallestWatchFilter = 1
        let directory = try TemporaryDirectory()
        let store = try Store(path: directory.file("store"), network: .mainnet, conditions: conditions)
        let isOver = Flag()
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                var walks = 0
                while !isOver.isSet || walks == 0 {
                    try await store.registry.fillWatchedScripts()
                    walks += 1
                }
                return walks
            }
            for number in 0..<120 {
                // Each device registers three times, with other addresses; nobody gives up address 0.
                let addresses = [0] + (0..<9).map { number % 40 * 100 + number / 40 + $0 }
                let device = Sample.device(number % 40, watching: addresses.map(Self.address))
                try await store.registry.upsertDevice(device.id) { _ in device }
                let missed = addresses.filter { !Self.mayContain(store.registry.watchedScripts, Self.address($0)) }
                #expect(missed == [], "after registration \(number)")
            }
            isOver.isSet = true
            for try await walks in group { #expect(walks > 0) }
        }
        for number in 80..<120 {
            let device = try #require(try await store.registry.device(Sample.id(number % 40)))
            #expect(device.watchedAddresses.allSatisfy { Self.mayContain(store.registry.watchedScripts, $0) })
        }
    }

    @Test("One hundred thousand addresses all pass, and few strangers; the index confirms those and refuses these")
    func many() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        for number in 0..<400 {
            try await fixture.register(
                Sample.device(number, watching: (0..<250).map { Self.address(number * 250 + $0) }))
        }
        try await store.registry.fillWatchedScripts()
        let watched = (0..<100_000).map(Self.address)
        #expect(watched.allSatisfy { Self.mayContain(store.registry.watchedScripts, $0) })
        let seed = SeededRandom.runSeed
        var random = SeededRandom(seed: seed)
        let strangers = (0..<50_000).map { _ in Self.address(1_000_000_000 + random.below(1_000_000_000)) }
        let supposed = strangers.filter { Self.mayContain(store.registry.watchedScripts, $0) }
        #expect(supposed.count < 500, "TEST_SEED=\(seed)")
        let some = Set((0..<2_000).map { _ in Self.address(random.below(100_000)) })
        let confirmed = try WatchedAddresses(among: some.union(supposed), store.database)
        #expect(confirmed.any == some && confirmed.funds.isEmpty, "TEST_SEED=\(seed)")
        let room = WatchedScripts.smallestRoom * WatchedScripts.smallestCapacity
        #expect(store.registry.watchedScripts.filterBytes <= (100_000 + room) * 2)
    }

    // MARK: Bits

    @Test(
        "A full filter has lost nothing and lets at most two strangers in a hundred pass",
        arguments: [64, 5_000, 60_000])
    func bits(_ capacity: Int) {
        let seed = SeededRandom.runSeed
        var random = SeededRandom(seed: seed)
        var filter = BlockedBloomFilter(capacity: capacity)
        let hashes = (0..<capacity).map { _ in random.next() }
        for hash in hashes { filter.insert(hash) }
        #expect(hashes.allSatisfy(filter.contains), "TEST_SEED=\(seed)")
        #expect(!filter.isOverfull && filter.count > capacity * 97 / 100, "TEST_SEED=\(seed): \(filter.count)")
        #expect(filter.byteCount <= capacity * BlockedBloomFilter.bitsPerEntry / 8 + 64)
        guard capacity > 64 else { return }
        let passing = (0..<20_000).count { _ in filter.contains(random.next()) }
        #expect(passing < 400, "TEST_SEED=\(seed)")
    }

    @Test("Inserted twice it counts once, and one more than the capacity is too many")
    func counts() {
        var filter = BlockedBloomFilter(capacity: 2)
        for hash in [1, 1, 1 << 40] as [UInt64] { filter.insert(hash) }
        #expect(filter.count == 2 && !filter.isOverfull)
        filter.insert(1 << 50)
        #expect(filter.count == 3 && filter.isOverfull)
    }
}
