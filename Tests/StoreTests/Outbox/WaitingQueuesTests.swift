import Testing

@testable import Store

@Suite("What waits for a device")
struct WaitingQueuesTests {
    @Test("Beyond the capacity nothing new is known, and nothing that is no longer true", arguments: [0, 1, 2, 3, 4])
    func capacity(_ count: Int) {
        let waiting = WaitingQueues(capacity: 3)
        for number in 0..<count { waiting.commit([Sample.id(number): [7]]) }
        #expect(waiting.count == min(count, 3))
        for number in 0..<count { #expect(waiting[Sample.id(number)] == (number < 3 ? [7] : nil)) }
        guard count == 4 else { return }
        waiting.commit([Sample.id(0): [7, 8]])
        #expect(waiting[Sample.id(0)] == nil && waiting.count == 2)
        waiting.commit([Sample.id(1): nil])
        waiting.commit([Sample.id(2): [7, 8, 9]])
        #expect(waiting[Sample.id(1)] == nil && waiting[Sample.id(2)] == [7, 8, 9] && waiting.count == 3)
    }

    @Test(
        "Of devices for which nothing waits, those whose last delivery ended last are known",
        arguments: [2, 3, 4, 6, 7])
    func idle(_ count: Int) {
        let waiting = WaitingQueues(capacity: 3)
        for number in 0..<count { waiting.commit([Sample.id(number): []]) }
        // Three of the younger generation at most, and the three before them.
        let forgotten = count == 7 ? 3 : 0
        for number in 0..<count { #expect(waiting[Sample.id(number)] == (number < forgotten ? nil : [])) }
        #expect(waiting.count == 0)
        for change in [[8], nil] as [[UInt64]?] {
            waiting.commit([Sample.id(count - 1): change])
            #expect(waiting[Sample.id(count - 1)] == change)
        }
        waiting.commit([Sample.id(count - 1): []])
        #expect(waiting[Sample.id(count - 1)] == [])
    }

    @Test("One device's queue is known up to its bound", arguments: [-1, 0, 1])
    func longest(_ beyond: Int) async throws {
        let fixture = try StoreFixture()
        let device = Sample.id(1)
        let count = UInt64(WaitingQueues.longest + beyond)
        try await fixture.store.write { transaction in
            transaction.note(waiting: [1], for: device)
            for seq in 2...count { transaction.note(following: seq, for: device) }
        }
        let known = try await fixture.store.write { $0.waiting(for: device) }
        #expect(known == (beyond > 0 ? nil : Array(1...count)))
    }

    @Test("A transaction sees its own notes first, and one that is not committed leaves none")
    func transactions() async throws {
        let fixture = try StoreFixture()
        let device = Sample.id(1)
        try await fixture.store.write { $0.note(waiting: [3], for: device) }
        try await fixture.store.write { transaction in
            #expect(transaction.waiting(for: device) == [3])
            transaction.note(following: 4, for: device)
            #expect(transaction.waiting(for: device) == [3, 4])
            #expect(transaction.waiting(for: Sample.id(2)) == nil)
            transaction.note(following: 9, for: Sample.id(2))
            #expect(transaction.waiting(for: Sample.id(2)) == nil)
        }
        await #expect(throws: StoreError.self) {
            try await fixture.store.write { (transaction) throws(StoreError) in
                transaction.note(waiting: nil, for: device)
                throw StoreError(.corrupt, "a damaged row")
            }
        }
        #expect(try await fixture.store.write { $0.waiting(for: device) } == [3, 4])
    }

    @Test(
        "What waits behind the first is found, known or not, and what comes after the last is first again",
        arguments: [false, true])
    func followers(isForgotten: Bool) async throws {
        let fixture = try StoreFixture()
        let device = try await fixture.deviceWithDeliveries(3)
        if isForgotten { try await fixture.store.write { $0.note(waiting: nil, for: device) } }
        for seq in [1, 2, 3] as [UInt64] {
            let known = try await fixture.store.write { $0.waiting(for: device) }
            #expect(known == (isForgotten ? nil : Array(seq...3)))
            let place = try #require(try await fixture.place(device))
            #expect(place.seq == seq)
            let result = try await fixture.store.outbox.settle(
                [Settlement(key: place, transactionID: Sample.transaction(Int(seq)), next: .done)], now: 7_000)
            #expect(result.first?.scheduled?.seq == (seq < 3 ? seq + 1 : nil))
        }
        #expect(try await fixture.place(device) == nil)
        #expect(try await fixture.store.write { $0.waiting(for: device) } == [])
        try await fixture.accept(4)
        try await fixture.fanOut(event: 4)
        #expect(try await fixture.place(device)?.seq == 4)
        #expect(try await fixture.store.write { $0.waiting(for: device) } == [4])
    }

    @Test("A state that counts an ended only delivery is read as one without, known or not", arguments: [false, true])
    func ended(isForgotten: Bool) async throws {
        let fixture = try StoreFixture()
        let device = try await fixture.deviceWithDeliveries(1)
        let place = try #require(try await fixture.place(device))
        _ = try await fixture.store.outbox.settle(
            [Settlement(key: place, transactionID: Sample.transaction(1), next: .done)], now: 7_000)
        if isForgotten { try await fixture.store.write { $0.note(waiting: nil, for: device) } }
        let (stored, state, asked) = try await fixture.store.write { (transaction) throws(StoreError) in
            var ahead = RowsAhead()
            let stored = try transaction.storedDeviceState(device)
            transaction.addOnlyDelivery(of: device, stored, to: &ahead)
            return (stored, try transaction.deviceState(device), ahead.keys.count)
        }
        #expect(stored.only == 1 && state.only == nil && state.scheduled == nil && state.lastSeq == 1)
        // Asked for only if nobody knows.
        #expect(asked == (isForgotten ? 1 : 0))
    }

    @Test("One that is tried again stays the first")
    func triedAgain() async throws {
        let fixture = try StoreFixture()
        let device = try await fixture.deviceWithDeliveries(2)
        let place = try #require(try await fixture.place(device))
        _ = try await fixture.store.outbox.settle(
            [
                Settlement(
                    key: place, transactionID: Sample.transaction(1), next: .retry(at: 8_000, omitsPayload: false))
            ],
            now: 7_000)
        #expect(try await fixture.store.write { $0.waiting(for: device) } == [1, 2])
        let again = try #require(try await fixture.place(device))
        #expect(again.seq == 1 && again.due == 8_000)
    }
}
