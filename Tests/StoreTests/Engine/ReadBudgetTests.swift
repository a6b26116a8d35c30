import Synchronization
import Testing

@testable import Store

@Suite("ReadBudget")
struct ReadBudgetTests {
    @Test("so many rows and no more", arguments: [1, 2, 3])
    func rows(_ rows: Int) {
        var budget = ReadBudget(rows: rows)
        let taken = (0...rows).map { _ in budget.take() }
        #expect(taken == [Bool](repeating: true, count: rows) + [false] && budget.isOver)
    }

    @Test("rows until the time is over, and the first one whatever the time", arguments: [0, 1, 2, 3])
    func time(_ free: Int) {
        let start = ContinuousClock.now
        let looks = Mutex(0)
        var budget = ReadBudget(until: start + .milliseconds(10)) {
            // Each look at the clock is one row's time.
            let count = looks.withLock { looks in
                looks += 1
                return looks
            }
            return count <= free ? start : start + .milliseconds(10)
        }
        let taken = (0...free + 1).map { _ in budget.take() }
        #expect(taken == [Bool](repeating: true, count: free + 1) + [false] && budget.isOver)
    }
}
