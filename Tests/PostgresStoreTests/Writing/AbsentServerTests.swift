import Kaspa
import PostgresServer
import SampleOperations
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

@Suite("A server that does not answer", .timeLimit(.minutes(5)))
struct AbsentServerTests {
    private static let times = ServerTimes(
        deadline: .milliseconds(500), patience: .milliseconds(700), pause: .milliseconds(5),
        spaceCheck: .milliseconds(50))

    @Test("Paused: changes wait and are made, registrations are refused, the cancelled end, reads fail in time")
    func paused() async throws {
        let server = try PostgresServer()
        let bench = try StoreBench(on: server)
        let store = try bench.open(times: AbsentServerTests.times)
        try await store.count(.growth)
        #expect(try store.counted() == 1)
        server.pause()
        let start = ContinuousClock.now
        let settlement = Task { try await store.count(.upkeep) }
        let step = Task { try await store.count(.growth) }
        let cancelled = Task { await StoreBench.failure { () throws(StoreError) in try await store.count(.growth) } }
        cancelled.cancel()
        let read = await StoreBench.failure { () throws(StoreError) in _ = try await store.registry.devices(limit: 1) }
        #expect(read?.code == .unavailable)
        #expect(ContinuousClock.now - start < .seconds(30))
        let registration = await StoreBench.failure { () throws(StoreError) in try await store.count(.registration) }
        #expect(registration?.code == .unavailable)
        let waited = ContinuousClock.now - start
        #expect(waited >= AbsentServerTests.times.patience && waited < .seconds(60))
        let abandoned = await cancelled.value
        #expect(abandoned == nil || abandoned?.code == .unavailable)
        #expect(store.trouble?.code == .unavailable && store.registrationTrouble?.code == .unavailable)
        server.resume()
        try await settlement.value
        try await step.value
        // Of the cancelled one nobody knows; the others are made once.
        let counted = try await StoreBench.patiently { try store.counted() }
        #expect(counted.map { (3...4).contains($0) } == true)
        #expect(store.trouble == nil)
        try await store.count(.registration)
    }

    @Test("Gone: its return is found out though nobody writes")
    func returns() async throws {
        let server = try PostgresServer()
        let bench = try StoreBench(on: server)
        let store = try bench.open(times: AbsentServerTests.times)
        try server.stop()
        let refused = await StoreBench.failure { () throws(StoreError) in try await store.count(.registration) }
        #expect(refused?.code == .unavailable)
        #expect(store.registrationTrouble?.code == .unavailable)
        try server.start()
        try await StoreBench.wait("the trouble is over") { store.registrationTrouble == nil }
        try await store.count(.registration)
    }

    @Test("A registration that waits for the server is taken in when it is back")
    func waitingRegistration() async throws {
        let server = try PostgresServer()
        let bench = try StoreBench(on: server)
        let store = try bench.open(times: AbsentServerTests.times)
        try server.stop()
        let device = Samples.device(1)
        let registration = Task { try await store.registry.upsertDevice(device.id) { _ in device } }
        try await StoreBench.wait("the server is missed") { store.trouble != nil }
        try server.start()
        try await registration.value
        #expect(try await StoreBench.patiently { try await store.registry.isRegistered(device.id) })
    }

    @Test("A store that goes while its server is away is closed")
    func closes() async throws {
        let server = try PostgresServer()
        let bench = try StoreBench(on: server)
        var store: Store? = try bench.open(times: AbsentServerTests.times)
        let closing = try #require(store?.closing)
        try await store?.count(.upkeep)
        try server.stop()
        let task = Task { [store] in await StoreBench.failure { () throws(StoreError) in try await store?.count() } }
        try await StoreBench.wait("the server is missed") { [store] in store?.trouble != nil }
        task.cancel()
        #expect(await task.value?.code == .unavailable)
        store = nil
        #expect(await closing.wait(atMost: .seconds(10)))
    }
}
