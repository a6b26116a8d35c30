import Foundation
import Testing

@testable import Clocks

@Suite("The service's times")
struct ServiceTimeTests {
    private static let day: UInt64 = 86_400_000
    private static let minute: UInt64 = 60_000
    /// A moment that is right on all clocks.
    private static let true0: UInt64 = 1_800_000_000_000

    /// A run of the service on a machine whose wall clock a test sets.
    private struct Run {
        var time: ServiceTime
        var truth: UInt64
        var wallError: Int64
        var uptime: UInt64 = 5_000

        init(_ kept: ClockReading?, truth: UInt64, wallError: Int64 = 0) {
            self.truth = truth
            self.wallError = wallError
            time = ServiceTime(
                kept: kept, wall: UInt64(Int64(truth) + wallError), uptime: 5_000)
        }

        var wall: UInt64 { UInt64(Int64(truth) + wallError) }
        var now: UInt64 { time.service(at: uptime) }
        var present: UInt64 { time.present(wall: wall, uptime: uptime) }
        var reading: ClockReading? { time.reading(wall: wall, uptime: uptime) }
        var skew: ClockSkew? { time.skew(wall: wall, uptime: uptime) }

        mutating func pass(_ milliseconds: UInt64) {
            truth += milliseconds
            uptime += milliseconds
        }

        mutating func hear(error: Int64 = 0) {
            time.hear(UInt64(Int64(truth) + error), wall: wall, uptime: uptime)
        }

        mutating func adjust() { time.adjust(wall: wall, uptime: uptime) }
    }

    @Test("A wall clock that jumps, by seconds or by years, moves only the wall clock")
    func jumps() {
        var run = Run(nil, truth: Self.true0)
        run.hear()
        for error in [1_000, -1_000, 90_000_000, -90_000_000, 400_000_000_000, -400_000_000_000] as [Int64] {
            run.wallError = error
            run.adjust()
            run.pass(3_000)
            run.adjust()
            let isTolerated = error.magnitude <= ClockSkew.tolerated
            #expect(run.skew?.isTolerated == isTolerated)
            #expect(run.present == (isTolerated ? run.wall : run.truth))
        }
        // Six stretches of three seconds; those under a clock that is right may be slewed by 12 ms each.
        let passed = run.now - Self.true0
        #expect((17_950...18_050).contains(passed))
    }

    @Test("The wall clock is right up to ten minutes from the chain's time", arguments: [1, -1] as [Int64])
    func tolerance(sign: Int64) {
        for (error, isTolerated) in [(599_999, true), (600_000, true), (600_001, false)] as [(Int64, Bool)] {
            var run = Run(nil, truth: Self.true0, wallError: sign * error)
            #expect(run.skew == nil)
            run.hear()
            #expect(run.skew == ClockSkew(wall: run.wall, chain: run.truth))
            #expect(run.skew?.isTolerated == isTolerated)
            #expect(run.present == (isTolerated ? run.wall : run.truth))
            #expect(run.now == run.present)
        }
    }

    @Test("A time away counts as the least that the wall clock and the chain say of it")
    func away() throws {
        let day = Int64(Self.day)
        for (before, after, expected) in [
            (0, 0, 3 * day), (0, 25 * day, 3 * day), (25 * day, 0, 0), (0, -1 * day, 2 * day), (-2 * day, 0, 3 * day),
        ] as [(Int64, Int64, Int64)] {
            var first = Run(nil, truth: Self.true0, wallError: before)
            first.hear()
            let kept = try #require(first.reading)
            var second = Run(kept, truth: Self.true0 + 3 * Self.day, wallError: after)
            #expect(second.now == kept.service)
            second.pass(700)
            #expect(second.now == kept.service + 700)
            second.hear()
            #expect(second.now == kept.service + max(700, UInt64(expected) + (expected > 0 ? 700 : 0)))
        }
    }

    @Test("A lying chain alone does not make time pass: not over a restart, and not while it runs")
    func lyingChain() throws {
        var first = Run(nil, truth: Self.true0)
        first.hear()
        let kept = try #require(first.reading)
        var second = Run(kept, truth: Self.true0 + 1_000)
        second.hear(error: 400 * Int64(Self.day))
        #expect(second.now == kept.service + 1_000)
        second.pass(50)
        second.hear(error: -400 * Int64(Self.day))
        #expect(second.now == kept.service + 1_050)
        #expect(second.skew?.isTolerated == false)
    }

    @Test("Runs that never hear the chain lose no time, and none goes back")
    func unheard() throws {
        var run = Run(nil, truth: Self.true0)
        #expect(run.reading == nil)
        run.hear()
        var kept = try #require(run.reading)
        var last = run.now
        for _ in 0..<3 {
            run = Run(kept, truth: run.truth + 10_000)
            run.pass(Self.minute)
            #expect(run.now >= last)
            last = run.now
            kept = try #require(run.reading)
        }
        run = Run(kept, truth: run.truth)
        run.hear()
        #expect(run.now == run.truth)
    }

    @Test("A node whose chain stands still does not make the clock wrong; what it says next counts again")
    func standstill() {
        var run = Run(nil, truth: Self.true0)
        run.hear()
        for _ in 0..<60 {
            run.pass(20_000)
            run.time.hear(Self.true0, wall: run.wall, uptime: run.uptime)
        }
        #expect(run.skew?.ahead == 0)
        run.hear(error: -5_000)
        #expect(run.skew?.ahead == 5_000)
    }

    @Test(
        "A start whose wall clock is far from what was left waits for the node, but no longer than half a minute",
        arguments: [1, -1] as [Int64])
    func settling(sign: Int64) throws {
        var first = Run(nil, truth: Self.true0)
        #expect(first.time.isSettled(wall: first.wall, uptime: first.uptime))
        first.hear()
        let kept = try #require(first.reading)
        for (error, isSettled) in [(599_999, true), (600_000, true), (600_001, false)] as [(Int64, Bool)] {
            var run = Run(kept, truth: Self.true0, wallError: sign * error)
            #expect(run.time.isSettled(wall: run.wall, uptime: run.uptime) == isSettled)
            run.pass(29_999)
            #expect(run.time.isSettled(wall: run.wall, uptime: run.uptime) == isSettled)
            run.hear()
            #expect(run.time.isSettled(wall: run.wall, uptime: run.uptime))
            run = Run(kept, truth: Self.true0, wallError: sign * error)
            run.pass(30_000)
            #expect(run.time.isSettled(wall: run.wall, uptime: run.uptime))
        }
    }

    @Test("It is time to ask the node again after twenty seconds")
    func listening() {
        var run = Run(nil, truth: Self.true0)
        #expect(run.time.shouldHear(at: run.uptime))
        run.hear()
        for (passed, isTime) in [(0, false), (19_999, false), (20_000, true), (20_001, true)] as [(UInt64, Bool)] {
            #expect(run.time.shouldHear(at: run.uptime + passed) == isTime)
        }
    }

    @Test(
        "An offset is worked off while the wall clock is right, by some minutes a day", arguments: [1, -1] as [Int64])
    func slewing(sign: Int64) {
        var run = Run(nil, truth: Self.true0, wallError: sign * 240_000)
        run.hear()
        let offset = Int64(run.now) - Int64(run.truth)
        #expect(offset == sign * 240_000)
        run.wallError = 0
        for _ in 0..<3_600 {
            run.adjust()
            run.pass(1_000)
        }
        // Of each second, three whole milliseconds.
        let left = Int64(run.now) - Int64(run.truth)
        #expect(left == sign * (240_000 - 3 * 3_600))
        for _ in 0..<80_000 {
            run.adjust()
            run.pass(1_000)
        }
        #expect((Int64(run.now) - Int64(run.truth)).magnitude <= 1_100)
    }

    @Test("Whatever the wall clock does, the service's time never goes back, and hardly ahead of the time that passes")
    func anything() throws {
        let seed = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        var steps = Steps(state: seed)
        var restarts: UInt64 = 0
        var run = Run(nil, truth: Self.true0)
        run.hear()
        var last = run.now
        for _ in 0..<20_000 {
            switch steps.next(8) {
            case 0: run.wallError = Int64(steps.next(800_000_000_000)) - 400_000_000_000
            case 1: run.wallError = Int64(steps.next(20_000)) - 10_000
            case 2: run.hear(error: -Int64(steps.next(150_000)))
            case 3:
                let away = steps.next(5_000)
                run = Run(run.reading, truth: run.truth + away, wallError: run.wallError)
                restarts += 1
            default:
                run.adjust()
                run.pass(steps.next(5_000))
            }
            guard run.now >= last else {
                Issue.record("TEST_SEED=\(seed): it went back")
                return
            }
            last = run.now
        }
        let (passed, real) = (last - Self.true0, run.truth - Self.true0)
        // A time away is as inexact as the chain's time was at its beginning.
        #expect(passed <= real + real / 256 + restarts * 150_000, "TEST_SEED=\(seed)")
    }

    /// Numbers from a seed.
    private struct Steps {
        var state: UInt64

        mutating func next(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 20) % bound
        }
    }
}
