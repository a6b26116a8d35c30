import Testing

@testable import Clocks

@Suite("Backoff")
struct BackoffTests {
    private let seconds = Backoff<UInt64>(first: 1_000, ceiling: 900_000)

    @Test(
        "The pause doubles up to the ceiling and stays there",
        arguments: [
            (-1, 1_000), (0, 1_000), (1, 2_000), (2, 4_000), (8, 256_000), (9, 512_000), (10, 900_000),
            (11, 900_000), (63, 900_000), (64, 900_000), (.max, 900_000),
        ] as [(Int, UInt64)])
    func doubles(failures: Int, pause: UInt64) {
        #expect(seconds.pause(after: failures) == pause)
        let durations = Backoff<Duration>(first: .seconds(1), ceiling: .seconds(900))
        #expect(durations.pause(after: failures) == .milliseconds(pause))
    }

    @Test(
        "One pause follows on another: twice as long, at least the first, at most the ceiling",
        arguments: [
            (0, 1_000), (1, 1_000), (499, 1_000), (500, 1_000), (501, 1_002), (449_999, 899_998), (450_000, 900_000),
            (450_001, 900_000), (900_000, 900_000), (900_001, 900_000), (.max, 900_000),
        ] as [(UInt64, UInt64)])
    func follows(pause: UInt64, next: UInt64) {
        #expect(seconds.next(after: pause) == next)
    }

    @Test("A first pause beyond the ceiling is cut to it, and none at all stays none")
    func limits() {
        #expect(Backoff<UInt64>(first: 7, ceiling: 5).pause(after: 0) == 5)
        #expect(Backoff<UInt64>(first: 5, ceiling: 5).pause(after: 9) == 5)
        #expect(Backoff<UInt64>(first: 0, ceiling: 5).pause(after: .max) == 0)
        #expect(Backoff<UInt64>(first: 0, ceiling: 0).pause(after: .max) == 0)
    }

    @Test("The greatest numbers do not overflow")
    func greatest() {
        let backoff = Backoff<UInt64>(first: 3, ceiling: .max)
        #expect(backoff.pause(after: 62) == 3 << 62)
        #expect(backoff.pause(after: 63) == .max)
        #expect(backoff.pause(after: .max) == .max)
        #expect(backoff.jittered(after: .max, random: 1) == .max)
        #expect(backoff.jittered(after: .max, random: 0.5) == 1 << 63)
    }

    @Test(
        "Full jitter is anything from nothing to the pause",
        arguments: [(0, 1_000), (2, 4_000), (10, 900_000), (.max, 900_000)] as [(Int, UInt64)])
    func jitter(failures: Int, pause: UInt64) {
        #expect(seconds.jittered(after: failures, random: 0) == 0)
        #expect(seconds.jittered(after: failures, random: 0.5) == pause / 2)
        #expect(seconds.jittered(after: failures, random: 1.0.nextDown) == pause - 1)
        #expect(seconds.jittered(after: failures, random: 1) == pause)
    }

    @Test(
        "A random source out of its range does not leave the pause",
        arguments: [-1, 2, .infinity, -.infinity] as [Double])
    func clamps(random: Double) {
        #expect((0...4_000).contains(seconds.jittered(after: 2, random: random)))
    }
}
