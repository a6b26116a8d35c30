import Testing

@Suite("Simulation", .timeLimit(.minutes(10)))
struct PushSimulationTests {
    @Test("Whatever Apple answers and however often we stop: nothing is lost, nothing doubled, and all drains")
    func holds() async throws {
        var seeds = SeededRandom()
        print("PushSimulationTests.holds: TEST_SEED=\(seeds.seed)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let lives = (0..<50).map { _ in seeds.next() }
                group.addTask {
                    for seed in lives {
                        var simulation = try PushSimulation(seed: seed)
                        try await simulation.run()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
