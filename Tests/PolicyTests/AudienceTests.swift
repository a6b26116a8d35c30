import Kaspa
import SampleOperations
import Store
import Testing

@testable import Policy

/// One row of "Who is notified" with one device, and what the rules say.
struct AudienceCase: CustomTestStringConvertible, Sendable {
    let name: String
    let event: PushEvent
    let payload: [UInt8]
    let device: DeviceRecord
    let decision: WatcherDecision?

    init(_ name: String, _ event: PushEvent, _ payload: [UInt8], _ device: DeviceRecord, _ decision: WatcherDecision?) {
        self.name = name
        self.event = event
        self.payload = payload
        self.device = device
        self.decision = decision
    }

    var testDescription: String { name }

    private static let alice = Samples.alice
    private static let bob = Samples.bob
    private static let carol = Samples.carol
    private static let message = Samples.event(.contextualMessage)
    private static let payment = Samples.event(.payment, receiver: bob)
    private static let handshake = Samples.event(.handshake, receiver: bob)
    private static let groupMessage = Samples.event(.groupMessage)
    private static let groupControl = Samples.event(.groupControl)

    static let messages: [AudienceCase] = [
        AudienceCase("watches the sender", message, Samples.message(), Samples.device(watching: [alice]), .notify),
        AudienceCase("watches another", message, Samples.message(), Samples.device(watching: [bob]), nil),
        AudienceCase("has the sender as primary only", message, Samples.message(), Samples.device(primary: alice), nil),
        AudienceCase(
            "own message, primary", message, Samples.message(), Samples.device(primary: alice, watching: [alice]),
            .suppress(.ownMessage)),
        AudienceCase(
            "own message, wallet", message, Samples.message(), Samples.device(wallet: alice, watching: [alice]),
            .suppress(.ownMessage)),
        AudienceCase(
            "another primary", message, Samples.message(), Samples.device(primary: bob, watching: [alice]), .notify),
        AudienceCase(
            "listed alias", message, Samples.message(alias: "tea"),
            Samples.device(watching: [alice], aliases: ["x", "tea"]), .notify),
        AudienceCase(
            "alias not listed", message, Samples.message(alias: "tea"),
            Samples.device(watching: [alice], aliases: ["te", "teas", "TEA"]), .suppress(.otherAlias)),
        AudienceCase(
            "older form with a bar", message, Array("kchat:1:msg:tea|Ym9keQ==".utf8),
            Samples.device(watching: [alice], aliases: ["tea"]), .notify),
        AudienceCase(
            "sender unknown, payload claims Alice", Samples.event(.contextualMessage, sender: nil),
            Samples.message(alice.description), Samples.device(watching: [alice]), nil),
        AudienceCase(
            "sender is another, payload claims Alice",
            Samples.event(.contextualMessage, sender: carol, receiver: alice),
            Samples.message(alice.description, alias: "alice"), Samples.device(watching: [alice]), nil),
        AudienceCase(
            "self-stash", Samples.event(.selfStash), Array("ciph_msg:1:self_stash:note".utf8),
            Samples.device(primary: alice, watching: [alice]), nil),
    ]

    /// A message to Bob's inbox, by Alice.
    private static let toBob = Samples.inboxMessage(tag: bob.inboxTag, alias: "tea")

    static let inboxes: [AudienceCase] = [
        AudienceCase("inbox: a stranger's", message, toBob, Samples.device(primary: bob), .notifyWithin(.inbox)),
        AudienceCase(
            "inbox: a contact's", message, toBob, Samples.device(primary: bob, watching: [alice]), .notify),
        AudienceCase(
            "inbox: a first alias is listed nowhere", message, toBob, Samples.device(primary: bob, aliases: ["x"]),
            .notifyWithin(.inbox)),
        AudienceCase("inbox: another primary", message, toBob, Samples.device(primary: carol), nil),
        AudienceCase("inbox: the address is only watched", message, toBob, Samples.device(watching: [bob]), nil),
        AudienceCase("inbox: the wallet is no primary address", message, toBob, Samples.device(wallet: bob), nil),
        AudienceCase(
            "inbox: watches the sender", message, toBob, Samples.device(primary: carol, watching: [alice]), .notify),
        AudienceCase(
            "inbox: watches the sender under other aliases", message, toBob,
            Samples.device(watching: [alice], aliases: ["x"]), .suppress(.otherAlias)),
        AudienceCase(
            "inbox: the sender's own device", message, toBob, Samples.device(primary: alice, watching: [alice]),
            .suppress(.ownMessage)),
        AudienceCase(
            "inbox: to oneself", Samples.event(.contextualMessage, sender: bob), toBob, Samples.device(primary: bob),
            .suppress(.ownMessage)),
        AudienceCase(
            "inbox: sender unknown", Samples.event(.contextualMessage, sender: nil), toBob,
            Samples.device(primary: bob), nil),
    ]

    private static let broadcast = Samples.event(.broadcast)
    private static let listener = Samples.device(channels: ["kaspa", "other"])

    static let broadcasts: [AudienceCase] = [
        AudienceCase("broadcast", broadcast, Samples.broadcast("hi"), listener, .notifyWithin(.broadcast)),
        AudienceCase(
            "broadcast: the name as names are compared", broadcast, Samples.broadcast("hi", channel: " KASPA "),
            listener,
            .notifyWithin(.broadcast)),
        AudienceCase("broadcast: another channel", broadcast, Samples.broadcast("hi", channel: "news"), listener, nil),
        AudienceCase(
            "broadcast: watching the sender is not enough", broadcast, Samples.broadcast("hi"),
            Samples.device(watching: [alice]), nil),
        AudienceCase(
            "broadcast: own, primary", broadcast, Samples.broadcast("hi"),
            Samples.device(primary: alice, channels: ["kaspa"]), .suppress(.ownMessage)),
        AudienceCase(
            "broadcast: own, wallet", broadcast, Samples.broadcast("hi"),
            Samples.device(wallet: alice, channels: ["kaspa"]), .suppress(.ownMessage)),
        AudienceCase(
            "broadcast: a hidden sender", broadcast, Samples.broadcast("hi"),
            Samples.device(channels: ["kaspa"], hidden: ["kaspa": [bob, alice]]), .suppress(.hiddenSender)),
        AudienceCase(
            "broadcast: hidden in another channel", broadcast, Samples.broadcast("hi"),
            Samples.device(channels: ["kaspa"], hidden: ["other": [alice]]), .notifyWithin(.broadcast)),
        AudienceCase(
            "broadcast: a reaction", broadcast, Samples.broadcast(#"{"type":"reaction","emoji":"x"}"#), listener, nil),
        AudienceCase("broadcast: an edit", broadcast, Samples.broadcast(#"{"type":"edit","text":"x"}"#), listener, nil),
        AudienceCase(
            "broadcast: a reply", broadcast, Samples.broadcast(#"{"type":"reply","text":"x"}"#), listener,
            .notifyWithin(.broadcast)),
        AudienceCase(
            "broadcast: sender unknown", Samples.event(.broadcast, sender: nil), Samples.broadcast("hi"), listener, nil),
        AudienceCase(
            "broadcast: from before the registration", broadcast, Samples.broadcast("hi"),
            Samples.device(createdAt: .max, channels: ["kaspa"]), .suppress(.beforeRegistration)),
    ]

    static let coins: [AudienceCase] = [payment, handshake].flatMap { event in
        let payload = event.kind == .payment ? Samples.payment() : Samples.handshake()
        let toOneself = Samples.event(event.kind, sender: bob, receiver: bob)
        let row = event.kind.description
        return [
            AudienceCase("\(row): primary", event, payload, Samples.device(primary: bob), .notifyWithin(.strangers)),
            AudienceCase(
                "\(row): primary and watching", event, payload, Samples.device(primary: bob, watching: [bob]),
                .notifyWithin(.strangers)),
            AudienceCase(
                "\(row): primary, and watching the sender", event, payload,
                Samples.device(primary: bob, watching: [alice]), .notify),
            AudienceCase(
                "\(row): watching without a primary", event, payload, Samples.device(watching: [bob]),
                .notifyWithin(.strangers)),
            AudienceCase(
                "\(row): watching with another primary", event, payload,
                Samples.device(primary: carol, watching: [bob]), .skip),
            AudienceCase("\(row): watches the sender", event, payload, Samples.device(watching: [alice]), nil),
            AudienceCase("\(row): to oneself", toOneself, payload, Samples.device(primary: bob, watching: [bob]), nil),
            AudienceCase(
                "\(row): from the wallet to the primary", event, payload, Samples.device(primary: bob, wallet: alice),
                .suppress(.ownMessage)),
            AudienceCase(
                "\(row): from the wallet to a contact", event, payload, Samples.device(wallet: alice, watching: [bob]),
                .suppress(.ownMessage)),
            AudienceCase(
                "\(row): sender unknown", Samples.event(event.kind, sender: nil, receiver: bob), payload,
                Samples.device(primary: bob), .notifyWithin(.strangers)),
            AudienceCase(
                "\(row): receiver unknown", Samples.event(event.kind, receiver: nil), payload,
                Samples.device(primary: bob, watching: [bob]), nil),
            AudienceCase(
                "\(row): aliases do not matter", event, payload, Samples.device(primary: bob, aliases: ["tea"]),
                .notifyWithin(.strangers)),
        ]
    }

    static let groups: [AudienceCase] = [
        AudienceCase(
            "group: capable", groupMessage, Samples.groupMessage(by: alice),
            Samples.device(groups: [Samples.groupID], capabilities: ["group_v1"]), .notify),
        AudienceCase(
            "group: not capable", groupMessage, Samples.groupMessage(by: alice),
            Samples.device(groups: [Samples.groupID], capabilities: ["group_v2", "group"]),
            .suppress(.missingCapability)),
        AudienceCase(
            "group: the sender's own device", groupMessage, Samples.groupMessage(by: alice),
            Samples.device(primary: alice, groups: [Samples.groupID], capabilities: ["group_v1"]),
            .suppress(.ownMessage)),
        AudienceCase(
            "group: another group", groupMessage, Samples.groupMessage(by: alice),
            Samples.device(watching: [alice], groups: [[UInt8](repeating: 9, count: 32)], capabilities: ["group_v1"]),
            nil),
        AudienceCase(
            "group: the key is not the sender's", groupMessage, Samples.groupMessage(by: carol),
            Samples.device(groups: [Samples.groupID], capabilities: ["group_v1"]), nil),
        AudienceCase(
            "group: sender unknown", Samples.event(.groupMessage, sender: nil), Samples.groupMessage(by: alice),
            Samples.device(groups: [Samples.groupID], capabilities: ["group_v1"]), nil),
        AudienceCase(
            "control to Bob: Bob's device", groupControl, Samples.groupControl(to: bob),
            Samples.device(primary: bob, capabilities: ["group_v1"]), .notify),
        AudienceCase(
            "control to Bob: not capable", groupControl, Samples.groupControl(to: bob), Samples.device(primary: bob),
            .suppress(.missingCapability)),
        AudienceCase(
            "control to Bob: watches the sender", groupControl, Samples.groupControl(to: bob),
            Samples.device(watching: [alice, bob], capabilities: ["group_v1"]), nil),
        AudienceCase(
            "control to all: watches the sender", groupControl, Samples.groupControl(),
            Samples.device(watching: [alice], capabilities: ["group_v1"]), .notify),
        AudienceCase(
            "control to all: not capable", groupControl, Samples.groupControl(), Samples.device(watching: [alice]),
            .suppress(.missingCapability)),
        AudienceCase(
            "control to all: sender unknown", Samples.event(.groupControl, sender: nil), Samples.groupControl(),
            Samples.device(watching: [alice], capabilities: ["group_v1"]), nil),
    ]
}

@Suite("Audience")
struct AudienceTests {
    /// What the first list in which the device stands says; a later list counts when the earlier ones skip.
    private func decide(_ example: AudienceCase) -> WatcherDecision? {
        let audience = Audience(
            Samples.event(example.event, with: example.payload), network: .mainnet, chainTime: .max)
        var keys: Set<WatchKey> = Set(example.device.watchedAddresses.map(WatchKey.address))
        keys.formUnion(example.device.watchedGroupIDs.map(WatchKey.group))
        keys.formUnion(example.device.broadcastChannels.map(WatchKey.channel))
        if let primary = example.device.primaryAddress {
            keys.formUnion([.primary(primary), .inbox(primary.inboxTag)])
        }
        let decisions = audience.lists.indices.filter { keys.contains(audience.lists[$0]) }
            .map { audience.decide(example.device, list: $0) }
        #expect(decisions.count { $0 != .skip } <= 1, "told twice, or counted twice")
        return decisions.first { $0 != .skip } ?? decisions.first
    }

    @Test("Messages are told to those who watch the verified sender", arguments: AudienceCase.messages)
    func messages(example: AudienceCase) { #expect(decide(example) == example.decision) }

    @Test(
        "Messages to an inbox are told to the primary address and to those who watch the sender, once each",
        arguments: AudienceCase.inboxes)
    func inboxes(example: AudienceCase) { #expect(decide(example) == example.decision) }

    @Test("Broadcasts are told to those who list their channel", arguments: AudienceCase.broadcasts)
    func broadcasts(example: AudienceCase) { #expect(decide(example) == example.decision) }

    @Test("Payments and handshakes are told to the receiver", arguments: AudienceCase.coins)
    func coins(example: AudienceCase) { #expect(decide(example) == example.decision) }

    @Test("Group traffic needs the capability and the right reader", arguments: AudienceCase.groups)
    func groups(example: AudienceCase) { #expect(decide(example) == example.decision) }

    @Test(
        "A transaction up to two minutes older than the registration is told, an older one is not",
        arguments: [
            (0, WatcherDecision.notify), (119_999, .notify), (120_000, .notify),
            (120_001, .suppress(.beforeRegistration)),
            (86_400_000, .suppress(.beforeRegistration)), (-1, .notify), (-86_400_000, .notify),
        ] as [(Int64, WatcherDecision)])
    func registrationTime(age: Int64, decision: WatcherDecision) {
        let event = Samples.event(.contextualMessage, blockTime: 1_704_067_200_000)
        let device = Samples.device(createdAt: UInt64(1_704_067_200_000 + age), watching: [Samples.alice])
        let audience = Audience(
            Samples.event(event, with: Samples.message()), network: .mainnet, chainTime: .max)
        #expect(audience.decide(device, list: 0) == decision)
    }

    @Test("Times at the ends of their range do not trap", arguments: [0, UInt64.max - 120_000, .max - 119_999, .max])
    func extremeTimes(time: UInt64) {
        let audience = Audience(
            Samples.event(Samples.event(.contextualMessage, blockTime: time), with: Samples.message()),
            network: .mainnet, chainTime: .max)
        for createdAt in [0, 120_000, UInt64.max] {
            let decision = audience.decide(Samples.device(createdAt: createdAt, watching: [Samples.alice]), list: 0)
            #expect((decision == .notify) == (time >= createdAt || createdAt - time <= 120_000))
        }
    }

    @Test(
        "An addressed control reaches the address of this network", arguments: [Network.mainnet, .testnet(10), .devnet])
    func controlOnNetwork(network: Network) throws {
        let recipient = Samples.address(2, prefix: network.addressPrefix)
        let audience = Audience(
            Samples.event(Samples.event(.groupControl), with: Samples.groupControl(to: recipient)), network: network,
            chainTime: .max)
        #expect(audience.lists == [.primary(recipient)])
    }
}
