import SampleOperations
import Store
import Testing

@testable import Push

@Suite("ParkedAttempts")
struct ParkedAttemptsTests {
    private let error = StoreError(.corrupt, "damaged")

    private func attempt(_ number: Int) -> FinishedAttempt {
        FinishedAttempt(key(number), Samples.delivery(.contextualMessage), Disposition(unsent: .expired))
    }

    private func key(_ number: Int) -> ScheduleKey {
        ScheduleKey(lane: .ordinary, due: 1, device: DeviceID(token: Samples.token(number)), seq: 1)
    }

    @Test("At most so many are kept; one that is there already is kept again")
    func bounded() {
        var parked = ParkedAttempts()
        for number in 0..<ParkedAttempts.most {
            let isKept = parked.park(attempt(number), after: error)
            #expect(isKept)
        }
        #expect(parked.isFull)
        let isAnotherKept = parked.park(attempt(ParkedAttempts.most), after: error)
        #expect(!isAnotherKept)
        let isFirstKept = parked.park(attempt(0), after: error)
        #expect(isFirstKept)
        #expect(parked.attempts.count == ParkedAttempts.most)
        #expect(parked.contains(key(0)) && !parked.contains(key(ParkedAttempts.most)))
    }

    @Test("The error is told until the last one is gone")
    func failure() {
        var parked = ParkedAttempts()
        _ = parked.park(attempt(1), after: error)
        _ = parked.park(attempt(2), after: error)
        parked.remove(key(1))
        #expect(parked.failure == error)
        parked.remove(key(2))
        #expect(parked.failure == nil)
    }

    @Test("They are tried again a minute after the first was parked, then each minute, and at once by an earlier clock")
    func paced() {
        var parked = ParkedAttempts()
        let isEmptyTried = parked.beginRetry(now: 1_000_000)
        #expect(!isEmptyTried)
        _ = parked.park(attempt(1), after: error)
        for (now, isDue) in [(1_059_999, false), (1_060_000, true), (1_060_001, false), (1_059_999, true)]
            as [(UInt64, Bool)]
        {
            let isTried = parked.beginRetry(now: now)
            #expect(isTried == isDue)
        }
    }

    @Test(
        "Only a store that takes nothing at all keeps every attempt waiting",
        arguments: [
            (StoreError.Code.lowSpace, true), (.stopped, true), (.corrupt, false), (.engine, false),
            (.inputOutput, false),
        ])
    func wholeStore(code: StoreError.Code, refuses: Bool) {
        #expect(StoreError(code, "x").refusesEveryWrite == refuses)
    }
}
