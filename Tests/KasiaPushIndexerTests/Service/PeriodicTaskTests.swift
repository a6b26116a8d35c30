import Logging
import ServiceLifecycle
import Synchronization
import Testing

@testable import KasiaPushIndexer

@Suite("PeriodicTask", .timeLimit(.minutes(5)))
struct PeriodicTaskTests {
    @Test("does its work again and again, and ends at a graceful shutdown")
    func repeats() async throws {
        let (times, told) = AsyncStream.makeStream(of: Void.self)
        let service = ServiceGroup(
            services: [PeriodicTask(every: .milliseconds(1)) { told.yield() }],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            var iterator = times.makeAsyncIterator()
            for _ in 0..<3 { _ = await iterator.next() }
            await service.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }

    @Test("a stop before the first time does no work")
    func stops() async throws {
        let count = Mutex(0)
        let task = PeriodicTask(every: .seconds(3_600)) { count.withLock { $0 += 1 } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await task.run() }
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(count.withLock { $0 } == 0)
    }
}
