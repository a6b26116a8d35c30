import Testing

@testable import Store

@Suite("A device's only delivery")
struct LoneDeliveriesTests {
    @Test("Beyond the capacity nothing new is noted, and what is known is kept up", arguments: [0, 1, 2, 3, 4])
    func capacity(_ count: Int) {
        let lone = LoneDeliveries(capacity: 3)
        for number in 0..<count { lone.commit([Sample.id(number): 7]) }
        #expect(lone.count == min(count, 3))
        for number in 0..<count { #expect(lone[Sample.id(number)] == (number < 3 ? 7 : nil)) }
        guard count > 2 else { return }
        lone.commit([Sample.id(0): 8, Sample.id(1): nil])
        #expect(lone[Sample.id(0)] == 8 && lone[Sample.id(1)] == nil && lone.count == 2)
        lone.commit([Sample.id(9): 1])
        #expect(lone[Sample.id(9)] == 1)
    }

    @Test("A transaction sees its own notes first, and one that is not committed leaves none")
    func transactions() async throws {
        let fixture = try StoreFixture()
        let device = Sample.id(1)
        try await fixture.store.write { $0.note(lone: 3, of: device) }
        try await fixture.store.write { transaction in
            #expect(transaction.isLone(device, 3) && !transaction.isLone(device, 4))
            #expect(!transaction.isLone(Sample.id(2), 3))
            transaction.note(lone: nil, of: device)
            #expect(!transaction.isLone(device, 3))
            transaction.note(lone: 4, of: device)
            #expect(transaction.isLone(device, 4))
        }
        await #expect(throws: StoreError.self) {
            try await fixture.store.write { (transaction) throws(StoreError) in
                transaction.note(lone: nil, of: device)
                throw StoreError(.corrupt, "a damaged row")
            }
        }
        #expect(try await fixture.store.write { $0.isLone(device, 4) })
    }

    @Test("What waits behind the first is found, and what comes after the last is first again")
    func followers() async throws {
        let fixture = try StoreFixture()
        let device = try await fixture.deviceWithDeliveries(2)
        for seq in [1, 2] as [UInt64] {
            let place = try #require(try fixture.place(device))
            #expect(place.seq == seq)
            let result = try await fixture.store.settle(
                [Settlement(key: place, transactionID: Sample.transaction(Int(seq)), fate: .done)], now: 7_000)
            #expect(result.first?.scheduled?.seq == (seq == 1 ? 2 : nil))
        }
        #expect(try fixture.place(device) == nil)
        try await fixture.accept(3)
        try await fixture.fanOut(event: 3)
        #expect(try fixture.place(device)?.seq == 3)
    }
}
