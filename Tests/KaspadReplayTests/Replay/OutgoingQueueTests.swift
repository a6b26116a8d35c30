import KaspaNode
import SwiftProtobuf
import Testing

@testable import KaspadReplay

@Suite(.timeLimit(.minutes(5))) struct OutgoingQueueTests {
    private struct Fault: Error, Equatable {}

    private func message(_ id: UInt64) -> Protowire_KaspadResponse { .with { $0.id = id } }

    @Test("It takes what it has room for and not one more")
    func capacity() async throws {
        let queue = OutgoingQueue(capacity: 3)
        #expect((1...4).map { queue.offer(message($0)) } == [true, true, true, false])
        #expect(try await queue.next()?.map(\.id) == [1, 2, 3])
        #expect(queue.offer(message(5)))
    }

    @Test("A finished queue gives out what is left and then nil")
    func finish() async throws {
        let queue = OutgoingQueue(capacity: 3)
        #expect(queue.offer(message(1)))
        queue.finish()
        queue.abort(Fault())
        #expect(!queue.offer(message(2)))
        #expect(try await queue.next()?.map(\.id) == [1])
        #expect(try await queue.next() == nil)
    }

    @Test("An aborted queue drops what is left and throws")
    func abort() async throws {
        let queue = OutgoingQueue(capacity: 3)
        #expect(queue.offer(message(1)))
        queue.abort(Fault())
        await #expect(throws: Fault.self) { try await queue.next() }
        await queue.room()
    }

    @Test("Who waits for room goes on when the reader has read, and everything comes in order")
    func backPressure() async throws {
        let queue = OutgoingQueue(capacity: 4)
        async let ids = { () async throws -> [UInt64] in
            var ids: [UInt64] = []
            while let batch = try await queue.next() { ids += batch.map(\.id) }
            return ids
        }()
        for id in 1...1000 as ClosedRange<UInt64> {
            await queue.room()
            #expect(queue.offer(message(id)))
        }
        queue.finish()
        #expect(try await ids == Array(1...1000))
    }

    @Test("A cancelled reader ends the queue for its writers")
    func cancelled() async throws {
        let queue = OutgoingQueue(capacity: 2)
        let reader = Task { try await queue.next() }
        reader.cancel()
        _ = await reader.result
        for id in 1...10 as ClosedRange<UInt64> {
            await queue.room()
            _ = queue.offer(message(id))
        }
        #expect(!queue.offer(message(11)))
    }
}
