import Foundation
import TestRandom
import Testing

@testable import KasiaPushClient

/// A year of an app's life, in many variants: token changes, wallet switches, reinstalls, offline weeks, refusals,
/// answers that are lost, requests that come late, and the process that ends at any point.
@Suite struct SimulatedYearTests {
    static let seed = SeededRandom().seed
    /// `TEST_YEARS` asks for more.
    static let years = ProcessInfo.processInfo.environment["TEST_YEARS"].flatMap { UInt64($0) } ?? 12

    @Test(arguments: 0..<years)
    func theServiceHasWhatIsWantedInTheEnd(_ number: UInt64) async throws {
        let seed = SimulatedYearTests.seed &+ number
        var year = try await SimulatedYear(seed: seed)
        let outcome = try await year.run(days: 365)
        #expect(outcome.problems == [], "seed \(SimulatedYearTests.seed), year \(number)")
        if outcome.problems != [] { print(outcome.journal.suffix(60).joined(separator: "\n")) }
        #expect(outcome.events > 100)
        // Nothing turns in circles: a wish costs a few requests, even in bad weather.
        #expect(outcome.requests < 40 * outcome.events, "seed \(SimulatedYearTests.seed), year \(number)")
    }

    @Test func theSeedIsPrinted() {
        print("SimulatedYearTests seed: \(SimulatedYearTests.seed)")
    }
}
