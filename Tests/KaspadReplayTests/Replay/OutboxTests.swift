import KaspaNode
import SwiftProtobuf
import Testing

@testable import KaspadReplay

@Suite(.timeLimit(.minutes(5))) struct OutboxTests {
    private struct Fault: Error, Equatable {}

    private func message(_ id: UInt64) -> Protowire_KaspadResponse { .with { $0.id = id } }

    @Test("It takes what it has room for and not one more")
    func capacity() async throws {
        let outbox = Outbox(capacity: 3)
        #expect((1...4).map { outbox.offer(message($0)) } == [true, true, true, false])
        #expect(try await outbox.next()?.map(\.id) == [1, 2, 3])
        #expect(outbox.offer(message(5)))
    }

    @Test("A finished outbox gives out what is left and then nil")
    func finish() async throws {
        let outbox = Outbox(capacity: 3)
        #expect(outbox.offer(message(1)))
        outbox.finish()
        outbox.abort(Fault())
        #expect(!outbox.offer(message(2)))
        #expect(try await outbox.next()?.map(\.id) == [1])
        #expect(try await outbox.next() == nil)
    }

    @Test("An aborted outbox drops what is left and throws")
    func abort() async throws {
        let outbox = Outbox(capacity: 3)
        #expect(outbox.offer(message(1)))
        outbox.abort(Fault())
        await #expect(throws: Fault.self) { try await outbox.next() }
        await outbox.room()
    }

    @Test("Who waits for room goes on when the reader has read, and everything comes in order")
    func backPressure() async throws {
        let outbox = Outbox(capacity: 4)
        async let ids = { () async throws -> [UInt64] in
            var ids: [UInt64] = []
            while let batch = try await outbox.next() { ids += batch.map(\.id) }
            return ids
        }()
        for id in 1...1000 as ClosedRange<UInt64> {
            await outbox.room()
            #expect(outbox.offer(message(id)))
        }
        outbox.finish()
        #expect(try await ids == Array(1...1000))
    }

    @Test("A cancelled reader ends the outbox for its writers")
    func cancelled() async throws {
        let outbox = Outbox(capacity: 2)
        let reader = Task { try await outbox.next() }
        reader.cancel()
        _ = await reader.result
        for id in 1...10 as ClosedRange<UInt64> {
            await outbox.room()
            _ = outbox.offer(message(id))
        }
        #expect(!outbox.offer(message(11)))
    }
}
