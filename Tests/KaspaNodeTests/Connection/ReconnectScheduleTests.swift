import KaspaNode
import Testing

@Suite struct ReconnectScheduleTests {
    @Test("The delay doubles from 0.2 s to 10 s and stays there")
    func doubling() {
        var schedule = ReconnectSchedule(urlCount: 1, delays: .init())
        let delays = (0..<9).map { _ in schedule.attemptEnded(followed: nil) }
        #expect(delays == [200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000].map(Duration.milliseconds))
    }

    @Test(
        "Only a connection that was healthy long enough resets the delay",
        arguments: [(999, 800), (1000, 200), (1001, 200)] as [(Int, Int)])
    func reset(followed: Int, next: Int) {
        var schedule = ReconnectSchedule(urlCount: 1, delays: .init())
        _ = schedule.attemptEnded(followed: nil)
        _ = schedule.attemptEnded(followed: nil)
        #expect(schedule.attemptEnded(followed: .milliseconds(followed)) == .milliseconds(next))
    }

    @Test("URLs take turns, from the first on", arguments: [0, 1, 2, 3])
    func turns(count: Int) {
        var schedule = ReconnectSchedule(urlCount: count, delays: .init())
        var seen: [Int] = []
        for _ in 0..<6 {
            seen.append(schedule.urlIndex)
            _ = schedule.attemptEnded(followed: nil)
        }
        #expect(seen == (0..<6).map { $0 % max(1, count) })
    }
}
