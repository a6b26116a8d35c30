import FoundationEssentials
import Testing

@testable import APNsSandbox

@Suite("Access tokens")
struct AccessTokensTests {
    private static let start = Date(timeIntervalSince1970: 0)

    @Test("are good until their end", arguments: [(9.0, true), (10, false), (11, false)])
    func end(age: Double, isGood: Bool) {
        let tokens = AccessTokens()
        let token = tokens.issue(until: Self.start.addingTimeInterval(10))
        #expect(tokens.verdict(on: token, at: Self.start.addingTimeInterval(age)) == (isGood ? .good : .expired))
        #expect(tokens.verdict(on: token + "x", at: Self.start) == .unknown)
    }

    @Test("are forgotten, the oldest first, when there are too many", arguments: [-1, 0, 1])
    func capacity(beyond: Int) {
        let tokens = AccessTokens()
        let issued = (0..<AccessTokens.capacity + beyond).map { _ in tokens.issue(until: .distantFuture) }
        #expect(Set(issued).count == issued.count)
        #expect(tokens.verdict(on: issued[0], at: Self.start) == (beyond > 0 ? .unknown : .good))
        #expect(tokens.verdict(on: issued[1], at: Self.start) == .good)
    }
}
