import APNsSandbox
import Foundation
import KaspadReplay
import Synchronization
import Testing

/// One process from its start to its kill, with the chain, the apps and Apple going on around it.
struct CrashLife: Sendable {
    /// Apps that call at the same time, each for its own devices.
    private static let apps = 3

    let world: World
    let witness: CrashWitness
    /// How far the chain is told in this life, if it is long enough.
    let share: Int
    let seed: UInt64
    /// The process's wall clock, where it jumps.
    let clock: JumpingClock?

    func run(until moment: KillMoment) async throws {
        witness.processStarts(connectionsSeen: world.sandbox.counts.connections)
        var random = SeededRandom(seed: ~seed)
        try clock?.jump(&random)
        let process = try LaunchedIndexer(
            environment: world.environment.merging(clock?.environment ?? [:]) { $1 })
        let (events, sink) = AsyncStream.makeStream(of: LifeEvent.self)
        let requests = world.sandbox.requestStream()
        let isOver = Flag()
        async let life: Void = live(process, sink, isOver)
        let status = await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in requests { sink.yield(.request) } }
            group.addTask {
                try? await Task.sleep(for: moment.timeLimit)
                sink.yield(.timeLimit)
            }
            var moment = moment
            for await event in events where moment.hasCome(with: event) { break }
            group.cancelAll()
            return await process.end(SIGKILL)
        }
        #expect(status == SIGKILL, "it ended by itself: \(process.logged.suffix(2000))")
        isOver.set()
        await life
        try await eventually("nothing of the killed process is on its way") {
            world.sandbox.counts.openConnections == 0
        }
    }

    /// Half of the life's share of the chain is told at once, the rest in portions while apps call.
    ///
    /// Ends by the flag, not by cancellation: URLSession can deadlock when a request ends and is cancelled at once.
    private func live(
        _ process: LaunchedIndexer, _ sink: AsyncStream<LifeEvent>.Continuation, _ isOver: Flag
    ) async {
        let replay = world.replay
        await replay.advance(to: replay.playedCount + max(0, share - replay.playedCount) / 2)
        // Not up before it was killed.
        guard let rest = try? await process.listening() else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var random = SeededRandom(seed: seed)
                while replay.playedCount < share, !isOver.isSet {
                    if random.chance(0.2) { try? clock?.jump(&random) }
                    await replay.advance(to: min(share, replay.playedCount + random.number(in: 1...6)))
                    sink.yield(.portion)
                    try? await Task.sleep(for: .milliseconds(random.number(below: 10)))
                }
            }
            for app in 0..<CrashLife.apps {
                group.addTask { await call(rest, app: app, sink, isOver) }
            }
        }
    }

    private func call(
        _ rest: RESTClient, app: Int, _ sink: AsyncStream<LifeEvent>.Continuation, _ isOver: Flag
    ) async {
        var random = SeededRandom(seed: seed &+ UInt64(app) &+ 1)
        let count = witness.deviceCount / CrashLife.apps
        while !isOver.isSet {
            let index = random.number(below: count) * CrashLife.apps + app
            do {
                try await witness.call(from: index, rest, played: { world.replay.playedCount }, &random)
            } catch is Unavailable {
                Issue.record("a call was refused")
                return
            } catch {
                // The process is gone.
                return
            }
            sink.yield(.answer)
            try? await Task.sleep(for: .milliseconds(random.number(below: 20)))
        }
    }
}

/// Set once.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
