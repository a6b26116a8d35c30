import APNsSandbox
import Foundation
import KaspadReplay
import Testing

/// Two indexers, three PostgreSQL under Patroni: any part dies, is paused, cut off, or has its clock set.
@Suite("A cluster whose parts die", .enabled(if: ClusterPlan.isAsked, "CLUSTER_TEST_ROUNDS asks for it"))
struct ClusterTests {
    private static let plan = ClusterPlan()

    @Test(
        "whatever happens to any part, nothing is lost and only what was in flight is doubled",
        .timeLimit(.minutes(ClusterTests.plan.minutes)))
    func rounds() async throws {
        try #require(FileManager.default.isReadableFile(atPath: JumpingClock.library.path))
        let plan = ClusterTests.plan
        ClusterLife.say("CLUSTER_TEST_SEED=\(plan.seed) CLUSTER_TEST_ROUNDS=\(plan.rounds)")
        let cluster = try PatroniCluster()
        let chain = CrashChain(seed: plan.seed, blocks: plan.blocks, wallets: plan.wallets)
        try await World.with(
            chain.recording, allCarriers: true,
            replay: { configuration in
                // A run of an hour outlives a provider token: the chain's time has to go as Apple's clock does.
                configuration.blockTimes = .ofTelling
                configuration.now = { ReplayConfiguration.wallClock() + UInt64(ClusterLife.ahead * 1_000) }
            },
            sandbox: {
                $0.logCapacity = 2_000_000
                // Apple is as far ahead as the chain, whose time the tokens bear.
                $0.now = { Date(timeIntervalSinceNow: ClusterLife.ahead) }
            }
        ) { world in
            world.sandbox.addRule(SandboxRule(.accept, chance: 0.3, delay: .milliseconds(20), delivered: true))
            let witness = CrashWitness(chain, devices: plan.wallets * 3 / 2, world.sandbox)
            let life = try ClusterLife(world, witness, cluster)
            try await life.waitUntilWhole()
            try await life.around(seed: plan.seed) { try await play(plan, life) }
            try await finish(life)
            let (sent, required, repeats) = witness.judge(world.sandbox, isLate: life.isLate)
            let late = world.sandbox.requests.count(where: life.isLate)
            ClusterLife.say("\(sent) notifications, \(required) required, \(repeats) repeats, \(late) late")
            #expect(required > plan.rounds)
        }
    }

    private func play(_ plan: ClusterPlan, _ life: ClusterLife) async throws {
        var random = SeededRandom(seed: plan.seed)
        var times: [ClusterFault: [ClusterLife.Times]] = [:]
        for (number, fault) in plan.order(&random).enumerated() {
            let share = life.world.replay.entryCount * (number + 1) / (plan.rounds + 1)
            let time = try await life.suffer(fault, share: share, &random)
            times[fault, default: []].append(time)
            ClusterLife.say(
                "round \(number + 1), \(fault): written \(time.written), resumed \(time.resumed), sent \(time.sent)")
        }
        for (fault, times) in times.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            func summary(_ name: String, _ duration: (ClusterLife.Times) -> Duration) -> String {
                let sorted = times.map(duration).sorted()
                return "\(name) p50 \(sorted[sorted.count / 2]) most \(sorted.last ?? .zero)"
            }
            ClusterLife.say(
                "\(fault), \(times.count) rounds: \(summary("written", \.written)), "
                    + "resumed after \(summary("that", { $0.resumed - $0.written })), \(summary("sent", \.sent))")
        }
    }

    /// The rest without faults: all that must come comes, every answer holds, and the books balance.
    private func finish(_ life: ClusterLife) async throws {
        await life.world.replay.advanceToEnd()
        let required = life.witness.required()
        try await eventually("everything required has arrived", within: .seconds(120)) {
            try await Task.sleep(for: .milliseconds(100))
            return required.isSubset(of: life.world.sandbox.notifications.map(\.key))
        }
        let active = try #require(await life.active())
        let rest = try #require(active.rest)
        for index in 0..<life.witness.deviceCount { try await life.witness.expectStanding(of: index, rest) }
        let (first, other) = (try active.current, try #require(life.indexers.first { $0 !== active }).current)
        #expect(await first.process.end(SIGTERM) == 0)
        try await eventually("the other one works") { await other.store == "ok" }
        #expect(await other.process.end(SIGTERM) == 0)
        let check = try await Executable.run(["check"], environment: other.environment)
        #expect(check.status == 0, "\(check.output)")
    }
}
