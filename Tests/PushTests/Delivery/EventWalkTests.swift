import Kaspa
import Testing

@testable import Push
@testable import Store

@Suite("EventWalk", .timeLimit(.minutes(10)))
struct EventWalkTests {
    private let bench: PushBench

    init() async throws {
        var limits = StoreLimits()
        limits.longWalk = 1
        bench = try PushBench(limits: limits)
        try await bench.register(1..<4)
    }

    private func fresh(_ walk: inout EventWalk, _ limit: Int = 2) throws -> [UInt64] {
        try walk.fresh(in: bench.store, limit: limit).events.map(\.number)
    }

    private func rests(_ walk: inout EventWalk, _ limit: Int = 9) throws -> [UInt64] {
        try walk.rests(in: bench.store, limit: limit).map(\.number)
    }

    private func finish(_ number: UInt64) async throws { try await step(number, limit: 9, list: []) }

    /// Looks at so many watchers of an event.
    private func step(_ number: UInt64, limit: Int, list: [WatchKey] = [.address(Samples.alice)]) async throws {
        _ = try await bench.store.fanOut(
            event: number, lists: list, limit: limit, ordinaryWatchers: 1, now: 0, expiresAt: .max
        ) { _, _ in .skip }
    }

    @Test("Each event begins once, in order; what is left of it comes after, the oldest first, until it is finished")
    func begins() async throws {
        try await bench.accept(1..<6)
        var walk = EventWalk()
        #expect(try rests(&walk) == [])
        for (numbers, left) in [([1, 2], [1]), ([3, 4], [3, 4])] as [([UInt64], [UInt64])] {
            #expect(try fresh(&walk) == numbers)
            for number in numbers {
                if left.contains(number) { try await step(number, limit: 1) } else { try await finish(number) }
                walk.begun(number, isFinished: !left.contains(number))
            }
        }
        #expect(try fresh(&walk) == [5])
        #expect(try rests(&walk) == [1, 3, 4])
        #expect(try rests(&walk) == [1, 3, 4])
        try await finish(1)
        walk.restFinished(1)
        #expect(try rests(&walk) == [3, 4])
        // One that cannot be walked lets the others go first.
        walk.restFailed(3)
        #expect(try rests(&walk) == [4])
        try await finish(4)
        walk.restFinished(4)
        #expect(try rests(&walk) == [3])
        try await finish(3)
        walk.restFinished(3)
        #expect(try rests(&walk) == [])
        #expect(try fresh(&walk) == [5])
    }

    @Test("Events that are not due are read again, and hold up no rest")
    func notDue() async throws {
        try await bench.accept(1..<4)
        var walk = EventWalk()
        for _ in 0..<2 { #expect(try fresh(&walk) == [1, 2]) }
        try await step(1, limit: 1)
        walk.begun(1, isFinished: false)
        for _ in 0..<2 {
            #expect(try fresh(&walk) == [2, 3])
            #expect(try rests(&walk) == [1])
        }
    }

    @Test("What stands behind an event that is not due is looked at once, and again while it is being walked")
    func ahead() async throws {
        try await bench.accept(1..<6)
        var walk = EventWalk()
        func ahead() throws -> [UInt64] { try walk.ahead(in: bench.store, limit: 2).map(\.number) }
        #expect(try ahead() == [1, 2])
        walk.aheadAdvanced(2, isFinished: false)
        #expect(try ahead() == [2, 3, 4])
        walk.aheadAdvanced(3, isFinished: false)
        // No more of them than a turn can walk.
        #expect(try ahead() == [2, 3])
        walk.aheadAdvanced(3, isFinished: true)
        try await finish(2)
        #expect(try ahead() == [5])
        #expect(try ahead() == [])
        try await bench.accept(6..<7)
        #expect(try ahead() == [6])
    }

    @Test("After a restart the rests of long events stand behind those that have not begun", arguments: [1, 2, 3, 64])
    func restart(limit: Int) async throws {
        try await bench.accept(1..<101)
        for number in 1...98 as ClosedRange<UInt64> {
            if number.isMultiple(of: 3) { try await finish(number) } else { try await step(number, limit: 1) }
        }
        var walk = EventWalk()
        #expect(try fresh(&walk, limit).first == 99)
        #expect(try rests(&walk, 3) == [1, 2, 4])
        walk.begun(99, isFinished: true)
        #expect(try fresh(&walk, limit) == [100])
        let hasMore = try walk.fresh(in: bench.store, limit: 9).hasMore
        #expect(!hasMore)
    }

    @Test("A walk that begins behind finished events finds those that come")
    func beginsLate() async throws {
        try await bench.accept(1..<5)
        for number in [1, 2, 4] as [UInt64] { try await finish(number) }
        var walk = EventWalk()
        #expect(try fresh(&walk) == [3])
        walk.begun(3, isFinished: true)
        try await finish(3)
        for _ in 0..<2 { #expect(try fresh(&walk).isEmpty) }
        try await bench.accept(5..<7)
        #expect(try fresh(&walk) == [5, 6])
        #expect(try rests(&walk).isEmpty)
    }
}
