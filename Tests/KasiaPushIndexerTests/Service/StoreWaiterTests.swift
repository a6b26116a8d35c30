import API
import Kaspa
import Logging
import RecordedLogs
import ServiceLifecycle
import Store
import Synchronization
import Testing

@testable import KasiaPushIndexer

@Suite("Waiting for a store that another process works on", .timeLimit(.minutes(5)))
struct StoreWaiterTests {
    private static let locked = StoreError(.locked, "it is taken")
    private static let away = StoreError(.unavailable, "PostgreSQL: no answer")

    let directory: TemporaryDirectory
    let logs = RecordedLogs()

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// One that meets these errors, one an attempt, and then a store.
    private func waiter(
        after reason: StoreError = locked, _ errors: [StoreError],
        attempted: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> StoreWaiter {
        let attempts = Atomic(0)
        let path = directory.path + "/store"
        return StoreWaiter(
            after: reason, location: "db1, database push", interval: .milliseconds(1), logger: logs.logger
        ) { () async throws(StoreError) -> Store in
            let attempt = attempts.add(1, ordering: .relaxed).oldValue
            attempted(attempt)
            guard attempt >= errors.count else { throw errors[attempt] }
            return try Store(path: path, network: .mainnet)
        }
    }

    private func sentence(_ waiter: StoreWaiter) -> String {
        let readiness = waiter.readiness
        #expect(readiness.parts.map(\.name) == ["store"] && !readiness.isReady)
        return readiness.parts[0].state
    }

    @Test("it waits while the store is locked or the database is away, and says which")
    func waits() async throws {
        let waiter = waiter([Self.locked, Self.away, Self.away, Self.locked])
        #expect(sentence(waiter) == "another process works on the store at db1, database push, and this one stands by")
        let group = ServiceGroup(services: [waiter], logger: Logger(label: "group"))
        waiter.whenOpen { await group.triggerGracefulShutdown() }
        try await group.run()
        #expect(waiter.takeStore() != nil)
        #expect(waiter.takeStore() == nil, "it is handed over once")
        #expect(logs.events.map(\.message) == ["service.standby.store_unreachable", "service.standby.store_reached"])
        #expect(
            sentence(self.waiter(after: Self.away, []))
                == "this process stands by, and does not reach the store at db1, database push: PostgreSQL: no answer")
    }

    @Test(
        "any other error ends it",
        arguments: [.otherNetwork, .newerSchema, .unsupported, .engine, .corrupt, .inputOutput] as [StoreError.Code])
    func ends(code: StoreError.Code) async throws {
        let error = StoreError(code, "for the operator")
        #expect(!StoreWaiter.waits(after: error))
        let waiter = waiter([Self.locked, error])
        await #expect(throws: error) { try await waiter.run() }
        #expect(waiter.takeStore() == nil)
    }

    @Test("told to stop, it has no store")
    func stops() async throws {
        let (attempts, sink) = AsyncStream.makeStream(of: Int.self)
        let waiter = waiter(Array(repeating: Self.locked, count: 1_000_000)) { sink.yield($0) }
        let task = Task { try await waiter.run() }
        for await attempt in attempts where attempt == 3 { break }
        task.cancel()
        try await task.value
        #expect(waiter.takeStore() == nil)
    }

    @Test("a store that opens while the services behind stop is handed over, and is no failure")
    func opensAtTheStop() async throws {
        let (mayOpen, opens) = AsyncStream.makeStream(of: Never.self)
        let (isOpen, opened) = AsyncStream.makeStream(of: Never.self)
        let path = directory.path + "/store"
        let waiter = StoreWaiter(
            after: Self.locked, location: "db1", interval: .milliseconds(1), logger: logs.logger
        ) { () async throws(StoreError) -> Store in
            for await _ in mayOpen {}
            return try Store(path: path, network: .mainnet)
        }
        waiter.whenOpen { opened.finish() }
        // It stops first, and only once the store is open.
        let last = StoppingLast {
            opens.finish()
            for await _ in isOpen {}
        }
        let group = ServiceGroup(services: [waiter, last], logger: Logger(label: "group"))
        await group.triggerGracefulShutdown()
        try await group.run()
        #expect(waiter.takeStore() != nil)
    }
}

/// Runs until it is told to stop, and does this then.
private struct StoppingLast: Service {
    let stopping: @Sendable () async -> Void

    func run() async throws {
        try await gracefulShutdown()
        await stopping()
    }
}
