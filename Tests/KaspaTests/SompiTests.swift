import Kaspa
import Testing

@Suite("Sompi")
struct SompiTests {
    @Test(
        "KAS are written exactly and without trailing zeros",
        arguments: [
            (0, "0"), (1, "0.00000001"), (10, "0.0000001"), (99_999_999, "0.99999999"), (100_000_000, "1"),
            (100_000_001, "1.00000001"), (110_000_000, "1.1"), (125_000_000, "1.25"), (1_000_000_000, "10"),
            (20_000_000, "0.2"), (2_899_999_999_999_999_999, "28999999999.99999999"),
            (.max - 1, "184467440737.09551614"), (.max, "184467440737.09551615"),
        ] as [(UInt64, String)])
    func kas(amount: UInt64, expected: String) {
        #expect(Sompi(amount).kas == expected)
        #expect(Sompi(amount).description == "\(expected) KAS")
    }

    @Test("what is written means the same amount, for random amounts of every size")
    func random() throws {
        var random = SeededRandom()
        for _ in 0..<2000 {
            let amount = UInt64.random(in: 0 ... .max, using: &random) >> UInt64.random(in: 0..<64, using: &random)
            let parts = Sompi(amount).kas.split(separator: ".")
            let whole = try #require(UInt64(parts[0]))
            let fraction = parts.count == 2 ? String(parts[1]) : ""
            let padded = fraction + String(repeating: "0", count: 8 - fraction.count)
            #expect(whole * Sompi.perKAS + (UInt64(padded) ?? 0) == amount, "seed \(random.seed)")
            #expect(!fraction.hasSuffix("0"), "seed \(random.seed)")
        }
    }

    @Test("a sum stops at the greatest amount")
    func sum() {
        #expect(Sompi(1) + Sompi(2) == Sompi(3))
        #expect(Sompi(.max) + Sompi(0) == Sompi(.max))
        #expect(Sompi(.max - 1) + Sompi(1) == Sompi(.max))
        #expect(Sompi(.max) + Sompi(1) == Sompi(.max))
        var total = Sompi.zero
        total += Sompi(5)
        #expect(total == Sompi(5))
    }

    @Test("amounts are ordered")
    func order() {
        #expect(Sompi(1) < Sompi(2))
        #expect(!(Sompi(2) < Sompi(2)))
    }
}
