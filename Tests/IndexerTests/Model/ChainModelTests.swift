import Foundation
import StoreSupport
import Testing

@Suite("The store and a model of the virtual chain", .timeLimit(.minutes(20)))
struct ChainModelTests {
    /// `CHAIN_MODEL_SEED=…` replays one life and prints its steps; `CHAIN_MODEL_SEEDS=…` lives so many: else as many as
    /// take half a minute on a small machine.
    private static let environment = ProcessInfo.processInfo.environment
    private static let replayed = environment["CHAIN_MODEL_SEED"].flatMap { UInt64($0) }
    private static let lives = environment["CHAIN_MODEL_SEEDS"].flatMap { Int($0) } ?? (TestEngine.isRocksDB ? 240 : 60)
    private static let groups = 4

    @Test("are equal after each step, whatever the network, the node and the machine do", arguments: 0..<groups)
    func lives(group: Int) async throws {
        if let seed = Self.replayed {
            if group == 0 { try await live(seed, tells: true) }
            return
        }
        // The same seeds in each run, so that a failure is no matter of luck; the last ones are new each time.
        for number in stride(from: group, to: Self.lives, by: Self.groups) {
            let isNew = number >= Self.lives - Self.groups * 2
            try await live(isNew ? .random(in: 0 ... .max) : UInt64(number), tells: false)
        }
    }

    private func live(_ seed: UInt64, tells: Bool) async throws {
        do {
            try await ChainModelRun(seed: seed, tells: tells).run()
        } catch {
            Issue.record("CHAIN_MODEL_SEED=\(seed): \(error)")
        }
    }
}
