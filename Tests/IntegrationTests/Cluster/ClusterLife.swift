import APNsSandbox
import Foundation
import KaspadReplay
import PostgresServer
import Synchronization
import Testing

/// Two indexers on the cluster, with the chain, the apps and the push services going on around them.
final class ClusterLife: Sendable {
    private static let apps = 3
    /// How the tokens of probes begin.
    private static let probe = "fb"
    private static let patience = Duration.seconds(120)
    /// How far the clocks of the chain and of the push services are ahead of the machine's: the indexers find theirs
    /// wrong, and go by the chain's.
    static let ahead: Double = 4 * 3_600
    /// Notifications that come later than so many seconds after the first answer are worth a look at the logs.
    private static let slow = 2.0
    /// How long a paused primary is away.
    private static let longPause = Duration.seconds(60)

    private struct State {
        /// How far the chain is told.
        var share = 0
        var isOver = false
        var probes = 0
        var pauses: [Pause] = []
    }

    /// How long after the beginning of a fault something was as before.
    struct Times {
        /// A registration was answered.
        var written: Duration
        /// The first notification came after that.
        var resumed: Duration
        /// All that was due by then had been sent.
        var sent: Duration
    }

    /// An active process was stopped and went on: what it had put together for one write still goes out.
    private struct Pause {
        var connections: Int
        var end: Date
    }

    let world: World
    let witness: CrashWitness
    let cluster: PatroniCluster
    let indexers: [ClusterIndexer]
    private let state = Mutex(State())

    init(_ world: World, _ witness: CrashWitness, _ cluster: PatroniCluster) throws {
        self.world = world
        self.witness = witness
        self.cluster = cluster
        indexers = try (1...2).map { try ClusterIndexer($0, in: world, cluster) }
    }

    /// At once, as a round takes long.
    static func say(_ text: String) {
        FileHandle.standardError.write(Data("cluster test: \(text)\n".utf8))
    }

    /// Plays the chain and lets apps call while `body` runs.
    func around(seed: UInt64, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.play(seed: seed) }
            for app in 0..<Self.apps { group.addTask { await self.call(app: app, seed: seed) } }
            // By the flag, not by cancellation: see `CrashLife`.
            defer { state.withLock { $0.isOver = true } }
            try await body()
        }
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    private func play(seed: UInt64) async {
        var random = SeededRandom(seed: seed)
        while !isOver {
            let share = state.withLock { $0.share }
            await world.replay.advance(to: min(share, world.replay.playedCount + random.number(in: 0...2)))
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func call(app: Int, seed: UInt64) async {
        var random = SeededRandom(seed: seed &+ UInt64(app) &+ 1)
        let count = witness.deviceCount / Self.apps
        while !isOver {
            let index = random.number(below: count) * Self.apps + app
            if let active = await active(), let rest = active.rest {
                try? await witness.call(from: index, rest, played: { self.world.replay.playedCount }, &random)
            }
            try? await Task.sleep(for: .milliseconds(random.number(below: 40)))
        }
    }

    /// The indexer that works; nil while nobody does.
    func active() async -> ClusterIndexer? {
        for indexer in indexers where await indexer.isActive { return indexer }
        return nil
    }

    /// Starts what has ended, and returns when one works, the other stands by, and the cluster is whole.
    func waitUntilWhole() async throws {
        try await cluster.waitUntilWhole()
        try await saying {
            try await eventually("one works, the other stands by", within: Self.patience) {
                // One that was replaced ends by itself.
                for indexer in indexers { try await indexer.start() }
                try await Task.sleep(for: .milliseconds(50))
                let works = (await indexers[0].isActive, await indexers[1].isActive)
                guard works.0 != works.1 else { return false }
                return await indexers[works.0 ? 1 : 0].standsBy
            }
        }
    }

    /// Prints what the indexers have logged last.
    private func sayLogs(_ why: String) {
        for indexer in indexers { Self.say("\(why): \((try? indexer.current)?.process.logged.suffix(6_000) ?? "")") }
    }

    /// Prints what the indexers say when `body` fails.
    private func saying(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            for indexer in indexers {
                let answer = try? await indexer.rest?.send("GET", "/ready")
                Self.say("/ready: \(answer.map { String(decoding: $0.body, as: UTF8.self) } ?? "no answer")")
            }
            sayLogs("\(error)")
            Self.say("\(await cluster.summary())\n\(cluster.logs)")
            throw error
        }
    }

    /// Lets a fault happen in the middle of traffic and heals it; returns how long it took.
    func suffer(_ fault: ClusterFault, share: Int, _ random: inout SeededRandom) async throws -> Times {
        state.withLock { $0.share = share }
        let moment = world.replay.playedCount + random.number(in: 1...20)
        try await eventually("the chain goes on") { world.replay.playedCount >= min(moment, share) }
        let active = try #require(await active())
        let standby = try #require(indexers.first { $0 !== active })
        Self.say("\(Date()) \(fault) begins: \(await cluster.summary())")
        let begin = ContinuousClock.now
        let heal = try await self.begin(fault, active, standby, &random)
        var answered = begin
        try await saying { answered = try await untilWritten() }
        let written = answered - begin
        let answeredAt = Date(timeIntervalSinceNow: Self.ahead - (ContinuousClock.now - answered) / .seconds(1))
        let played = world.replay.playedCount
        try await saying {
            var missing: Set<String> = []
            do {
                try await eventually("all that is due has been sent", within: Self.patience) {
                    try await Task.sleep(for: .milliseconds(50))
                    // Anew each time: nothing is owed to a device that leaves.
                    missing = witness.required(before: played).subtracting(world.sandbox.notifications.map(\.key))
                    return missing.isEmpty
                }
            } catch {
                Self.say("\(missing.count) are missing, such as \(missing.sorted().prefix(5))")
                throw error
            }
        }
        let sent = ContinuousClock.now - begin
        let first = world.sandbox.notifications.lazy.map { $0.receivedAt.timeIntervalSince(answeredAt) }
            .filter { $0 >= 0 }.min()
        Self.say("\(Date()) \(fault) is overcome: \(await cluster.summary())")
        if let first, first > Self.slow { sayLogs("the first notification came \(first) s after the answer") }
        try await heal()
        try await waitUntilWhole()
        return Times(written: written, resumed: first.map { written + .seconds($0) } ?? sent, sent: sent)
    }

    /// Returns what makes it good again, where that is not Patroni's or the supervisor's.
    private func begin(
        _ fault: ClusterFault, _ active: ClusterIndexer, _ standby: ClusterIndexer, _ random: inout SeededRandom
    ) async throws -> () async throws -> Void {
        let process = try active.current.process
        switch fault {
        case .activeStopped:
            #expect(await process.end(SIGTERM) == 0)
        case .activeKilled:
            #expect(await process.end(SIGKILL) == SIGKILL)
        case .activePaused:
            process.signal(SIGSTOP)
            let connections = world.sandbox.counts.connections
            return {
                process.signal(SIGCONT)
                #expect(await process.ended() == 1)
                self.state.withLock { $0.pauses.append(Pause(connections: connections, end: Date())) }
            }
        case .activeCut:
            active.set(isCut: true)
            return { active.set(isCut: false) }
        case .activeClock:
            // Beyond a day the push services' certificates are not valid.
            try active.clock.jump(&random, atMost: 80_000)
        case .standbyKilled:
            #expect(await (try standby.current).process.end(SIGKILL) == SIGKILL)
        case .standbyPaused:
            let process = try standby.current.process
            process.signal(SIGSTOP)
            let connections = world.sandbox.counts.connections
            return {
                process.signal(SIGCONT)
                self.state.withLock { $0.pauses.append(Pause(connections: connections, end: Date())) }
            }
        case .standbyCut:
            standby.set(isCut: true)
            return { standby.set(isCut: false) }
        case .standbyClock:
            try standby.clock.jump(&random, atMost: 80_000)
        case .switchover:
            try await cluster.switchOver()
        case .etcdKilled, .etcdPaused:
            return try self.begin(fault, cluster.etcd[random.number(below: cluster.etcd.count)])
        case .primaryKilled, .primaryMachineKilled, .primaryPaused, .primaryCut, .primaryClock:
            return try self.begin(fault, try #require(try await cluster.primary()), &random)
        case .synchronousKilled, .synchronousPaused:
            return try self.begin(fault, try #require(try await cluster.standby(isSynchronous: true)), &random)
        case .replicaClock:
            return try self.begin(fault, try #require(try await cluster.standby(isSynchronous: false)), &random)
        }
        return {}
    }

    private func begin(_ fault: ClusterFault, _ member: EtcdMember) throws -> () async throws -> Void {
        guard fault == .etcdPaused else {
            member.kill()
            return { try member.start() }
        }
        member.pause()
        return { member.resume() }
    }

    private func begin(
        _ fault: ClusterFault, _ member: PatroniMember, _ random: inout SeededRandom
    ) throws -> () async throws -> Void {
        switch fault {
        case .primaryMachineKilled:
            member.killMachine()
            return { try member.start() }
        case .primaryPaused:
            member.pause()
            let end = ContinuousClock.now + Self.longPause
            return {
                // Long after another one has been promoted: by then it must know that it is primary no more.
                try await Task.sleep(until: end, clock: .continuous)
                member.resume()
            }
        case .synchronousPaused:
            member.pause()
            return { member.resume() }
        case .primaryCut:
            member.set(isCut: true)
            return { member.set(isCut: false) }
        case .primaryClock, .replicaClock:
            try member.clock.jump(&random)
        default:
            member.killServer()
        }
        return {}
    }

    /// Waits for the answer to a registration that was sent after the call, and returns when it came.
    ///
    /// Each indexer is asked, since one that is paused keeps its clients waiting.
    private func untilWritten() async throws -> ContinuousClock.Instant {
        let answered = Answered()
        let end = ContinuousClock.now + Self.patience
        await withTaskGroup(of: Void.self) { group in
            for indexer in indexers {
                group.addTask {
                    while answered.moment.withLock({ $0 }) == nil, ContinuousClock.now < end {
                        if await self.isWritten(by: indexer) { answered.moment.withLock { $0 = $0 ?? .now } }
                        try? await Task.sleep(for: .milliseconds(20))
                    }
                }
            }
        }
        guard let moment = answered.moment.withLock({ $0 }) else {
            throw NeverHappened(description: "never happened: a registration is answered")
        }
        return moment
    }

    /// When the first of several was answered.
    private final class Answered: Sendable {
        let moment = Mutex<ContinuousClock.Instant?>(nil)
    }

    /// Registers a device that nobody else knows.
    private func isWritten(by indexer: ClusterIndexer) async -> Bool {
        guard let rest = indexer.rest else { return false }
        let number = state.withLock { state in
            state.probes += 1
            return state.probes
        }
        let token = String(repeating: Self.probe, count: 28) + String(format: "%08x", number)
        let members =
            "\"device_token\":\"\(token)\",\"platform\":\"ios\",\"watched_addresses\":[\"\(witness.stranger)\"]"
        let answer = try? await rest.send("POST", "/v1/push/register", Data("{\(members)}".utf8))
        return answer?.status == 200
    }

    /// Whether a request came out of a process that had been paused in the middle of a write.
    func isLate(_ request: ReceivedNotification) -> Bool {
        state.withLock { $0.pauses }.contains { pause in
            request.connection <= pause.connections && abs(request.receivedAt.timeIntervalSince(pause.end)) < 2
        }
    }
}
