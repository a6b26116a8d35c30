@testable import APNs
import Kaspa
import Policy
import SampleOperations
import Store
import Testing

@testable import Push

@Suite("Pushes about funds", .timeLimit(.minutes(10)))
struct FundsPushTests {
    private static func credit(_ address: Address, _ amount: UInt64) -> Funds.Credit {
        Funds.Credit(address: address, amount: amount)
    }

    private static func device(
        _ number: Int = 1, createdAt: UInt64 = 0, primary: Address? = nil, wallet: Address? = nil, funds: [Address]
    ) -> DeviceRecord {
        var device = Samples.device(number, createdAt: createdAt, primary: primary, wallet: wallet)
        device.watchOnlyAddresses = funds
        return device
    }

    private static func audience(
        _ credits: [Funds.Credit], from spenders: [Address] = [Samples.carol], blockTime: UInt64 = 1_000_000
    ) -> Audience {
        var event = Samples.event(.addressActivity, sender: spenders.first, blockTime: blockTime)
        event.funds = Funds(credits: credits, spenders: spenders)
        return Audience(event, network: .mainnet, chainTime: .max)
    }

    // MARK: The rule

    @Test("Each credited address has its list, and a device is asked under the first of its own")
    func lists() {
        let (alice, bob) = (Samples.alice, Samples.bob)
        let audience = Self.audience([Self.credit(alice, 5), Self.credit(bob, 7)])
        #expect(audience.lists == [.funds(alice), .funds(bob)])
        let both = Self.device(funds: [bob, alice])
        #expect(audience.decide(both, list: 0) == .notifyFunds(address: alice, amount: 12))
        #expect(audience.decide(both, list: 1) == .skip)
        let one = Self.device(funds: [bob])
        #expect(audience.decide(one, list: 0) == .skip)
        #expect(audience.decide(one, list: 1) == .notifyFunds(address: bob, amount: 7))
    }

    @Test("Sums that pass 64 bits end at the greatest amount")
    func saturatingSum() {
        let audience = Self.audience([Self.credit(Samples.alice, .max), Self.credit(Samples.bob, 1)])
        #expect(
            audience.decide(Self.device(funds: [Samples.alice, Samples.bob]), list: 0)
                == .notifyFunds(address: Samples.alice, amount: .max))
    }

    @Test("Coins of the device's own that move are no news, whichever input they are", arguments: [0, 1, 2])
    func ownCoins(_ position: Int) {
        let (alice, bob, carol) = (Samples.alice, Samples.bob, Samples.carol)
        let stranger = Samples.address(9)
        for (device, own) in [
            (Self.device(primary: bob, funds: [alice]), bob), (Self.device(wallet: carol, funds: [alice]), carol),
            (Self.device(funds: [alice]), alice), (Self.device(funds: [alice, bob]), bob),
        ] {
            var spenders = [stranger, stranger, stranger]
            spenders[position] = own
            let audience = Self.audience([Self.credit(alice, 5)], from: spenders)
            #expect(audience.decide(device, list: 0) == .suppress(.ownTransfer))
        }
        let fromNobody = Self.audience([Self.credit(alice, 5)], from: [])
        #expect(fromNobody.decide(Self.device(funds: [alice]), list: 0) == .notifyFunds(address: alice, amount: 5))
    }

    @Test("What is more than two minutes older than the registration is not told", arguments: [-1, 0, 1])
    func beforeRegistration(_ milliseconds: Int) {
        let createdAt = UInt64(1_000_000 + 120_000 + milliseconds)
        let decision = Self.audience([Self.credit(Samples.alice, 5)])
            .decide(Self.device(createdAt: createdAt, funds: [Samples.alice]), list: 0)
        #expect(
            decision
                == (milliseconds > 0
                    ? .suppress(.beforeRegistration) : .notifyFunds(address: Samples.alice, amount: 5)))
    }

    // MARK: The notification

    private static let known = "kaspa:qp7d7ks3x3pzvfrd7cnjrelm0fmynjp5m9awauejd460zd7l7gcsjk2f5k28l"
    private static let transaction = "abababababababababababababababababababababababab0000000000000001"

    private static func encode(_ kind: PushKind, sender: Address?, _ format: DeviceRecord.PayloadFormat) -> String {
        var delivery = Samples.delivery(kind, sender: sender, amount: 125_000_000)
        if kind == .addressActivity { delivery.address = Samples.known }
        let encoder = NotificationEncoder(defaultFormat: .kasia, maximumPayloadBytes: 3_500)
        return String(decoding: encoder.encode(delivery, payload: [], format: format), as: UTF8.self)
    }

    @Test("Funds, in both shapes, byte for byte")
    func funds() {
        let (known, transaction) = (Self.known, Self.transaction)
        #expect(
            Self.encode(.addressActivity, sender: nil, .kasia)
                == #"{"aps":{"alert":{"title":"Funds received","body":"Received 1.25 KAS"},"sound":"default","#
                + #""thread-id":"funds:\#(known)","mutable-content":1},"#
                + #""kasia":{"type":"address_activity","txId":"\#(transaction)","sender":null,"address":"\#(known)","#
                + #""amount":125000000,"payload":null,"timestamp":1704067200000,"daaScore":12345678,"seq":17}}"#)
        #expect(
            Self.encode(.addressActivity, sender: Samples.known, .kachat)
                == #"{"aps":{"alert":{"title":"Funds received","body":"Received 1.25 KAS"},"sound":"default","#
                + #""thread-id":"funds:\#(known)","mutable-content":1,"content-available":1},"#
                + #""tx_id":"\#(transaction)","type":"address_activity","address":"\#(known)","#
                + #""amount":125000000,"timestamp":1704067200000,"daa_score":12345678,"seq":17}"#)
    }

    @Test("A correction, in both shapes, byte for byte")
    func correction() {
        let (known, transaction) = (Self.known, Self.transaction)
        let end = #""amount":125000000,"payload":null,"timestamp":1704067200000,"daaScore":12345678,"seq":17}}"#
        #expect(
            Self.encode(.paymentReverted, sender: Samples.known, .kasia)
                == #"{"aps":{"alert":{"title":"Payment Reversed","#
                + #""body":"1.25 KAS from kaspa:qp...f5k28l is no longer confirmed"},"sound":"default","#
                + #""thread-id":"\#(known)","category":"KASIA_PAYMENT","mutable-content":1},"#
                + #""kasia":{"type":"payment_reverted","txId":"\#(transaction)","sender":"\#(known)","# + end)
        #expect(
            Self.encode(.paymentReverted, sender: nil, .kasia).contains(
                #""body":"1.25 KAS from unknown sender is no longer confirmed""#))
        #expect(
            Self.encode(.paymentReverted, sender: Samples.known, .kachat)
                == #"{"aps":{"alert":{"title":"\#(known)","body":"Payment reversed"},"sound":"default","#
                + #""mutable-content":1,"content-available":1},"#
                + #""tx_id":"\#(transaction)","type":"payment_reverted","#
                + #""amount":125000000,"timestamp":1704067200000,"daa_score":12345678,"seq":17}"#)
    }

    // MARK: The whole way

    private static func accept(
        _ bench: PushBench, _ numbers: Range<UInt64>, credits: [Funds.Credit], removed: [UInt64] = [],
        block: UInt64 = 900, blueScore: UInt64 = 1, sink: UInt64? = nil, withdraws: Bool = false
    ) async throws {
        let now = bench.clock.now
        let acceptance = OperationRecord.Acceptance(blockHash: Samples.hash(block), daaScore: 5, blueScore: blueScore)
        _ = try await bench.store.history.apply(
            ChainStep(
                removed: removed.map { Samples.hash($0) }, accepted: [],
                transfers: numbers.map {
                    AcceptedTransfer(
                        TransferRecord(
                            transactionID: Samples.hash($0), blockTime: now, acceptance: acceptance,
                            funds: Funds(credits: credits, spenders: [Samples.carol]),
                            listed: credits.map(\.address)), push: .due)
                },
                cursor: ChainCursor(
                    blockHash: Samples.hash(block), daaScore: 5, blueScore: sink ?? blueScore, timestamp: now)),
            now: now, withdrawsUnsent: withdraws)
    }

    @Test("A transfer becomes one push for each device, each with its sum, under the transaction's names")
    func delivered() async throws {
        let bench = try await PushBench()
        try await bench.register(Self.device(1, funds: [Samples.alice, Samples.bob]))
        try await bench.register(Self.device(2, funds: [Samples.bob]))
        try await bench.register(Self.device(3, primary: Samples.carol, funds: [Samples.bob]))
        try await Self.accept(bench, 1..<2, credits: [Self.credit(Samples.alice, 5), Self.credit(Samples.bob, 7)])
        try await bench.run { _ in try await bench.drained() }
        #expect(bench.sender.count == 2)
        for (number, amount, address) in [(1, 12, Samples.alice), (2, 7, Samples.bob)] as [(Int, UInt64, Address)] {
            let request = try #require(bench.sender.requests(to: Samples.token(number)).first)
            let members = try NotificationText(request.payload).members
            #expect(members["amount"] as? UInt64 == amount)
            #expect(members["address"] as? String == address.description)
            #expect(members["seq"] as? UInt64 == 1)
            #expect(request.collapseID == Samples.hash(1).description)
            #expect(
                request.id
                    == NotificationID.make(
                        network: "mainnet", transactionID: Samples.hash(1).description,
                        deviceToken: request.deviceToken))
        }
        let books = try await bench.store.outbox.books()
        #expect(books.balance && books.deliveriesDelivered == 2 && books.deliveriesSuppressed == 1)
        #expect(try bench.store.checkBooks().problems == [])
    }

    @Test("Thirty-one within an hour are thirty pushes; the hour over, there is one more")
    func hourlyLimit() async throws {
        let bench = try await PushBench()
        try await bench.register(Self.device(1, funds: [Samples.alice]))
        try await bench.run { dispatcher in
            try await Self.accept(bench, 1..<32, credits: [Self.credit(Samples.alice, 5)])
            dispatcher.wake()
            try await bench.drained()
            #expect(bench.sender.count == 30)
            bench.advance(dispatcher, by: .milliseconds(3_599_999))
            try await Self.accept(bench, 40..<41, credits: [Self.credit(Samples.alice, 5)])
            dispatcher.wake()
            try await bench.drained()
            #expect(bench.sender.count == 30)
            bench.advance(dispatcher, by: .milliseconds(1))
            try await Self.accept(bench, 41..<42, credits: [Self.credit(Samples.alice, 5)])
            dispatcher.wake()
            try await bench.drained()
        }
        #expect(bench.sender.count == 31)
        #expect(try await bench.store.outbox.books().deliveriesSuppressed == 2)
    }

    @Test(
        "With confirmations it waits to the block, and one that is taken out while it waits and comes back is told once",
        arguments: [9, 10] as [UInt64])
    func confirmations(_ above: UInt64) async throws {
        let bench = try await PushBench(configuration: PushConfiguration(network: .mainnet, confirmations: 10))
        try await bench.register(Self.device(1, funds: [Samples.alice]))
        let credits = [Self.credit(Samples.alice, 5)]
        try await bench.run { dispatcher in
            try await Self.accept(bench, 1..<2, credits: credits, block: 900, blueScore: 100, withdraws: true)
            dispatcher.wake()
            try await Self.accept(
                bench, 1..<2, credits: credits, removed: [900], block: 901, blueScore: 105, withdraws: true)
            // The tenth block above the first acceptance is not the tenth above the second.
            try await Self.accept(bench, 0..<0, credits: [], block: 902, blueScore: 110, withdraws: true)
            dispatcher.wake()
            try await bench.clock.asleep { true }
            #expect(bench.sender.count == 0)
            try await Self.accept(bench, 0..<0, credits: [], block: 903, blueScore: 105 + above, withdraws: true)
            dispatcher.wake()
            try await bench.clock.asleep {
                try await bench.store.totals().deliveries == 0 && (above < 10 || bench.sender.count > 0)
            }
            #expect(bench.sender.count == (above < 10 ? 0 : 1))
            try await Self.accept(bench, 0..<0, credits: [], block: 904, blueScore: 200, withdraws: true)
            dispatcher.wake()
            try await bench.drained()
        }
        #expect(bench.sender.count == 1)
        let books = try await bench.store.outbox.books()
        #expect(books.eventsCreated == 2 && books.eventsWithdrawn == 1 && books.eventsFannedOut == 1 && books.balance)
    }

    @Test("Why a transfer was told of, or not")
    func explained() async throws {
        let bench = try await PushBench()
        try await bench.register(Self.device(1, funds: [Samples.alice]))
        try await bench.register(Self.device(2, primary: Samples.carol, funds: [Samples.alice]))
        try await Self.accept(bench, 1..<2, credits: [Self.credit(Samples.alice, 5)])
        try await bench.run { _ in try await bench.drained() }
        let text = try await bench.explain(1, limit: 9)
        #expect(text.contains("is a plain transfer from \(Samples.carol.short) that credits 1 watched addresses"))
        #expect(text.contains("\(DeviceID(token: Samples.token(1))): the rule says to tell it"))
        #expect(text.contains("delivery 1 is delivered after 1 attempt"))
        #expect(text.contains("\(DeviceID(token: Samples.token(2))): its own coins were spent; nothing was sent"))
        #expect(!text.contains(Samples.alice.description))
    }
}
