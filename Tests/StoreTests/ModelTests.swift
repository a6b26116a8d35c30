import Kaspa
import Testing

@testable import Store

/// Random lives of a store, compared with a model after every step.
@Suite("Model", .timeLimit(.minutes(5)))
struct ModelTests {
    private static let livesPerGroup = 40
    private static let stepsPerLife = 30
    /// Lives of a group follow each other in one store, since opening one takes longer than a life.
    private static let groups = 5
    /// Bytes of rows at hand in the first groups.
    private static let scarceRows = [0, 1_500, 4_000]

    @Test("Whatever happens in whatever order, the store holds what the model holds", arguments: 0..<groups)
    func lives(_ group: Int) async throws {
        var limits = StoreLimits()
        limits.logPerDevice = group % 2 == 0 ? 2 : 9
        limits.deadLetters = 3
        limits.queuedPerDevice = UInt32(StoreModel.queue)
        limits.queuedBeforeAnswer = UInt32(StoreModel.probationQueue)
        limits.queuedOnProbation = UInt32(StoreModel.probationQueue)
        limits.numberedBeforeAnswer = StoreModel.numbered
        limits.longWalk = StoreModel.longWalk
        limits.confirmations = StoreModel.confirmations
        var conditions = StoreConditions()
        if group < ModelTests.scarceRows.count { conditions.rowCacheBytes = ModelTests.scarceRows[group] }
        let fixture = try StoreFixture(limits: limits, conditions: conditions)
        for life in 0..<ModelTests.livesPerGroup {
            let seed = SeededRandom.runSeed &+ UInt64(group * ModelTests.livesPerGroup + life)
            try await fixture.store.clear()
            var run = ModelRun(store: fixture.store, seed: seed, logPerDevice: limits.logPerDevice)
            for step in 0..<ModelTests.stepsPerLife {
                let name = try await run.step()
                let dump = try StoreDump(fixture.store).withoutCounters.withStatesAsRead()
                let expected = run.model.dump
                let totals = try await fixture.store.totals()
                let check = try fixture.store.checkBooks()
                guard dump == expected, totals == run.model.totals, check.books == run.model.allBooks,
                    check.problems.sorted() == run.model.problems
                else {
                    Issue.record(
                        """
                        TEST_SEED=\(seed), step \(step) (\(name)): families \(dump.differingFamilies(expected)), \
                        totals \(totals), expected \(run.model.totals), books \(check.books), \
                        expected \(run.model.allBooks), problems \(check.problems)
                        """)
                    return
                }
                #expect(try await fixture.untrueInMemory() == [], "TEST_SEED=\(seed), step \(step) (\(name))")
            }
        }
    }
}
