import KasiaProtocol
import Kaspa
import SampleOperations
import Testing

@testable import Policy
@testable import Store

/// One example of a table: whom it is about, the rule that decides (nil: none), and what the table says.
struct Example<Subject: Sendable, Decision: Equatable & Sendable>: Sendable, CustomTestStringConvertible {
    let name: String
    let subject: Subject
    let rule: Int?
    let decision: Decision

    init(_ name: String, _ subject: Subject, rule: Int?, _ decision: Decision) {
        self.name = name
        self.subject = subject
        self.rule = rule
        self.decision = decision
    }

    var testDescription: String { name }
}

@Suite("PushPolicy")
struct PushPolicyTests {
    private static let (alice, bob, carol) = (Samples.alice, Samples.bob, Samples.carol)

    private func check<Subject, Decision>(
        _ example: Example<Subject, Decision>, by table: PushRules<Subject, Decision>
    ) {
        #expect(table.rule(deciding: example.subject) == example.rule)
        #expect(table.decide(example.subject) == example.decision)
    }

    /// Every rule decides in some example, and in some none does.
    private func checkCover<Subject, Decision>(
        _ examples: [Example<Subject, Decision>], of table: PushRules<Subject, Decision>
    ) {
        #expect(Set(examples.map(\.rule)) == Set(table.rules.indices.map { $0 } + [nil]))
        #expect(Set(table.rules.map(\.sentence)).count == table.rules.count)
    }

    // MARK: The chain accepts something

    private static func accepted(
        _ kind: PushKind, channel: String? = nil, age: Int64 = 0, isOn: Bool = true
    ) -> AcceptedTransaction {
        AcceptedTransaction(
            kind, channelName: channel, blockTime: Samples.time,
            chainTime: UInt64(Int64(Samples.time) + age),
            intake: EventIntake(isOn: isOn, maximumAge: 1_000, broadcastChannels: ["kaspa"]))
    }

    static let events: [Example<AcceptedTransaction, EventDecision>] = [
        Example("a message", accepted(.contextualMessage), rule: nil, .queued),
        Example("pushes are off", accepted(.payment, isOn: false), rule: 0, .nobody),
        Example("pushes are off, and it is old", accepted(.payment, age: 9_999, isOn: false), rule: 0, .nobody),
        Example("a self-stash", accepted(.selfStash), rule: 1, .nobody),
        Example("an old self-stash is not counted", accepted(.selfStash, age: 9_999), rule: 1, .nobody),
        Example("a broadcast in a channel that is pushed", accepted(.broadcast, channel: "kaspa"), rule: nil, .queued),
        Example("a broadcast in another channel", accepted(.broadcast, channel: "news"), rule: 2, .nobody),
        Example("a broadcast in no channel", accepted(.broadcast), rule: 2, .nobody),
        Example("an old broadcast", accepted(.broadcast, channel: "kaspa", age: 1_001), rule: 3, .tooOld),
        Example("a millisecond younger than max_age", accepted(.payment, age: 999), rule: nil, .queued),
        Example("as old as max_age", accepted(.payment, age: 1_000), rule: nil, .queued),
        Example("a millisecond older than max_age", accepted(.payment, age: 1_001), rule: 3, .tooOld),
        Example("from the future", accepted(.handshake, age: -5_000), rule: nil, .queued),
        Example("a transfer", accepted(.addressActivity), rule: nil, .queued),
        Example("an old transfer", accepted(.addressActivity, age: 1_001), rule: 3, .tooOld),
    ]

    @Test("Whether an accepted transaction becomes an event", arguments: events)
    func becomesEvent(example: Example<AcceptedTransaction, EventDecision>) { check(example, by: PushPolicy.events) }

    // MARK: The sender is not known

    @Test(
        "Nobody can be told without the sender but receivers",
        arguments: [
            (Samples.message(), true), (Samples.inboxMessage(tag: bob.inboxTag), true),
            (Samples.groupMessage(by: alice), true), (Samples.groupControl(), true),
            (Samples.groupControl(to: bob), false), (Samples.broadcast("hi"), true), (Samples.payment(), false),
            (Samples.handshake(), false),
        ])
    func needsSender(payload: [UInt8], needsSender: Bool) throws {
        let parsed = try #require(OperationPayload(parsing: payload).parsed)
        #expect(PushPolicy.needsSender(parsed) == needsSender)
    }

    private static func unanswered(
        waits: Bool, needsSender: Bool, asked: UInt32, blockTime: UInt64? = 500
    ) -> UnansweredSender {
        UnansweredSender(
            UnresolvedSender(
                transactionID: .zero, acceptance: Samples.acceptance, notifies: waits, needsSender: needsSender,
                group: nil, paid: [], attempts: asked, due: 0, deadline: 0),
            blockTime: blockTime, times: .init(askingUntil: 3_600, waitingUntil: 60, newsSince: 500))
    }

    static let senderWaits: [Example<UnansweredSender, SenderWaitDecision>] = [
        Example(
            "no event waits, asked six times", unanswered(waits: false, needsSender: true, asked: 6), rule: 0,
            .waits(until: 3_600)),
        Example(
            "no event waits, asked seven times", unanswered(waits: false, needsSender: true, asked: 7), rule: 0,
            .givenUp),
        Example(
            "no event waits, asked eight times", unanswered(waits: false, needsSender: false, asked: 8), rule: 0,
            .givenUp),
        Example("paid, never asked", unanswered(waits: true, needsSender: false, asked: 0), rule: 1, .released),
        Example("paid, asked often", unanswered(waits: true, needsSender: false, asked: 99), rule: 1, .released),
        Example(
            "paid, and its row cannot be read",
            unanswered(waits: true, needsSender: false, asked: 0, blockTime: nil), rule: nil, .suppressed),
        Example(
            "a message, asked six times", unanswered(waits: true, needsSender: true, asked: 6), rule: 2,
            .waits(until: 60)),
        Example(
            "a message, asked seven times", unanswered(waits: true, needsSender: true, asked: 7), rule: nil,
            .suppressed),
        Example(
            "a message, asked eight times", unanswered(waits: true, needsSender: true, asked: 8), rule: nil,
            .suppressed),
        Example(
            "a message that is a moment too old to be news",
            unanswered(waits: true, needsSender: true, asked: 0, blockTime: 499), rule: nil, .suppressed),
        Example(
            "a message that is news for a moment more",
            unanswered(waits: true, needsSender: true, asked: 0, blockTime: 501), rule: 2, .waits(until: 60)),
        Example(
            "a message whose row cannot be read", unanswered(waits: true, needsSender: true, asked: 0, blockTime: nil),
            rule: nil, .suppressed),
    ]

    @Test("What becomes of an event whose sender stays unknown", arguments: senderWaits)
    func endsWait(example: Example<UnansweredSender, SenderWaitDecision>) {
        check(example, by: PushPolicy.senderWaits)
    }

    // MARK: An event has its turn

    @Test(
        "An event is due at its confirmations, a correction at once",
        arguments: [
            (PushKind.payment, UInt64(10), UInt64(109), false), (.payment, 10, 110, true), (.payment, 10, 111, true),
            (.payment, 0, 100, true), (.payment, .max, .max, true), (.paymentReverted, 10, 0, true),
        ])
    func isDue(kind: PushKind, confirmations: UInt64, sink: UInt64, isDue: Bool) {
        var event = Samples.event(kind)
        event.acceptance.blueScore = 100
        #expect(PushPolicy.isDue(event, sinkBlueScore: sink, confirmations: confirmations) == isDue)
    }

    // MARK: A watcher is looked at

    private static func watcher(
        _ event: PushEvent, _ payload: [UInt8], _ device: DeviceRecord, list: Int = 0
    ) -> Watcher {
        Watcher(Samples.event(event, with: payload), device, list: list, chainTime: .max)
    }

    private static func transfer(to credited: [Address], from spender: Address = carol) -> PushEvent {
        var event = Samples.event(.addressActivity, sender: spender)
        event.funds = Funds(credits: credited.map { .init(address: $0, amount: 5) }, spenders: [spender])
        return event
    }

    private static let payment = Samples.event(.payment, receiver: bob)
    private static let message = Samples.event(.contextualMessage)

    /// A row for each rule; `AudienceTests` has the combinations.
    static let watchers: [Example<Watcher, WatcherDecision>] = [
        Example(
            "watches the paid address, but has another primary address",
            watcher(payment, Samples.payment(), Samples.device(primary: carol, watching: [bob]), list: 1), rule: 0,
            .skip),
        Example(
            "watches the sender of what is in its own inbox",
            watcher(
                message, Samples.inboxMessage(tag: bob.inboxTag), Samples.device(primary: bob, watching: [alice]),
                list: 1), rule: 1, .skip),
        Example(
            "the second of its credited addresses",
            watcher(transfer(to: [alice, bob]), [], Samples.device(funds: [alice, bob]), list: 1),
            rule: 2, .skip),
        Example(
            "its own coins",
            watcher(transfer(to: [alice], from: bob), [], Samples.device(primary: bob, funds: [alice])),
            rule: 3, .suppress(.ownTransfer)),
        Example(
            "its own message", watcher(message, Samples.message(), Samples.device(primary: alice, watching: [alice])),
            rule: 4, .suppress(.ownMessage)),
        Example(
            "a hidden sender",
            watcher(
                Samples.event(.broadcast), Samples.broadcast("hi"),
                Samples.device(channels: ["kaspa"], hidden: ["kaspa": [alice]])), rule: 5, .suppress(.hiddenSender)),
        Example(
            "another alias", watcher(message, Samples.message(alias: "a"), Samples.device(aliases: ["b"])), rule: 6,
            .suppress(.otherAlias)),
        Example(
            "no capability",
            watcher(
                Samples.event(.groupMessage), Samples.groupMessage(by: alice),
                Samples.device(capabilities: ["group_v2"])),
            rule: 7, .suppress(.missingCapability)),
        Example(
            "registered two minutes and a millisecond later",
            watcher(message, Samples.message(), Samples.device(createdAt: Samples.time + 120_001)), rule: 8,
            .suppress(.beforeRegistration)),
        Example(
            "registered two minutes later",
            watcher(message, Samples.message(), Samples.device(createdAt: Samples.time + 120_000)), rule: nil, .notify),
        Example(
            "registered a millisecond less than two minutes later",
            watcher(message, Samples.message(), Samples.device(createdAt: Samples.time + 119_999)), rule: nil, .notify),
        Example(
            "two credited addresses", watcher(transfer(to: [alice, bob]), [], Samples.device(funds: [alice, bob])),
            rule: 9,
            .notifyFunds(address: alice, amount: 10)),
        Example(
            "a broadcast",
            watcher(Samples.event(.broadcast), Samples.broadcast("hi"), Samples.device(channels: ["kaspa"])),
            rule: 10, .notifyWithin(.broadcast)),
        Example(
            "a stranger's message in the inbox",
            watcher(message, Samples.inboxMessage(tag: bob.inboxTag), Samples.device(primary: bob)), rule: 11,
            .notifyWithin(.inbox)),
        Example(
            "a stranger's payment", watcher(payment, Samples.payment(), Samples.device(primary: bob)), rule: 12,
            .notifyWithin(.strangers)),
        Example(
            "a contact's payment", watcher(payment, Samples.payment(), Samples.device(primary: bob, watching: [alice])),
            rule: nil, .notify),
        Example(
            "a control of the wallet's own for the group",
            watcher(
                Samples.event(.groupControl), Samples.groupControl(),
                Samples.device(primary: alice, watching: [alice], capabilities: ["group_v1"])), rule: nil, .notify),
    ]

    @Test("Whether a watcher is told", arguments: watchers)
    func tells(example: Example<Watcher, WatcherDecision>) { check(example, by: PushPolicy.watchers) }

    @Test("The hourly limits are those of the rules")
    func limits() {
        #expect(HourlyLimit.allCases.map(\.pushes) == [30, 30, 30, 120])
        #expect(HourlyLimit.allCases.filter(\.isLogged) == [.strangers])
    }

    // MARK: A delivery has its turn

    private static func due(
        device: Bool = true, payload: Bool = true, wasTold: Bool = true, now: UInt64 = 99
    ) throws -> Due {
        let delivery = Delivery(
            device: DeviceID(token: Samples.token(1)), seq: 1, event: message, expiresAt: 100)
        return Due(
            DueDelivery(
                delivery: delivery, device: device ? try DeviceTarget(encoded: Samples.device().encoded) : nil,
                payload: payload ? OperationPayload() : nil, wasTold: wasTold, isAccepted: true), now: now)
    }

    static func deliveries() throws -> [Example<Due, DueDecision>] {
        [
            Example(
                "as it should be", try due(), rule: 3,
                .sent(try DeviceTarget(encoded: Samples.device().encoded), OperationPayload())),
            Example("no device", try due(device: false), rule: 0, .suppressed(.deviceRemoved)),
            Example(
                "no device, and nothing else either", try due(device: false, payload: false, wasTold: false, now: 100),
                rule: 0, .suppressed(.deviceRemoved)),
            Example("a correction of what never arrived", try due(wasTold: false), rule: 1, .suppressed(.neverTold)),
            Example("at its expiration", try due(now: 100), rule: 2, .expired),
            Example("after its expiration", try due(now: 101), rule: 2, .expired),
            Example("expired, and its operation is gone", try due(payload: false, now: 100), rule: 2, .expired),
            Example("its operation is gone", try due(payload: false), rule: nil, .suppressed(.operationGone)),
        ]
    }

    @Test("Whether a delivery is sent when it has its turn", arguments: try deliveries())
    func sends(example: Example<Due, DueDecision>) { check(example, by: PushPolicy.deliveries) }

    // MARK: A payment is out of the chain

    static let corrections: [Example<DeliveryLogEntry.State, WatcherDecision>] = [
        Example("delivered", .delivered, rule: 0, .notify), Example("still waits", .queued, rule: 0, .notify),
        Example("dead", .dead, rule: nil, .suppress(.neverTold)),
        Example("expired", .expired, rule: nil, .suppress(.neverTold)),
        Example("suppressed", .suppressed, rule: nil, .suppress(.neverTold)),
    ]

    @Test("A correction goes to whoever was told, or is about to be", arguments: corrections)
    func corrects(example: Example<DeliveryLogEntry.State, WatcherDecision>) {
        check(example, by: PushPolicy.corrections)
    }

    // MARK: A wallet calls another

    private static func callee(
        wallet: Address? = bob, primary: Address? = bob, token: [UInt8] = [7], caller: Int = 9, rung: Set<[UInt8]> = []
    ) -> Callee {
        var device = Samples.device(primary: primary, wallet: wallet)
        device.voipToken = token
        return Callee(device, called: bob, by: DeviceID(token: Samples.token(caller)), rung: rung)
    }

    static let rings: [Example<Callee, Bool>] = [
        Example("bound, and with this primary address", callee(), rule: nil, true),
        Example("not bound", callee(wallet: nil), rule: 0, false),
        Example("bound to another wallet", callee(wallet: alice), rule: 0, false),
        Example("another primary address", callee(primary: carol), rule: 0, false),
        Example("the device that calls", callee(caller: 1), rule: 1, false),
        Example("no VoIP token", callee(token: []), rule: 2, false),
        Example("a VoIP token that rings already", callee(rung: [[7]]), rule: 2, false),
        Example("another VoIP token rings already", callee(rung: [[8]]), rule: nil, true),
    ]

    @Test("Which devices ring", arguments: rings)
    func ringing(example: Example<Callee, Bool>) { check(example, by: PushPolicy.rings) }

    // MARK: The tables

    @Test("Each rule of each table decides in an example, and each table has one in which none does")
    func cover() throws {
        checkCover(Self.events, of: PushPolicy.events)
        checkCover(Self.senderWaits, of: PushPolicy.senderWaits)
        checkCover(Self.watchers, of: PushPolicy.watchers)
        checkCover(try Self.deliveries(), of: PushPolicy.deliveries)
        checkCover(Self.corrections, of: PushPolicy.corrections)
        checkCover(Self.rings, of: PushPolicy.rings)
    }
}
