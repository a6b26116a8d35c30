import Clocks
import Kaspa
import Testing

@testable import Store

@Suite("What the clocks showed")
struct ClockReadingTests {
    @Test("It is kept, and read as it was; a store that has never heard of a chain has none")
    func kept() async throws {
        let fixture = try StoreFixture()
        #expect(try await fixture.store.clockReading() == nil)
        #expect(try await fixture.store.restingTime(wall: 77) == 77)
        let reading = ClockReading(service: 1_000, wall: 5_000, chain: 3_000)
        try await fixture.store.keep(reading)
        #expect(try await fixture.store.clockReading() == reading)
    }

    @Test(
        "While no service runs its time goes on with the wall clock, and never back", arguments: [-1, 0, 1] as [Int64])
    func resting(difference: Int64) async throws {
        let fixture = try StoreFixture()
        try await fixture.store.keep(ClockReading(service: 1_000, wall: 5_000, chain: 3_000))
        let wall = UInt64(5_000 + difference)
        #expect(try await fixture.store.restingTime(wall: wall) == 1_000 + UInt64(max(0, difference)))
    }

    @Test(
        "A run that is killed may have made deliveries due after its last reading: the next run's time is no earlier",
        arguments: [(6_099, 6_000), (6_100, 6_100), (6_101, 6_101), (5_000, 6_000), (90_000, 90_000)]
            as [(UInt64, UInt64)])
    func killed(now: UInt64, service: UInt64) async throws {
        let fixture = try StoreFixture()
        try await fixture.store.keep(ClockReading(service: 6_000, wall: 500, chain: 3_000))
        try await fixture.register(Sample.device(1, watching: [Sample.address(1)]))
        try await fixture.accept(1)
        try await fixture.fanOut(event: 1, now: now)
        let late = service - 6_000
        #expect(
            try await fixture.store.clockReading()
                == ClockReading(service: service, wall: 500 + late, chain: 3_000 + late))
    }

    @Test("What follows an answer is noted, too; a batch that makes nothing due is not")
    func afterAnswers() async throws {
        let fixture = try StoreFixture()
        let device = try await fixture.deviceWithDeliveries(2)
        try await fixture.store.keep(ClockReading(service: 6_000, wall: 500, chain: 3_000))
        for (number, now, service) in [(1, 7_000, 7_000), (2, 8_000, 7_000)] as [(Int, UInt64, UInt64)] {
            let place = try #require(try await fixture.place(device))
            _ = try await fixture.store.outbox.settle(
                [Settlement(key: place, transactionID: Sample.transaction(number), next: .done)], now: now)
            #expect(try await fixture.store.clockReading()?.service == service)
        }
        #expect(try await fixture.place(device) == nil)
    }

    @Test("A store of an older version has the time of its last block, if that has one", arguments: [0, 1, 1 << 40])
    func older(time: UInt64) async throws {
        let fixture = try StoreFixture()
        try await fixture.store.history.resetCursor(
            to: ChainCursor(blockHash: .zero, daaScore: 1, blueScore: 1, timestamp: time))
        let expected = time > 0 ? ClockReading(service: time, wall: time, chain: time) : nil
        #expect(try await fixture.store.clockReading() == expected)
    }
}
