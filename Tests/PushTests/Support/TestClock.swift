import Clocks
import Push
import Synchronization

/// A clock that a test moves: who sleeps on it wakes when the test says so, or at once in automatic mode.
final class TestClock: Sendable {
    private struct Sleeper {
        let deadline: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: UInt64
        var wallError: Int64 = 0
        var sleepers: [Int: Sleeper] = [:]
        var sleeps = 0
        var observers: [CheckedContinuation<Void, Never>] = []
        var random = SeededRandom(seed: 1)
    }

    private let state: Mutex<State>
    /// Automatic mode: how far a sleep moves the time beyond what was asked, in milliseconds; nil is manual mode.
    private let jump: (@Sendable () -> UInt64)?

    /// `now` is in milliseconds since 1970.
    init(now: UInt64 = 1_704_067_200_000, jump: (@Sendable () -> UInt64)? = nil) {
        state = Mutex(State(now: now))
        self.jump = jump
    }

    var now: UInt64 { state.withLock { $0.now } }

    /// The machine's clocks: the time as it passes, and a wall clock that may be wrong.
    var machine: MachineClock {
        MachineClock(
            wall: { self.state.withLock { UInt64(max(0, Int64($0.now) + $0.wallError)) } }, uptime: { self.now })
    }

    /// The service's clock on this machine, of a service that has heard the chain's time.
    func serviceClock(kept: ClockReading? = nil) -> ServiceClock {
        var clock = ServiceClock(machine, kept: kept)
        clock.sleep = { try await self.sleep($0) }
        clock.random = { self.state.withLock { Double.random(in: 0..<1, using: &$0.random) } }
        clock.hear(chainTime: now)
        return clock
    }

    /// Moves the time on and wakes whose time has come.
    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now += duration.millisecondsRoundedDown
            let woken = state.sleepers.filter { $0.value.deadline <= state.now }
            for key in woken.keys { state.sleepers[key] = nil }
            return woken
        }
        for sleeper in woken.values { sleeper.continuation.resume() }
    }

    /// Lets time pass without waking anybody.
    func set(_ now: UInt64) { state.withLock { $0.now = now } }

    /// Sets the wall clock so many milliseconds ahead of the time, or behind it.
    func setWall(ahead: Int64) { state.withLock { $0.wallError = ahead } }

    /// Returns when somebody sleeps and `condition` holds; in automatic mode nobody stays asleep, and it need only hold.
    ///
    /// It is looked at whenever somebody lies down, and after a moment too: what it asks for may come later.
    func asleep(when condition: () async throws -> Bool) async throws {
        while true {
            let (seen, isAsleep) = state.withLock { ($0.sleeps, jump != nil || !$0.sleepers.isEmpty) }
            if isAsleep, try await condition() { return }
            try Task.checkCancellation()
            await withTaskGroup { group in
                group.addTask { await self.nextSleep(after: seen) }
                group.addTask { try? await Task.sleep(for: .milliseconds(20)) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    private func nextSleep(after seen: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isNew = state.withLock { state in
                    guard state.sleeps == seen, !Task.isCancelled else { return true }
                    state.observers.append(continuation)
                    return false
                }
                if isNew { continuation.resume() }
            }
        } onCancel: {
            // A time limit ends the test instead of the run.
            announce()
        }
    }

    private func sleep(_ duration: Duration) async throws {
        if let jump {
            try Task.checkCancellation()
            state.withLock { $0.now += duration.millisecondsRoundedDown + jump() }
            announce()
            await Task.yield()
            return
        }
        let id = announce()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    guard !Task.isCancelled else { return true }
                    let deadline = state.now + duration.millisecondsRoundedDown
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    @discardableResult
    private func announce() -> Int {
        let (id, observers) = state.withLock { state in
            state.sleeps += 1
            defer { state.observers = [] }
            return (state.sleeps, state.observers)
        }
        for observer in observers { observer.resume() }
        return id
    }
}
