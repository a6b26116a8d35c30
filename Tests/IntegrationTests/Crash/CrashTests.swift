import APNsSandbox
import Clocks
import Foundation
import KaspadReplay
import Store
import Testing

/// SIGKILL at any moment, as often as you like.
@Suite("Crashes")
struct CrashTests {
    private static let plan = CrashPlan()

    @Test(
        "killed at random moments, with a wall clock that jumps in half of its lives, it loses nothing and doubles only what was in flight",
        .timeLimit(.minutes(CrashTests.plan.minutes)))
    func killedAgainAndAgain() async throws {
        try #require(FileManager.default.isReadableFile(atPath: JumpingClock.library.path))
        let plan = CrashTests.plan
        print("crash test: CRASH_TEST_SEED=\(plan.seed) CRASH_TEST_KILLS=\(plan.kills)")
        let chain = CrashChain(
            seed: plan.seed, blocks: max(100, plan.kills * CrashPlan.blocksPerKill), wallets: plan.wallets)
        try await World.with(
            chain.recording, allCarriers: true,
            replay: { configuration in
                // A long run outlives a provider token: the chain's time has to go as Apple's clock does.
                configuration.blockTimes = .ofTelling
                configuration.now = { ReplayConfiguration.wallClock() + 2 * 3_600_000 }
            },
            sandbox: {
                $0.logCapacity = 2_000_000
                // The chain's time is behind: a wall clock that agrees with it is not ahead of Apple's.
                $0.now = { Date(timeIntervalSinceNow: 7_200 + TimeInterval(ClockSkew.tolerated / 1_000)) }
            }
        ) { world in
            let witness = CrashWitness(chain, devices: plan.devices, world.sandbox)
            // Apple had it, and the answer is late: what a kill leaves in flight.
            world.sandbox.addRule(SandboxRule(.accept, chance: 0.3, delay: .milliseconds(20), delivered: true))
            world.sandbox.addRule(SandboxRule(.accept, chance: 0.2, delay: .milliseconds(20)))
            var random = SeededRandom(seed: plan.seed)
            for number in 1...plan.kills {
                let share = world.replay.entryCount * number / (plan.kills + 1)
                let life = CrashLife(
                    world: world, witness: witness, share: share, seed: random.next(),
                    clock: random.chance(0.5) ? JumpingClock(in: world.folder) : nil)
                try await life.run(until: .random(&random))
            }
            try await finish(world, witness, chain)
            let (sent, required, repeats) = witness.judge(world.sandbox)
            print("crash test: \(sent) notifications, \(required) of them required, \(repeats) repeats")
            #expect(required > plan.kills)
            if plan.kills >= 50 { #expect(repeats > 0, "no kill hit a notification in flight: the test proves little") }
        }
    }

    /// The rest without kills: all that must come comes, and nothing is left behind.
    private func finish(_ world: World, _ witness: CrashWitness, _ chain: CrashChain) async throws {
        witness.processStarts(connectionsSeen: world.sandbox.counts.connections)
        let last = try await IndexerProcess(environment: world.environment)
        await world.replay.advanceToEnd()
        let start = ContinuousClock.now
        let owed = Dictionary(grouping: witness.required()) { $0.prefix { $0 != " " } }.mapValues(\.count)
        #expect(
            (owed.values.max() ?? 0) < Int(StoreLimits().queuedBeforeAnswer),
            "so much may be kept from a device that was not answered yet: a plan with more wallets is needed")
        for index in 0..<witness.deviceCount { try await witness.expectStanding(of: index, last.rest) }
        do {
            try await eventually("everything required has arrived", within: .seconds(120)) {
                try await Task.sleep(for: .milliseconds(100))
                return witness.required().isSubset(of: world.sandbox.notifications.map(\.key))
            }
        } catch {
            let missing = witness.required().subtracting(world.sandbox.notifications.map(\.key)).sorted()
            Issue.record("\(missing.count) are missing, such as \(missing.prefix(5))\n\(try await books(last.rest))")
            throw error
        }
        print("crash test: \(ContinuousClock.now - start)\n\(try await books(last.rest))")
        #expect(await last.end(SIGTERM) == 0)
        witness.processStarts(connectionsSeen: world.sandbox.counts.connections)
        try await world.withIndexer { indexer in
            try await indexer.untilQuiet(at: ReplayedChain(chain.recording, entries: world.replay.entryCount).sink)
            for index in 0..<witness.deviceCount { try await witness.expectStanding(of: index, indexer.rest) }
        }
    }

    /// What the service says has become of all deliveries.
    private func books(_ rest: RESTClient) async throws -> String {
        let metrics = String(decoding: try await rest.send("GET", "/metrics/prometheus").body, as: UTF8.self)
        return metrics.split(separator: "\n").filter { $0.hasPrefix("kasia_push_books") }.joined(separator: "\n")
    }
}
