import Testing

@testable import Push

@Suite("WakeSignal", .timeLimit(.minutes(10)))
struct WakeSignalTests {
    @Test("A signal before the wait is remembered, several as one")
    func remembers() async {
        let signal = WakeSignal()
        signal.signal()
        signal.signal()
        await signal.wait()
        let isSecondDone = Tally()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await signal.wait()
                isSecondDone.add()
            }
            for _ in 0..<100 { await Task.yield() }
            #expect(isSecondDone.count == 0)
            signal.signal()
        }
        #expect(isSecondDone.count == 1)
    }

    @Test("Cancellation ends a wait, before it begins or later")
    func cancels() async {
        for yields in 0..<200 {
            let signal = WakeSignal()
            let task = Task { await signal.wait() }
            for _ in 0..<yields % 20 { await Task.yield() }
            task.cancel()
            await task.value
        }
    }

    @Test("A time limit ends a wait, and a signal ends the time limit")
    func limits() async {
        let signal = WakeSignal()
        await signal.wait(atMost: .seconds(1)) { _ in }
        signal.signal()
        let wasCut = Tally()
        await signal.wait(atMost: .seconds(3600)) { duration in
            do {
                try await Task.sleep(for: duration)
            } catch {
                wasCut.add()
                throw error
            }
        }
        while wasCut.count == 0 { await Task.yield() }
    }

    @Test("No signal is lost: two loops that wake each other 10,000 times never stop")
    func losesNothing() async {
        let (ping, pong) = (WakeSignal(), WakeSignal())
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<10_000 {
                    ping.signal()
                    await pong.wait()
                }
            }
            group.addTask {
                for _ in 0..<10_000 {
                    await ping.wait()
                    pong.signal()
                }
            }
        }
    }

    @Test("Signals race with time limits and none is lost")
    func racesWithLimits() async {
        let signal = WakeSignal()
        let produced = Tally()
        let seen = Tally()
        let count = 2_000
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var last = 0
                while last < count {
                    // Alternately a limit that never comes: then only a signal can end the wait.
                    let isEndless = last % 2 == 0
                    await signal.wait(atMost: .seconds(1)) { _ in
                        if isEndless { try await Task.sleep(for: .seconds(3600)) } else { await Task.yield() }
                    }
                    last = produced.count
                    seen.set(last)
                }
            }
            group.addTask {
                for value in 1...count {
                    produced.set(value)
                    signal.signal()
                    await Task.yield()
                }
            }
        }
        #expect(seen.count == count)
    }

    @Test("A second waiter sends the first on its way: nobody waits for ever")
    func secondWaiter() async {
        let signal = WakeSignal()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { await signal.wait() } }
            for _ in 0..<49 { await group.next() }
            signal.signal()
        }
    }
}
