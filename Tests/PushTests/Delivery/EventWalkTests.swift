import Kaspa
import SampleOperations
import Testing

@testable import Push
@testable import Store
import StoreSupport

@Suite("EventWalk", .timeLimit(.minutes(10)))
struct EventWalkTests {
    private let bench: PushBench

    init() async throws {
        var limits = StoreLimits()
        limits.longWalk = 1
        bench = try await PushBench(limits: limits)
        try await bench.register(1..<4)
    }

    private func fresh(_ walk: inout EventWalk, _ limit: Int = 2) async throws -> [UInt64] {
        let fresh = try await bench.store.outbox.freshEvents(
            after: walk.position, limit: limit, reading: EventWalk.eventsPerRead)
        walk.found(fresh)
        return fresh.events.map(\.number)
    }

    private func rests(_ walk: inout EventWalk, _ limit: Int = 9) async throws -> [UInt64] {
        while let look = walk.restLook {
            let events =
                switch look {
                case .events(let numbers): try await bench.store.outbox.events(numbers)
                case .after(let number): try await bench.store.outbox.events(after: number, limit: limit)
                }
            if let rests = walk.foundRests(events, by: look) { return rests.map(\.number) }
        }
        return []
    }

    private func ahead(_ walk: inout EventWalk, _ limit: Int = 2) async throws -> [UInt64] {
        let rests = try await bench.store.outbox.events(walk.aheadRests)
        guard let number = walk.foundAhead(rests, limit: limit) else { return rests.map(\.number) }
        let events = try await bench.store.outbox.events(after: number, limit: limit)
        walk.readAhead(events)
        return (rests + events).map(\.number)
    }

    private func finish(_ number: UInt64) async throws { try await step(number, limit: 9, list: []) }

    /// Looks at so many watchers of an event.
    private func step(_ number: UInt64, limit: Int, list: [WatchKey] = [.address(Samples.alice)]) async throws {
        _ = try await bench.store.outbox.fanOut(
            event: number, lists: list, limit: limit, ordinaryWatchers: 1, now: 0, expiresAt: .max
        ) { _, _ in .skip }
    }

    @Test("Each event begins once, in order; what is left of it comes after, the oldest first, until it is finished")
    func begins() async throws {
        try await bench.accept(1..<6)
        var walk = EventWalk()
        #expect(try await rests(&walk) == [])
        for (numbers, left) in [([1, 2], [1]), ([3, 4], [3, 4])] as [([UInt64], [UInt64])] {
            #expect(try await fresh(&walk) == numbers)
            for number in numbers {
                if left.contains(number) { try await step(number, limit: 1) } else { try await finish(number) }
                walk.begun(number, isFinished: !left.contains(number))
            }
        }
        #expect(try await fresh(&walk) == [5])
        #expect(try await rests(&walk) == [1, 3, 4])
        #expect(try await rests(&walk) == [1, 3, 4])
        try await finish(1)
        walk.restFinished(1)
        #expect(try await rests(&walk) == [3, 4])
        // One that cannot be walked lets the others go first.
        walk.restFailed(3)
        #expect(try await rests(&walk) == [4])
        try await finish(4)
        walk.restFinished(4)
        #expect(try await rests(&walk) == [3])
        try await finish(3)
        walk.restFinished(3)
        #expect(try await rests(&walk) == [])
        #expect(try await fresh(&walk) == [5])
    }

    @Test("Events that are not due are read again, and hold up no rest")
    func notDue() async throws {
        try await bench.accept(1..<4)
        var walk = EventWalk()
        for _ in 0..<2 { #expect(try await fresh(&walk) == [1, 2]) }
        try await step(1, limit: 1)
        walk.begun(1, isFinished: false)
        for _ in 0..<2 {
            #expect(try await fresh(&walk) == [2, 3])
            #expect(try await rests(&walk) == [1])
        }
    }

    @Test("What stands behind an event that is not due is looked at once, and again while it is being walked")
    func ahead() async throws {
        try await bench.accept(1..<6)
        var walk = EventWalk()
        #expect(try await ahead(&walk) == [1, 2])
        walk.aheadAdvanced(2, isFinished: false)
        #expect(try await ahead(&walk) == [2, 3, 4])
        walk.aheadAdvanced(3, isFinished: false)
        // No more of them than a turn can walk.
        #expect(try await ahead(&walk) == [2, 3])
        walk.aheadAdvanced(3, isFinished: true)
        try await finish(2)
        #expect(try await ahead(&walk) == [5])
        #expect(try await ahead(&walk) == [])
        try await bench.accept(6..<7)
        #expect(try await ahead(&walk) == [6])
    }

    @Test("After a restart the rests of long events stand behind those that have not begun", arguments: [1, 2, 3, 64])
    func restart(limit: Int) async throws {
        try await bench.accept(1..<101)
        for number in 1...98 as ClosedRange<UInt64> {
            if number.isMultiple(of: 3) { try await finish(number) } else { try await step(number, limit: 1) }
        }
        var walk = EventWalk()
        #expect(try await fresh(&walk, limit).first == 99)
        #expect(try await rests(&walk, 3) == [1, 2, 4])
        walk.begun(99, isFinished: true)
        #expect(try await fresh(&walk, limit) == [100])
        let rest = try await bench.store.outbox.freshEvents(after: walk.position, limit: 9, reading: 9)
        #expect(!rest.hasMore)
    }

    @Test("A walk that begins behind finished events finds those that come")
    func beginsLate() async throws {
        try await bench.accept(1..<5)
        for number in [1, 2, 4] as [UInt64] { try await finish(number) }
        var walk = EventWalk()
        #expect(try await fresh(&walk) == [3])
        walk.begun(3, isFinished: true)
        try await finish(3)
        for _ in 0..<2 { #expect(try await fresh(&walk).isEmpty) }
        try await bench.accept(5..<7)
        #expect(try await fresh(&walk) == [5, 6])
        #expect(try await rests(&walk).isEmpty)
    }
}
