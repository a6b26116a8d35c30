import Testing

@testable import API

@Suite("The history of the status page")
struct StatusHistoryTests {
    private func reading(_ delivered: Double, send: [UInt64] = [0, 0, 0]) -> StatusHistory.Reading {
        var reading = StatusHistory.Reading()
        reading.delivered = delivered
        reading.send = BucketCounts(bounds: [1, 2], counts: send)
        return reading
    }

    @Test("a sample is what came since the reading before")
    func growth() throws {
        var history = StatusHistory()
        let none = history.record(reading(100, send: [10, 0, 0]), at: 50_000)
        #expect(none == nil, "there is nothing before the first")
        let firstSample = history.record(reading(130, send: [10, 4, 0]), at: 60_000)
        let first = try #require(firstSample)
        #expect(first.time == 60_000 && first.seconds == 10 && first.delivered == 30)
        #expect(first.sendP50 == 1.5 && first.sendP99 == 1.99, "only the four new ones, between 1 and 2")
        let secondSample = history.record(reading(130, send: [10, 4, 0]), at: 75_000)
        let second = try #require(secondSample)
        #expect(second.seconds == 15 && second.delivered == 0)
        #expect(second.sendP50 == nil && second.sendP99 == nil, "nothing was observed")
        #expect(history.samples == [first, second])
        #expect(history.deliveredPerSecond == 30.0 / 25)
    }

    @Test("a counter that begins anew counts from there")
    func reset() {
        var history = StatusHistory()
        history.record(reading(100, send: [10, 0, 0]), at: 0)
        let sample = history.record(reading(7, send: [2, 0, 0]), at: 10_000)
        #expect(sample?.delivered == 7 && sample?.sendP50 == 0.5)
    }

    @Test("a clock that is set back, or stands still, makes no sample", arguments: [9_999, 10_000] as [UInt64])
    func clock(time: UInt64) {
        var history = StatusHistory()
        history.record(reading(1), at: 10_000)
        let none = history.record(reading(5), at: time)
        #expect(none == nil)
        let next = history.record(reading(6), at: time + 10_000)
        #expect(next?.delivered == 1)
    }

    @Test("an hour is kept, and no more", arguments: [359, 360, 361, 1_000])
    func capacity(count: Int) {
        var history = StatusHistory()
        for index in 0...count { history.record(reading(Double(index * index)), at: UInt64(index) * 10_000) }
        let kept = min(count, 360)
        #expect(history.samples.map(\.time) == (count - kept + 1...count).map { UInt64($0) * 10_000 })
        #expect(history.samples.last?.delivered == Double(2 * count - 1))
    }

    @Test("the rate is that of the last minute", arguments: [5, 6, 7])
    func rate(count: Int) {
        var history = StatusHistory()
        history.record(reading(0), at: 0)
        for index in 1...count { history.record(reading(Double(60 + index)), at: UInt64(index) * 10_000) }
        // The first stretch has 61, each other one 1.
        #expect(history.deliveredPerSecond == (count <= 6 ? Double(60 + count) / Double(count * 10) : 0.1))
    }
}

@Suite("Quantiles of buckets")
struct BucketCountsTests {
    @Test(
        "are spread evenly in their bucket, as Prometheus does",
        arguments: [
            ([0, 0, 0], 0.5, nil), ([4, 0, 0], 0.5, 0.5), ([4, 0, 0], 1, 1), ([4, 0, 0], 0, 0), ([1, 1, 0], 0.5, 1),
            ([1, 1, 0], 0.75, 1.5), ([0, 2, 0], 0.5, 1.5), ([0, 0, 3], 0.5, 2), ([99, 0, 1], 0.99, 1),
            ([99, 0, 1], 0.995, 2), ([1, 0, 0], -1, 0), ([1, 0, 0], 2, 1),
        ] as [([UInt64], Double, Double?)])
    func quantile(counts: [UInt64], part: Double, expected: Double?) {
        #expect(BucketCounts(bounds: [1, 2], counts: counts).quantile(part) == expected)
    }

    @Test("without buckets there is none")
    func empty() {
        #expect(BucketCounts().quantile(0.5) == nil)
        #expect(BucketCounts(bounds: [], counts: [3]).quantile(0.5) == nil)
    }

    @Test("series add up, and a difference is what is new")
    func sums() {
        var all = BucketCounts()
        all.add(BucketCounts(bounds: [1, 2], counts: [1, 2, 3]))
        all.add(BucketCounts(bounds: [1, 2], counts: [10, 0, 0]))
        all.add(BucketCounts(bounds: [5], counts: [7, 7]))
        #expect(all == BucketCounts(bounds: [1, 2], counts: [11, 2, 3]))
        #expect(all.since(BucketCounts(bounds: [1, 2], counts: [1, 2, 3])).counts == [10, 0, 0])
        #expect(all.since(BucketCounts(bounds: [1, 2], counts: [12, 0, 0])) == all, "of a life before")
    }
}
