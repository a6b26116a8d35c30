import KaspadReplay
import Testing

@Suite("Seeded random numbers")
struct SeededRandomTests {
    @Test("The sequence is SplitMix64's")
    func referenceValues() {
        // From the reference implementation in C, seed 1234567.
        var random = SeededRandom(seed: 1_234_567)
        let expected: [UInt64] = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        #expect(expected.map { _ in random.next() } == expected)
    }

    @Test("Numbers stay in their range and reach both ends", arguments: [1, 2, 7, 256])
    func ranges(bound: Int) {
        var random = SeededRandom(seed: 5)
        let below = Set((0..<bound * 50).map { _ in random.number(below: bound) })
        #expect(below.min() == 0 && below.max() == bound - 1)
        let within = Set((0..<bound * 50).map { _ in random.number(in: 10...9 + bound) })
        #expect(within.min() == 10 && within.max() == 9 + bound)
    }

    @Test("A bound without numbers gives 0, and no bytes are no bytes")
    func empty() {
        var random = SeededRandom(seed: 5)
        #expect(random.number(below: 0) == 0 && random.number(below: -3) == 0)
        #expect(random.bytes(0) == [] && random.bytes(9).count == 9)
    }

    @Test("Chance 0 never happens, chance 1 always, a half about every other time")
    func chances() {
        var random = SeededRandom(seed: 5)
        #expect((0..<1000).allSatisfy { _ in !random.chance(0) && random.chance(1) })
        #expect((400...600).contains((0..<1000).count { _ in random.chance(0.5) }))
    }
}
