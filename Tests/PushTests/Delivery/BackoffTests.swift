import Testing

@testable import Push

@Suite("Backoff")
struct BackoffTests {
    @Test(
        "The window doubles from 1 s to 15 min and stays there",
        arguments: [
            (0, 1_000), (1, 2_000), (2, 4_000), (8, 256_000), (9, 512_000), (10, 900_000), (11, 900_000),
            (63, 900_000), (64, 900_000), (.max, 900_000),
        ] as [(UInt32, UInt64)])
    func window(attempts: UInt32, window: UInt64) {
        #expect(Backoff.delay(attempts: attempts, random: 0) == 0)
        #expect(Backoff.delay(attempts: attempts, random: 0.5) == window / 2)
        #expect(Backoff.delay(attempts: attempts, random: 1.0.nextDown) == window - 1)
        #expect(Backoff.delay(attempts: attempts, random: 1) == window)
    }

    @Test(
        "A random source out of its range does not leave the window",
        arguments: [-1, 2, .infinity, -.infinity] as [Double])
    func clamps(random: Double) {
        #expect((0...4_000).contains(Backoff.delay(attempts: 2, random: random)))
    }
}
