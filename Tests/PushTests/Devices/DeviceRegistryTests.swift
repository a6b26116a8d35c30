import Foundation
import Kaspa
import Push
import SampleOperations
import Store
import StoreSupport
import Testing

@Suite("DeviceRegistry", .timeLimit(.minutes(10)))
struct DeviceRegistryTests {
    private let bench: PushBench
    private let registry: DeviceRegistry
    private let token = Samples.token(1)
    private let id = DeviceID(token: Samples.token(1))

    init() async throws {
        bench = try await PushBench()
        registry = DeviceRegistry(store: bench.store, inFlight: InFlightDevices(), clock: bench.serviceClock)
    }

    private func registration(
        _ platform: DeviceRecord.Platform? = .macos, watching: [Address] = [Samples.alice]
    ) -> Registration {
        Registration(
            token: token, platform: platform, watchedAddresses: watching, primaryAddress: Samples.bob,
            aliases: [Array("tea".utf8)], watchedGroupIDs: [Samples.groupID], capabilities: ["group_v1"],
            payloadFormat: .kachat)
    }

    @Test("A registration is kept as it was asked for")
    func registers() async throws {
        try await registry.register(registration())
        let device = try #require(try await registry.device(token: token))
        #expect(
            device
                == DeviceRecord(
                    token: token, platform: .macos, createdAt: bench.clock.now, lastSeen: bench.clock.now,
                    primaryAddress: Samples.bob, watchedAddresses: [Samples.alice], aliases: [Array("tea".utf8)],
                    watchedGroupIDs: [Samples.groupID], capabilities: ["group_v1"], payloadFormat: .kachat))
        #expect(try await bench.store.totals().devices == 1)
        #expect(try await bench.store.totals().watchEntries == 4)
        #expect(try await registry.device(token: Samples.token(2)) == nil)
    }

    @Test(
        "A registration survives the process: a copy of the files, taken without closing the store, has it",
        .enabled(if: TestEngine.isRocksDB, "a server is killed in PostgresStoreTests"))
    func isDurable() async throws {
        try await registry.register(registration())
        let copy = try TemporaryDirectory()
        let path = copy.path + "/copy"
        try FileManager.default.copyItem(atPath: bench.directory.path, toPath: path)
        try? FileManager.default.removeItem(atPath: path + "/LOCK")
        let store = try Store(path: path, network: .mainnet)
        #expect(try await store.registry.device(id) == registry.device(token: token))
        #expect(try await store.registry.watchers(.address(Samples.alice), limit: 2) == [id])
    }

    @Test("A re-registration replaces everything but its beginning, which continues")
    func reregisters() async throws {
        try await registry.register(registration())
        let began = bench.clock.now
        bench.clock.advance(by: .seconds(60))
        try await registry.register(
            Registration(token: token, platform: .ios, watchedAddresses: [Samples.carol]))
        let device = try #require(try await registry.device(token: token))
        #expect(device.createdAt == began)
        #expect(device.lastSeen == began + 60_000)
        #expect(device.platform == .ios)
        #expect(device.primaryAddress == nil)
        #expect(device.aliases.isEmpty)
        #expect(device.capabilities.isEmpty)
        #expect(device.payloadFormat == nil)
        #expect(try await bench.store.registry.watchers(.address(Samples.alice), limit: 2).isEmpty)
        #expect(try await bench.store.registry.watchers(.primary(Samples.bob), limit: 2).isEmpty)
        #expect(try await bench.store.registry.watchers(.group(Samples.groupID), limit: 2).isEmpty)
        #expect(try await bench.store.registry.watchers(.address(Samples.carol), limit: 2) == [id])
        #expect(try await bench.store.totals().devices == 1)
        #expect(try await bench.store.totals().watchEntries == 1)
    }

    @Test("The same registration again changes nothing but the time it was seen")
    func isIdempotent() async throws {
        try await registry.register(registration())
        let first = try await registry.device(token: token)
        let totals = try await bench.store.totals()
        try await registry.register(registration())
        #expect(try await registry.device(token: token) == first)
        #expect(try await bench.store.totals() == totals)
    }

    @Test("An update keeps the platform, and makes an unknown device an iOS one")
    func updates() async throws {
        try await registry.register(registration(nil))
        #expect(try await registry.device(token: token)?.platform == .ios)
        try await registry.register(registration(.macos))
        try await registry.register(registration(nil))
        #expect(try await registry.device(token: token)?.platform == .macos)
    }

    @Test("An unregister leaves no trace, says whether there was one, and ends the registration's time")
    func unregisters() async throws {
        try await registry.register(registration())
        #expect(try await registry.unregister(token: token))
        #expect(try await !registry.unregister(token: token))
        #expect(try await registry.device(token: token) == nil)
        for key in [WatchKey.address(Samples.alice), .primary(Samples.bob), .group(Samples.groupID)] {
            #expect(try await bench.store.registry.watchers(key, limit: 1).isEmpty)
        }
        #expect(try await bench.store.outbox.deviceState(id) == DeviceState())
        #expect(try await bench.store.totals().devices == 0)
        #expect(try await bench.store.totals().watchEntries == 0)
        bench.clock.advance(by: .seconds(1))
        try await registry.register(registration())
        #expect(try await registry.device(token: token)?.createdAt == bench.clock.now)
    }

    @Test("An unregister takes the waiting deliveries and the numbering with it")
    func unregistersQueue() async throws {
        try await registry.register(registration())
        try await bench.accept(1..<4)
        for event in try await bench.store.outbox.events(after: 0, limit: 9) {
            _ = try await bench.store.outbox.fanOut(
                event: event.number, lists: [.address(Samples.alice)], limit: 9, ordinaryWatchers: 9,
                now: bench.clock.now, expiresAt: .max
            ) { _, _ in .notify }
        }
        #expect(try await bench.store.totals().deliveries == 3)
        #expect(try await bench.store.outbox.deviceState(id).lastSeq == 3)
        try await registry.unregister(token: token)
        #expect(try await bench.store.totals().deliveries == 0)
        #expect(try bench.store.outbox.entries(partition: id.partition, lane: .ordinary, limit: 1) == [])
        try await registry.register(registration())
        #expect(try await bench.store.outbox.deviceState(id).lastSeq == 0)
    }

    @Test("Many registrations at once are all kept")
    func concurrent() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...100 {
                group.addTask { [registry] in
                    try await registry.register(
                        Registration(
                            token: Samples.token(number), platform: .ios, watchedAddresses: [Samples.alice]))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await bench.store.totals().devices == 100)
        #expect(try await bench.store.registry.watcherCount(.address(Samples.alice), limit: 1000) == 100)
    }
}
