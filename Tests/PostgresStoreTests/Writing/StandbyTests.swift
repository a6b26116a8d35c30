import Kaspa
import PostgresServer
import StoreSupport
import Testing

@testable import PostgresStore
@testable import Store

@Suite("Standing by for the process that writes", .timeLimit(.minutes(5)))
struct StandbyTests {
    private static let lease = Duration.milliseconds(300)
    /// Of a process that sends heartbeats often.
    private static let lively = ServerTimes(deadline: .milliseconds(500), lease: lease, renewal: .milliseconds(20))
    /// Of one that sends none after it has taken over.
    private static let silent = ServerTimes(lease: .milliseconds(200), renewal: .seconds(3_600))

    private let bench: StoreBench
    private let watch = StandbyWatch(lease)

    init() throws { bench = try StoreBench() }

    @Test("A process at work is left alone, however long; one that has released the store is followed at once")
    func released() async throws {
        try await bench.use { first in
            try await first.count(.growth)
            try await first.watched(by: watch, at: bench, changes: 20)
        }
        let next = try open()
        #expect(try next.counted() == 21)
        try await next.count()
        #expect(next.mayAct)
    }

    @Test("A process that sends heartbeats is at work, though nothing is written")
    func idle() async throws {
        let first = try bench.open(times: StandbyTests.lively)
        let before = try bench.number("select heartbeat from writer")
        let batch = try bench.lastBatch()
        var seen: Set<Int64> = []
        try await StoreBench.wait("it sends heartbeats") {
            #expect(throws: StoreError.self) { _ = try open() }
            seen.insert(try bench.number("select heartbeat from writer"))
            return seen.count >= 30
        }
        #expect(try bench.number("select heartbeat from writer") > before)
        // They are no transactions.
        #expect(try bench.lastBatch() == batch && first.mayAct)
    }

    @Test("A process that died is followed when its heartbeat has stood still for a lease, and not before")
    func gone() async throws {
        try await bench.use { try await $0.count(.growth) }
        // As a kill leaves it.
        try bench.run("update writer set is_released = false")
        let start = ContinuousClock.now
        var next: Store?
        try await StoreBench.wait("it is followed") {
            next = try? open()
            #expect(next == nil || ContinuousClock.now - start >= StandbyTests.lease)
            return next != nil
        }
        #expect(try next?.counted() == 1)
    }

    @Test("A heartbeat at the last moment counts")
    func lastMoment() async throws {
        try await bench.use()
        try bench.run("update writer set is_released = false")
        let settings = bench.location.settings(session: PostgresStore.session)
        #expect(throws: StoreError.self) { _ = try watch.look(settings) }
        var seen: Heartbeat?
        try await StoreBench.wait("it is over") {
            seen = try? watch.look(settings)
            return seen != nil
        }
        try bench.run("update writer set heartbeat = heartbeat + 1")
        let late = try WriterConnection(settings, after: seen)
        #expect(throws: StoreError.self) { _ = try late.takeOver(from: seen) }
    }

    @Test("A process that holds the lock without a heartbeat is thrown out, writes nothing more, and may not act")
    func replaced() async throws {
        let first = try bench.open(times: StandbyTests.silent)
        try await first.count(.growth)
        var next: Store?
        try await StoreBench.wait("it is followed") {
            next = try? open()
            return next != nil
        }
        #expect(!first.mayAct)
        let refused = await StoreBench.failure { () throws(StoreError) in try await first.count(.growth) }
        #expect(refused?.code == .stopped && first.trouble?.code == .stopped)
        try await next?.count(.growth)
        #expect(try next?.counted() == 2)
        #expect(next?.mayAct == true)
    }

    @Test("While the server does not answer, nothing that cannot be taken back begins after half a lease")
    func silentServer() async throws {
        let server = try PostgresServer()
        let bench = try StoreBench(on: server)
        let store = try bench.open(times: StandbyTests.lively)
        try await store.count(.growth)
        #expect(store.mayAct)
        server.pause()
        try await StoreBench.wait("it may not act") { !store.mayAct }
        server.resume()
        try await StoreBench.wait("it may again") { store.mayAct }
        #expect(try await StoreBench.patiently { try store.counted() } == 1)
    }

    @Test("While the server was away, the process at work could send no heartbeat: that time does not count")
    func serverAway() async throws {
        let server = try PostgresServer()
        let bench = try StoreBench(on: server)
        let watch = StandbyWatch(.seconds(2))
        try await bench.use { try await $0.count(.growth) }
        try bench.run("update writer set is_released = false")
        let settings = bench.location.settings(session: PostgresStore.session)
        #expect(throws: StoreError.self) { _ = try watch.look(settings) }
        try server.stop()
        let start = ContinuousClock.now
        try await StoreBench.wait("it is away for longer than a lease") {
            #expect(throws: StoreError.self) { _ = try watch.look(settings) }
            return ContinuousClock.now - start > .seconds(2.2)
        }
        try server.start()
        #expect(throws: StoreError.self) { _ = try watch.look(settings) }
        try await StoreBench.wait("it is over") { (try? watch.look(settings)) != nil }
        #expect(ContinuousClock.now - start >= .seconds(3.7))
    }

    @Test("A primary without its synchronous standby may be replaced by that: what is written there renews no lease")
    func withoutSynchronousStandby() async throws {
        let server = try PostgresServer()
        let bench = try StoreBench(on: server)
        let store = try bench.open(times: StandbyTests.lively)
        try await store.count(.growth)
        #expect(store.mayAct)
        try server.run("alter system set synchronous_standby_names = 'nobody'")
        try server.run("select pg_reload_conf()")
        try await StoreBench.wait("it may not act") { !store.mayAct }
        try server.run("alter system reset synchronous_standby_names")
        try server.run("select pg_reload_conf()")
        try await StoreBench.wait("it may again") { store.mayAct }
        #expect(try await StoreBench.patiently { try store.counted() } == 1)
    }

    @Test("Two that stand by: one follows, the other stays")
    func two() async throws {
        try await bench.use { try await $0.count(.growth) }
        try bench.run("update writer set is_released = false")
        let others = [watch, StandbyWatch(StandbyTests.lease)]
        var open: [Store] = []
        try await StoreBench.wait("one follows") {
            open += others.compactMap { try? self.open($0) }
            return !open.isEmpty
        }
        #expect(open.count == 1)
        #expect(others.allSatisfy { (try? self.open($0)) == nil })
        try await open.first?.count()
    }

    private func open(_ watch: StandbyWatch? = nil) throws(StoreError) -> Store {
        try PostgresStore.open(bench.location, network: .mainnet, standby: watch ?? self.watch)
    }
}

extension Store {
    /// Counts, and has somebody try to take over before each.
    fileprivate func watched(by watch: StandbyWatch, at bench: StoreBench, changes: Int) async throws {
        for _ in 0..<changes {
            let error = await StoreBench.failure { () throws(StoreError) in
                _ = try PostgresStore.open(bench.location, network: .mainnet, standby: watch)
            }
            #expect(error?.code == .locked)
            try await count()
        }
    }
}
