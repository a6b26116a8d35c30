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

    private func device(_ number: Int, wallet: Address? = nil, key: [UInt8]? = nil, at time: UInt64 = 1_000)
        -> DeviceRecord
    {
        var device = Sample.device(number, watching: [Sample.address(1)], at: time)
        device.walletAddress = wallet
        device.deviceKey = key.map { DeviceKeyUse(keyID: $0, counter: 1) }
        return device
    }

    /// Writes without asking; returns what gave way.
    @discardableResult
    private func put(_ device: DeviceRecord) async throws -> [RemovedDevice] {
        let outcome: DeviceOutcome<Never> = try await store.registry.changeDevice(device.id) { _ in .put(device) }
        guard case .put(let removed, _) = outcome else { return [] }
        return removed
    }

    @Test("A bound device is in its wallet's index until it goes")
    func index() async throws {
        try await put(device(1, wallet: wallet))
        try await put(device(2, wallet: Sample.address(101)))
        try await put(device(3, wallet: nil))
        #expect(try await store.registry.devices(ofWallet: wallet).map(\.id) == [Sample.id(1)])
        #expect(
            try StoreDump(store).keys(.walletDevices).contains(wallet.storageKey + Sample.id(1).bytes))
        #expect(try StoreDump(store)[.walletDevices].count == 2)
        try await store.registry.removeDevice(Sample.id(1))
        #expect(try await store.registry.devices(ofWallet: wallet) == [])
        #expect(try StoreDump(store)[.walletDevices].count == 1)
    }

    @Test("A refusal writes nothing, and sees what was there")
    func refusal() async throws {
        try await put(device(1, wallet: wallet, key: key(1)))
        let before = try StoreDump(store)
        let outcome = try await store.registry.changeDevice(Sample.id(1)) { old -> DeviceDecision<String> in
            .refuse("\(old?.walletAddress == wallet) \(old?.deviceKey?.counter ?? 0)")
        }
        guard case .refused("true 1") = outcome else {
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
        #expect(try await store.registry.devices(ofWallet: wallet).count == min(count, 20))
        #expect(removed.count == max(0, count - 20))
        #expect(removed.map(\.id) == [3, 1, 2, 4, 5].prefix(removed.count).map { Sample.id($0) })
        #expect(try await store.totals().devices == UInt64(min(count, 20)))
        #expect(try await store.totals().watchEntries == UInt64(min(count, 20)))
    }

    @Test("There are as many devices as there may be; known ones change and go all the same", arguments: [1, 2, 3])
    func cap(count: Int) async throws {
        var limits = StoreLimits()
        limits.devices = 2
        let fixture = try StoreFixture(limits: limits)
        for number in 1...count {
            let device = device(number)
            let outcome: DeviceOutcome<Never> = try await fixture.store.registry.changeDevice(device.id) { _ in
                .put(device)
            }
            if number <= 2 {
                guard case .put = outcome else { Issue.record("\(outcome)"); return }
            } else {
                guard case .full = outcome else { Issue.record("\(outcome)"); return }
            }
        }
        #expect(try await fixture.store.totals().devices == UInt64(min(count, 2)))
        let first = device(1, at: 99)
        let again: DeviceOutcome<Never> = try await fixture.store.registry.changeDevice(first.id) { _ in .put(first) }
        guard case .put = again else { Issue.record("\(again)"); return }
        _ = try await fixture.store.registry.changeDevice(first.id) { _ -> DeviceDecision<Never> in .remove }
        let third = device(3)
        let later: DeviceOutcome<Never> = try await fixture.store.registry.changeDevice(third.id) { _ in .put(third) }
        guard case .put = later else { Issue.record("\(later)"); return }
    }

    @Test(
        "Within seven days of a release only its wallet binds a token, and an unbound registration leaves that as it is",
        arguments: [-1, 0, 1])
    func release(offset: Int) async throws {
        let (week, other) = (ReleasedBinding.lifetime, Sample.address(101))
        try await put(device(1, wallet: wallet))
        _ = try await store.registry.changeDevice(Sample.id(1)) { _ -> DeviceDecision<Never> in .release(at: 1_000) }
        #expect(try await store.registry.device(Sample.id(1)) == nil)
        let time = UInt64(Int(1_000 + week) + offset)
        let dump = try StoreDump(store)[.releasedBindings]
        #expect(dump.count == 2)
        #expect(try store.checkBooks().problems == [])
        func bind(_ number: Int, _ wallet: Address?, at time: UInt64) async throws -> Bool {
            let record = device(number, wallet: wallet, at: time)
            let outcome: DeviceOutcome<Never> = try await store.registry.changeDevice(record.id) { _ in .put(record) }
            if case .heldForAnother = outcome { return false }
            return true
        }
        #expect(try await bind(1, nil, at: 1_001))
        #expect(try await !bind(1, other, at: 1_002))
        #expect(try await !bind(1, other, at: 500), "a clock that fell back lets nobody in")
        #expect(try StoreDump(store)[.releasedBindings] == dump)
        #expect(try await bind(2, other, at: 1_002), "another token")
        #expect(try await bind(1, other, at: time) == (offset >= 0))
        if offset < 0 { #expect(try await bind(1, wallet, at: time)) }
        #expect(try StoreDump(store)[.releasedBindings].isEmpty)
        #expect(try store.checkBooks().problems == [])
    }

    @Test("Released bindings are forgotten after seven days, all of them, and by the operator's removal")
    func forgetReleases() async throws {
        let week = ReleasedBinding.lifetime
        for number in 1...5 {
            try await put(device(number, wallet: Sample.address(100 + number)))
            _ = try await store.registry.changeDevice(Sample.id(number)) { _ -> DeviceDecision<Never> in
                .release(at: UInt64(number))
            }
        }
        // A second release counts from its own time.
        try await put(device(1, wallet: Sample.address(101)))
        _ = try await store.registry.changeDevice(Sample.id(1)) { _ -> DeviceDecision<Never> in .release(at: 4) }
        try await store.registry.forgetReleasedBindings(now: 0)
        try await store.registry.forgetReleasedBindings(now: week + 2)
        #expect(try StoreDump(store)[.releasedBindings].count == 10)
        try await store.registry.forgetReleasedBindings(now: week + 3)
        #expect(try StoreDump(store)[.releasedBindings].count == 8)
        try await store.registry.removeDevice(Sample.id(5))
        #expect(try StoreDump(store)[.releasedBindings].count == 6)
        #expect(try store.checkBooks().problems == [])
        try await store.registry.forgetReleasedBindings(now: week + 5)
        #expect(try StoreDump(store)[.releasedBindings].isEmpty)
    }

    @Test("A wallet's devices go together, and nobody else's")
    func signOut() async throws {
        for number in 1...3 { try await put(device(number, wallet: wallet)) }
        try await put(device(4, wallet: Sample.address(101)))
        let alone = try StoreDump(store)[.devices].filter { $0.key == Sample.id(4).bytes }
        #expect(try await store.registry.removeDevices(ofWallet: wallet)?.count == 3)
        #expect(try StoreDump(store)[.devices] == alone)
        #expect(try StoreDump(store)[.walletDevices].count == 1)
        #expect(try await store.registry.removeDevices(ofWallet: wallet) == [])
    }

    @Test("A counter is compared within one registration, and goes with it", arguments: [4, 5, 6])
    func counters(counter: UInt64) async throws {
        for number in 1...2 {
            var device = device(number, wallet: wallet)
            device.deviceKey = DeviceKeyUse(keyID: key(1), counter: UInt64(number) * 5)
            try await put(device)
        }
        let use = DeviceKeyUse(keyID: key(1), counter: counter)
        #expect(try await store.registry.noteUse(of: use, for: Sample.id(1)) == (counter > 5))
        #expect(try await store.registry.device(Sample.id(1))?.deviceKey?.counter == max(5, counter))
        #expect(try await store.registry.device(Sample.id(2))?.deviceKey?.counter == 10)
        // Another key's use, and one for a device that is not there, say nothing and write nothing.
        let before = try StoreDump(store)
        #expect(try await store.registry.noteUse(of: DeviceKeyUse(keyID: key(2), counter: 1), for: Sample.id(1)))
        #expect(try await store.registry.noteUse(of: use, for: Sample.id(3)))
        #expect(try StoreDump(store) == before)
        try await store.registry.removeDevice(Sample.id(1))
        try await store.registry.removeDevice(Sample.id(2))
        #expect(try StoreDump(store).families(containing: key(1)) == [])
    }

    @Test("A use may follow one with a lower counter, and any of another key", arguments: [1, 2, 3])
    func following(counter: UInt64) {
        let last = DeviceKeyUse(keyID: key(1), counter: 2)
        #expect(DeviceKeyUse(keyID: key(1), counter: counter).mayFollow(last) == (counter > 2))
        #expect(DeviceKeyUse(keyID: key(2), counter: counter).mayFollow(last))
        #expect(DeviceKeyUse(keyID: key(1), counter: counter).mayFollow(nil))
    }

    @Test("What Apple's answers show of a token is kept unless the app has said it")
    func environment() async throws {
        try await put(device(1, wallet: nil))
        try await store.registry.noteEnvironment(.development, of: Sample.id(1))
        #expect(try await store.registry.device(Sample.id(1))?.environment == .init(.development, isSaid: false))
        try await store.registry.noteEnvironment(.production, of: Sample.id(1))
        #expect(try await store.registry.device(Sample.id(1))?.environment == .init(.production, isSaid: false))
        var said = device(2, wallet: nil)
        said.environment = .init(.production, isSaid: true)
        try await put(said)
        try await store.registry.noteEnvironment(.development, of: Sample.id(2))
        #expect(try await store.registry.device(Sample.id(2)) == said)
        try await store.registry.noteEnvironment(.development, of: Sample.id(3))
        #expect(try await store.registry.device(Sample.id(3)) == nil)
    }

    @Test("A dead token for ringing is forgotten, a newer one is not")
    func voipToken() async throws {
        var record = device(1, wallet: wallet)
        record.voipToken = [UInt8](repeating: 7, count: 32)
        try await put(record)
        try await store.registry.forgetVoIPToken([UInt8](repeating: 8, count: 32), of: Sample.id(1))
        #expect(try await store.registry.device(Sample.id(1)) == record)
        try await store.registry.forgetVoIPToken(record.voipToken, of: Sample.id(1))
        #expect(try await store.registry.device(Sample.id(1))?.voipToken == [])
    }

    @Test("Of two changes at once, the second sees the first", .timeLimit(.minutes(10)))
    func serial() async throws {
        for round in 0..<50 {
            let id = Sample.id(round)
            let record = device(round, wallet: wallet, at: UInt64(round))
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 {
                    group.addTask { [store] in
                        let outcome: DeviceOutcome<Bool> = try await store.registry.changeDevice(id) { old in
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
