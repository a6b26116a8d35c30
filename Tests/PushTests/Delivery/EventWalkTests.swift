import Store
import Testing

@testable import Push

@Suite("EventWalk", .timeLimit(.minutes(10)))
struct EventWalkTests {
    private let bench: PushBench

    init() throws { bench = try PushBench() }

    private func next(_ walk: inout EventWalk, _ limit: Int = 2) throws -> [UInt64] {
        try walk.next(in: bench.store, limit: limit).map(\.number)
    }

    private func finish(_ number: UInt64) async throws {
        let step = try await bench.store.fanOut(
            event: number, lists: [], limit: 1, ordinaryWatchers: 1, now: 0, expiresAt: 0
        ) { _, _ in .skip }
        #expect(step.finished)
    }

    @Test("Unfinished events come round again after the newest, in order, until they are finished")
    func goesRound() async throws {
        try await bench.accept(1..<6)
        var walk = EventWalk()
        #expect(try next(&walk) == [1, 2])
        walk.advanced(1, isFinished: false)
        walk.advanced(2, isFinished: true)
        try await finish(2)
        #expect(try next(&walk) == [3, 4])
        walk.advanced(3, isFinished: true)
        walk.advanced(4, isFinished: false)
        try await finish(3)
        #expect(try next(&walk) == [5])
        walk.advanced(5, isFinished: true)
        try await finish(5)
        #expect(try next(&walk) == [1, 4])
        walk.advanced(1, isFinished: true)
        walk.advanced(4, isFinished: true)
        try await finish(1)
        try await finish(4)
        #expect(try next(&walk).isEmpty)
        try await bench.accept(6..<7)
        #expect(try next(&walk) == [6])
    }

    @Test("What was read but not looked at is read again")
    func readsAgain() async throws {
        try await bench.accept(1..<4)
        var walk = EventWalk()
        #expect(try next(&walk) == [1, 2])
        #expect(try next(&walk) == [1, 2])
        walk.advanced(1, isFinished: false)
        #expect(try next(&walk) == [2, 3])
    }

    @Test("A round that is ended goes back to the oldest unfinished event, or stays")
    func endsRound() async throws {
        try await bench.accept(1..<4)
        var walk = EventWalk()
        walk.advanced(1, isFinished: true)
        try await finish(1)
        let nothingLeft = walk.endRound()
        #expect(!nothingLeft)
        #expect(try next(&walk) == [2, 3])
        walk.advanced(2, isFinished: false)
        let isLeft = walk.endRound()
        #expect(isLeft)
        #expect(try next(&walk) == [2, 3])
    }

    @Test("A walk that begins behind finished events finds those that come, and those that came unfinished")
    func beginsLate() async throws {
        try await bench.accept(1..<5)
        for number in [1, 2, 4] as [UInt64] { try await finish(number) }
        var walk = EventWalk()
        #expect(try next(&walk) == [3])
        walk.advanced(3, isFinished: false)
        #expect(try next(&walk) == [3])
        walk.advanced(3, isFinished: true)
        try await finish(3)
        #expect(try next(&walk).isEmpty)
        #expect(try next(&walk).isEmpty)
        try await bench.accept(5..<7)
        #expect(try next(&walk) == [5, 6])
        var late = EventWalk()
        for number in [5, 6] as [UInt64] { try await finish(number) }
        #expect(try next(&late).isEmpty)
        try await bench.accept(7..<8)
        #expect(try next(&late) == [7])
    }
}
