import Testing

@testable import API

@Suite("ReadTimeLimiter")
struct ReadTimeLimiterTests {
    let start = ContinuousClock.now

    @Test("a burst of work, and then an eighth of what the threads have")
    func allowance() {
        let allowance = ReadTimeLimiter()
        // 5 s of reads of 10 ms.
        for number in 1...500 {
            #expect(allowance.wait([1], now: start) == nil, "read \(number)")
            allowance.charge([1], .milliseconds(10), now: start)
        }
        // A millisecond comes back in four.
        #expect(allowance.wait([1], now: start) == .milliseconds(4))
        #expect(allowance.wait([2], now: start) == nil, "another client has its own")
        let later = start + .milliseconds(4)
        #expect(allowance.wait([1], now: later) == nil)
        allowance.charge([1], .milliseconds(11), now: later)
        #expect(allowance.wait([1], now: later) == .milliseconds(44), "what was too much is waited for")
    }

    @Test("the cheapest read counts a millisecond")
    func cheap() {
        let allowance = ReadTimeLimiter()
        for _ in 1..<5_000 { allowance.charge([1], .zero, now: start) }
        #expect(allowance.wait([1], now: start) == nil)
        allowance.charge([1], .zero, now: start)
        #expect(allowance.wait([1], now: start) != nil)
    }

    @Test("a debt ends after 40 s, however large it was, and no allowance grows beyond the burst")
    func bounds() {
        let allowance = ReadTimeLimiter()
        allowance.charge([1], .seconds(86_400), now: start)
        #expect(allowance.wait([1], now: start + .seconds(19)) != nil)
        #expect(allowance.wait([1], now: start + .seconds(21)) == nil)
        let later = start + .seconds(86_400)
        allowance.charge([1], .milliseconds(4_999), now: later)
        #expect(allowance.wait([1], now: later) == nil)
        allowance.charge([1], .milliseconds(1), now: later)
        #expect(allowance.wait([1], now: later) != nil)
        #expect(allowance.wait([1], now: start) != nil, "a clock that ran backwards gives nothing")
    }

    @Test("memory is bounded, and clients seen last are remembered")
    func memory() {
        let allowance = ReadTimeLimiter()
        func key(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        let many = ReadTimeLimiter.capacity + ReadTimeLimiter.capacity / 2
        var most = 0
        for number in 0..<many {
            allowance.charge(key(number), .seconds(6), now: start + .microseconds(number))
            most = max(most, allowance.count)
        }
        #expect(most == ReadTimeLimiter.capacity)
        #expect(allowance.wait(key(many - 1), now: start + .microseconds(many)) != nil)
    }
}
