import Testing

@testable import APNsSandbox

@Suite("The rule book")
struct RuleBookTests {
    private static func rule(_ name: String, token: String? = nil, skip: Int = 0, times: Int? = nil) -> SandboxRule {
        SandboxRule(.silence, name: name, token: token, skip: skip, times: times)
    }

    @Test("prefers rules for the device, and then the first added")
    func precedence() {
        var book = RuleBook(seed: 1)
        for rule in [Self.rule("all"), Self.rule("late"), Self.rule("device", token: "AA")] { book.add(rule) }
        #expect(book.strike("aa")?.name == "device")
        #expect(book.strike("AA")?.name == "device")
        #expect(book.strike("bb")?.name == "all")
    }

    @Test("keeps a rule for one host to that host, and counts no request to the other")
    func environments() {
        var book = RuleBook(seed: 1)
        book.add(SandboxRule(.silence, name: "r", environment: .development, skip: 1, times: 1))
        for environment in [SandboxEnvironment.production, nil, .development] {
            #expect(book.strike("aa", at: environment) == nil)
        }
        #expect(book.strike("aa", at: .production) == nil)
        #expect(book.strike("aa", at: .development)?.name == "r")
        #expect(book.strike("aa", at: .development) == nil)
    }

    @Test("skips, hits and is spent, by exact counts", arguments: [(0, 1), (1, 1), (3, 2), (0, 5)])
    func counts(skip: Int, times: Int) {
        var book = RuleBook(seed: 1)
        book.add(Self.rule("r", skip: skip, times: times))
        let hits = (0..<10).map { _ in book.strike("aa") != nil }
        #expect(hits == (0..<10).map { $0 >= skip && $0 < skip + times })
        #expect(book.entries.isEmpty)
    }

    @Test("draws the same accidents from the same seed", arguments: [0.0, 0.1, 0.5, 1.0])
    func chance(chance: Double) {
        func draw(_ seed: UInt64) -> [Bool] {
            var book = RuleBook(seed: seed)
            book.add(SandboxRule(.silence, chance: chance))
            return (0..<2000).map { _ in book.strike("aa") != nil }
        }
        #expect(draw(7) == draw(7))
        #expect(abs(Double(draw(7).count { $0 }) / 2000 - chance) < 0.05)
        if chance > 0, chance < 1 { #expect(draw(7) != draw(8)) }
    }

    @Test("takes no rule that could never hit")
    func ignoresSpent() {
        var book = RuleBook(seed: 1)
        book.add(Self.rule("never", times: 0))
        book.add(Self.rule("never", times: -1))
        #expect(book.entries.isEmpty)
    }

    @Test("removes rules by name, for all and for devices")
    func removes() {
        var book = RuleBook(seed: 1)
        for token in [nil, "aa", "bb"] { book.add(Self.rule("x", token: token)) }
        book.add(Self.rule("y", token: "aa"))
        #expect(book.remove(named: "x") == 3)
        #expect(book.remove(named: "x") == 0)
        #expect(book.strike("aa")?.name == "y")
        book.removeAll()
        #expect(book.strike("aa") == nil)
    }
}
