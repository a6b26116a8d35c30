import Foundation
import Kaspa
import StoreSupport
import Synchronization
import Testing

@testable import Store

@Suite("ReadThreads", .rocksDBAlone("the threads are the same on every engine"), .timeLimit(.minutes(5)))
struct ReadThreadsTests {
    @TaskLocal private static var mark = 0

    private static var isReadThread: Bool { ReadThreads.isCurrent }

    /// Counts how many are inside at once, and holds them until all have come.
    private final class Meeting: Sendable {
        private let condition = NSCondition()
        private let inside = Mutex(0)

        func join(_ expected: Int) {
            condition.lock()
            defer { condition.unlock() }
            let count = inside.withLock { inside in
                inside += 1
                return inside
            }
            if count == expected { condition.broadcast() }
            while inside.withLock({ $0 }) < expected { condition.wait() }
        }
    }

    @Test("A read runs on a thread of its own and in its caller's task")
    func place() async throws {
        let threads = ReadThreads(count: 1)
        let (isReadThread, mark) = try await ReadThreadsTests.$mark.withValue(7) {
            try await threads.run { (Self.isReadThread, Self.mark) }
        }
        #expect(isReadThread && mark == 7)
    }

    @Test("As many reads run at once as there are threads", arguments: [1, 2, 3])
    func atOnce(_ count: Int) async throws {
        let (threads, meeting) = (ReadThreads(count: count), Meeting())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await threads.run { meeting.join(count) } } }
            try await group.waitForAll()
        }
    }

    @Test("What a read throws reaches its caller, and the thread goes on")
    func errors() async throws {
        let threads = ReadThreads(count: 1)
        for _ in 0..<3 {
            let error = await #expect(throws: StoreError.self) {
                try await threads.run { () throws(StoreError) -> Int in throw StoreError(.corrupt, "damaged") }
            }
            #expect(error?.code == .corrupt)
        }
        #expect(try await threads.run { 7 } == 7)
    }

    @Test("Many reads at once all come to their end, whoever lets go of the threads last")
    func many() async throws {
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            let threads = ReadThreads(count: 2)
            for number in 1...500 { group.addTask { try await threads.run { number } } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 500 * 501 / 2)
    }

    @Test("A row in memory is read at once, and one on the disk on a thread for reads; both are the same")
    func rows() async throws {
        let directory = try TemporaryDirectory()
        let records = (0..<300).map { number in
            DeviceRecord(
                token: Array(repeating: UInt8(truncatingIfNeeded: number), count: 32 + number / 256), platform: .ios,
                createdAt: 1, lastSeen: 1, watchedAddresses: [])
        }
        let places = Mutex<[Bool]>([])
        let conditions = StoreConditions(before: { step in
            if step == .read { places.withLock { $0.append(ReadThreads.isCurrent) } }
        })
        for round in 0..<4 {
            let store = try Store(path: directory.path, network: .mainnet, conditions: conditions)
            // Each round's rows end in tables of their own, and half of them are compacted.
            let mine = records[(75 * round)..<(75 * round + 75)]
            for record in mine { try await store.registry.upsertDevice(record.id) { _ in record } }
            places.withLock { $0 = [] }
            for record in mine { #expect(try await store.registry.device(record.id) == record) }
            #expect(places.withLock { $0.isEmpty })
            for record in records[..<(75 * round)] { #expect(try await store.registry.device(record.id) == record) }
            for record in records[(75 * round + 75)...] {
                #expect(try await !store.registry.isRegistered(record.id))
            }
            #expect(places.withLock { $0.allSatisfy(\.self) })
            if round.isMultiple(of: 2) { store.rocksDatabase.compact(.devices) }
        }
    }
}
