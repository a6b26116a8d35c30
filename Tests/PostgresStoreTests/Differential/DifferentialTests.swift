import Kaspa
import PostgresStore
import StoreSupport
import TestRandom
import Testing

@testable import Store

/// What RocksDB holds and answers, PostgreSQL holds and answers.
@Suite("Both engines", .timeLimit(.minutes(5)))
struct DifferentialTests {
    private static let leastStretches = 60
    /// So long it goes on until every family has had a row.
    private static let mostStretches = 200
    private static let stepsPerStretch = 10

    @Test("One random life leaves the same answers and the same rows on both engines")
    func sameLife() async throws {
        let directory = try TemporaryDirectory()
        let limits = StoreLife.limits
        let rocks = try Store(path: directory.file("rocks"), network: .mainnet, limits: limits)
        let postgres = try PostgresStore.open(
            try TestStores.location(directory.file("postgres")), network: .mainnet, limits: limits)
        var life = try await StoreLife([rocks, postgres])
        var neverFilled = Set(ColumnFamily.allCases)
        for stretch in 0..<DifferentialTests.mostStretches
        where stretch < DifferentialTests.leastStretches || !neverFilled.isEmpty {
            try await life.live(DifferentialTests.stepsPerStretch)
            neverFilled.formIntersection(try life.compareRows().emptyFamilies)
        }
        #expect(neverFilled.isEmpty, "TEST_SEED=\(life.random.seed): the life never came to these")
    }
}
