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

    @Test("A store of an older version has the time of its last block, if that has one", arguments: [0, 1, 1 << 40])
    func older(time: UInt64) async throws {
        let fixture = try StoreFixture()
        try await fixture.store.history.resetCursor(
            to: ChainCursor(blockHash: .zero, daaScore: 1, blueScore: 1, timestamp: time))
        let expected = time > 0 ? ClockReading(service: time, wall: time, chain: time) : nil
        #expect(try await fixture.store.clockReading() == expected)
    }
}
