import APNs
import KasiaProtocol
import Kaspa
import SampleOperations
import Testing

@testable import Push
@testable import Store

@Suite("Missed deliveries", .timeLimit(.minutes(10)))
struct MissedDeliveryTests {
    private static let savings = Samples.address(5)
    private static let more = Samples.address(6)
    private static let wallet = Samples.carol

    /// One device and what it is told: a message, one to its inbox, a payment, a handshake, a group message and funds.
    private static func told(boundTo wallet: Address? = nil) async throws -> PushBench {
        let bench = try await PushBench()
        var device = Samples.device(
            primary: Samples.bob, wallet: wallet, watching: [Samples.alice], groups: [Samples.groupID],
            capabilities: ["group_v1"])
        device.watchOnlyAddresses = [more, savings]
        try await bench.register(device)
        try await bench.accept(1..<2)
        try await bench.accept(2..<3, payload: Samples.inboxMessage(tag: Samples.bob.inboxTag))
        try await accept(bench, [(3, Samples.payment("f00d"), 125_000_000), (4, Samples.handshake(), 20_000_000)])
        try await bench.accept(5..<6, payload: Samples.groupMessage(by: Samples.alice))
        try await transfer(bench, 6, credits: [(Samples.address(9), 1), (savings, 5), (more, 7)])
        try await bench.run { _ in try await bench.drained() }
        return bench
    }

    private static let acceptance = OperationRecord.Acceptance(
        blockHash: Samples.hash(900), daaScore: 5, blueScore: 1)

    private static func cursor(_ bench: PushBench) -> ChainCursor {
        ChainCursor(blockHash: Samples.hash(900), daaScore: 5, blueScore: 1, timestamp: bench.clock.now)
    }

    /// Payments and handshakes of Alice's to Bob.
    private static func accept(
        _ bench: PushBench, _ paid: [(number: UInt64, payload: [UInt8], amount: UInt64)]
    ) async throws {
        let operations = paid.map { number, payload, amount in
            AcceptedOperation(
                operation: OperationRecord(
                    transactionID: Samples.hash(number), kind: number == 3 ? .payment : .handshake,
                    sender: Samples.alice, receiver: Samples.bob, amount: amount, blockHash: Samples.hash(900),
                    blockTime: bench.clock.now, acceptance: acceptance, payload: payload),
                notifies: true)
        }
        _ = try await bench.store.history.apply(
            ChainStep(removed: [], accepted: operations, cursor: cursor(bench)), now: bench.clock.now,
            withdrawsUnsent: false)
    }

    private static func transfer(
        _ bench: PushBench, _ number: UInt64, credits: [(address: Address, amount: UInt64)]
    ) async throws {
        let record = TransferRecord(
            transactionID: Samples.hash(number), blockTime: bench.clock.now, acceptance: acceptance,
            funds: Funds(
                credits: credits.map { Funds.Credit(address: $0.address, amount: $0.amount) },
                spenders: [Samples.address(8)]),
            listed: credits.map(\.address))
        _ = try await bench.store.history.apply(
            ChainStep(
                removed: [], accepted: [], transfers: [AcceptedTransfer(record, push: .due)], cursor: cursor(bench)),
            now: bench.clock.now, withdrawsUnsent: false)
    }

    private static func missed(_ bench: PushBench, reader: Address? = nil) async throws -> [MissedDelivery] {
        let registry = DeviceRegistry(store: bench.store, inFlight: InFlightDevices(), clock: bench.serviceClock)
        let page = try await registry.missed(token: Samples.token(1), after: 0, limit: 100, reader: reader)
        return try #require(page).deliveries
    }

    private static func delivery(_ number: UInt64, _ deliveries: [MissedDelivery]) throws -> MissedDelivery {
        try #require(deliveries.first { $0.entry.transactionID == Samples.hash(number) })
    }

    @Test("Each kind has what its push had, and no other member")
    func kinds() async throws {
        let bench = try await Self.told()
        let deliveries = try await Self.missed(bench)
        #expect(deliveries.map(\.entry.seq) == [1, 2, 3, 4, 5, 6])
        #expect(bench.sender.count == 6)
        for request in bench.sender.exchanges.map(\.request) {
            let members = try NotificationText(request.payload).members
            let id = try #require(members["txId"] as? String)
            let missed = try #require(deliveries.first { $0.entry.transactionID.description == id })
            #expect(missed.amount == members["amount"] as? UInt64, "\(missed.entry.kind)")
            #expect(missed.address?.description == members["address"] as? String, "\(missed.entry.kind)")
            #expect(
                missed.blindedGroupID.map { Hex.encode($0) } == members["groupId"] as? String,
                "\(missed.entry.kind)")
            #expect(missed.isInbox == (members["inbox"] as? Bool ?? false), "\(missed.entry.kind)")
        }
        let (payment, funds) = (try Self.delivery(3, deliveries), try Self.delivery(6, deliveries))
        #expect(payment.amount == 125_000_000)
        #expect(funds.amount == 12 && funds.address == Self.savings, "in the order of the outputs")
        #expect(try Self.delivery(5, deliveries).blindedGroupID == Samples.groupID)
        #expect(try Self.delivery(2, deliveries).isInbox)
    }

    @Test("Funds are told of the addresses that are watched now")
    func changedList() async throws {
        let bench = try await Self.told()
        for (watched, amount, address) in [
            ([Self.more], 7, Self.more), ([Self.savings], 5, Self.savings), ([Samples.address(7)], nil, nil),
            ([], nil, nil),
        ] as [([Address], UInt64?, Address?)] {
            var device = Samples.device(primary: Samples.bob, watching: [Samples.alice])
            device.watchOnlyAddresses = watched
            try await bench.register(device)
            let funds = try await Self.delivery(6, try Self.missed(bench))
            #expect(funds.amount == amount && funds.address == address)
        }
    }

    @Test("What only the registration says is for the wallet that it is bound to; what the chain says is for all")
    func boundDevice() async throws {
        let bench = try await Self.told(boundTo: Self.wallet)
        for (reader, isOwner) in [(Self.wallet, true), (Samples.alice, false), (nil, false)] as [(Address?, Bool)] {
            let deliveries = try await Self.missed(bench, reader: reader)
            let funds = try Self.delivery(6, deliveries)
            #expect(funds.amount == (isOwner ? 12 : nil) && funds.address == (isOwner ? Self.savings : nil))
            #expect(try Self.delivery(3, deliveries).amount == 125_000_000)
            #expect(try Self.delivery(5, deliveries).blindedGroupID == Samples.groupID)
        }
    }

    @Test("What the store has forgotten is left out, and the rest of the item stays")
    func forgotten() async throws {
        let bench = try await Self.told()
        let before = try await Self.missed(bench).map(\.entry)
        var limits = HistoryLimits()
        limits.bodiesBefore = .max
        limits.queuedBefore = .max
        var place: HistoryPlace? = .start
        while let next = place { place = try await bench.store.history.forgetHistory(limits, at: next, rows: 100).next }
        #expect(try await bench.store.history.operation(Samples.hash(3)) == nil)
        #expect(try await bench.store.history.transfer(Samples.hash(6)) == nil)
        let deliveries = try await Self.missed(bench)
        #expect(deliveries == before.map { MissedDelivery($0) })
    }

    @Test("A transaction that cannot be read leaves out its own members only", arguments: [3, 6] as [UInt64])
    func damaged(_ number: UInt64) async throws {
        let bench = try await Self.told()
        let family: ColumnFamily = number == 6 ? .transfers : .operations
        let before = try await Self.missed(bench)
        try await bench.store.write { $0.put(family, Samples.hash(number).bytes, [0xff]) }
        let deliveries = try await Self.missed(bench)
        for (old, new) in zip(before, deliveries) {
            #expect(new == (old.entry.transactionID == Samples.hash(number) ? MissedDelivery(old.entry) : old))
        }
        #expect(deliveries.count == before.count)
    }
}
