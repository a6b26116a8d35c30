import Testing

@testable import FCM

@Suite("Message rate")
struct MessageRateTests {
    @Test("allows a second's worth at once, and no more", arguments: [(60, 1), (600, 10), (600_000, 10_000), (7, 1)])
    func burst(perMinute: Int, count: Int) {
        var rate = MessageRate(perMinute: perMinute, now: 1_000)
        for _ in 0..<count { #expect(rate.take(now: 1_000) == nil) }
        #expect(rate.take(now: 1_000) != nil)
    }

    @Test("names the wait after which one more may be sent", arguments: [1, 7, 60, 599, 60_000, 600_000, 10_000_000])
    func wait(perMinute: Int) throws {
        var rate = MessageRate(perMinute: perMinute, now: 0)
        var pause: Duration?
        while pause == nil { pause = rate.take(now: 0) }
        let milliseconds =
            UInt64(try #require(pause).components.attoseconds / 1_000_000_000_000_000)
            + UInt64(try #require(pause).components.seconds) * 1_000
        // What is left of a second's worth counts.
        let missing = 60_000 - max(60_000, perMinute * 1_000) % 60_000
        #expect(milliseconds == UInt64((missing + perMinute - 1) / perMinute))
        if milliseconds > 1 {
            var early = rate
            #expect(early.take(now: milliseconds - 1) != nil)
        }
        #expect(rate.take(now: milliseconds) == nil)
    }

    @Test("lets through in a minute what it is for, and at most a second's worth more")
    func minute() {
        var rate = MessageRate(perMinute: 6_000, now: 0)
        var sent = 0
        for now in UInt64(0)..<60_000 {
            while rate.take(now: now) == nil { sent += 1 }
        }
        #expect((6_000...6_100).contains(sent), "\(sent)")
    }

    @Test("saves up no more than a second's worth, and minds no clock that stands still or goes back")
    func idle() {
        var rate = MessageRate(perMinute: 600, now: 1_000)
        for _ in 0..<10 { #expect(rate.take(now: 1_000) == nil) }
        #expect(rate.take(now: 500) != nil)
        var sent = 0
        while rate.take(now: .max) == nil { sent += 1 }
        #expect(sent == 10)
    }
}
