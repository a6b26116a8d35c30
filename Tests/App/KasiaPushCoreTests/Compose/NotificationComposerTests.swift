import Testing

@testable import KasiaPushCore

@Suite("Notification composer")
struct NotificationComposerTests {
    private static let short = "kaspa:qp...f5k28l"
    private let bob = Contact(address: Pushes.sender, name: "Bob")

    private func composer(_ change: (inout NotificationSettings) -> Void = { _ in }) -> NotificationComposer {
        var settings = NotificationSettings(ownAddresses: [Pushes.other])
        change(&settings)
        return NotificationComposer(settings: settings)
    }

    private func message(isInbox: Bool = false, sender: String? = Pushes.sender) -> PushPayload {
        .message(Pushes.details("contextual", PushAlert(), sender: sender), sealed: nil, isInbox: isInbox)
    }

    private func shown(_ decision: NotificationDecision) throws -> ComposedNotification {
        guard case .show(let notification) = decision else {
            throw SuppressedUnexpectedly(decision: decision)
        }
        return notification
    }

    private struct SuppressedUnexpectedly: Error {
        let decision: NotificationDecision
    }

    // MARK: Messages

    @Test("a message has its writer's name, its text, thread, category and sound")
    func text() throws {
        let notification = try shown(composer().compose(message(), opened: OpenedMessage(text: "hello"), contact: bob))
        #expect(
            notification
                == ComposedNotification(
                    title: "Bob", subtitle: nil, body: "hello", threadID: Pushes.sender, category: "KASIA_MESSAGE",
                    hasSound: true, badge: nil))
    }

    @Test("who is no contact, or has no name, is a shortened address; who is not known is that")
    func names() throws {
        let composer = composer()
        let nameless = Contact(address: Pushes.sender)
        let empty = Contact(address: Pushes.sender, name: "")
        for contact in [nil, nameless, empty] {
            #expect(try shown(composer.compose(message(), contact: contact)).title == Self.short)
        }
        let unknown = try shown(composer.compose(message(sender: nil)))
        #expect(unknown.title == "Unknown sender" && unknown.threadID == nil && unknown.body == "New message")
    }

    @Test(
        "a message is shown as what it is",
        arguments: [
            ("aud:AAAA", "Voice message"), (#"{"type":"reply","text":"yes"}"#, "yes"),
            (#"{"type":"file","mimeType":"image/png"}"#, "Photo"),
            (#"{"type":"file","mimeType":"video/mp4"}"#, "Video"),
            (#"{"type":"file"}"#, "File"), (#"{"type":"call_end"}"#, "Call"),
            (#"{"type":"chess_move"}"#, "New message"),
            (#"{"type":"payment_notice","amountSompi":123450000}"#, "Received 1.2345 KAS"), ("", "New message"),
        ])
    func contents(text: String, body: String) throws {
        let notification = try shown(composer().compose(message(), opened: OpenedMessage(text: text), contact: bob))
        #expect(notification.body == body)
        #expect(notification.category == (text.contains("payment_notice") ? "KASIA_PAYMENT" : "KASIA_MESSAGE"))
    }

    @Test(
        "reactions, edits and what apps tell each other are suppressed, whether or not texts are shown",
        arguments: [
            (#"{"type":"reaction","emoji":"x"}"#, .reaction), (#"{"type":"edit","text":"x"}"#, .edit),
            (#"{"type":"addr_pool","addresses":[]}"#, .control),
        ] as [(String, SuppressionReason)])
    func suppressed(text: String, reason: SuppressionReason) throws {
        let opened = OpenedMessage(text: text)
        #expect(composer().compose(message(), opened: opened, contact: bob) == .suppress(reason))
        let silent = composer { $0.showsText = false }
        #expect(silent.compose(message(), opened: opened, contact: bob) == .suppress(reason))
        let group = PushPayload.groupMessage(Pushes.details("group_message", PushAlert()), sealed: nil, groupID: nil)
        #expect(composer().compose(group, opened: opened) == .suppress(reason))
        let broadcast = PushPayload.broadcast(Pushes.details("broadcast", PushAlert(body: text)), channel: "c")
        #expect(composer().compose(broadcast) == .suppress(reason))
    }

    @Test("texts, and those of strangers, can be hidden")
    func hidden() throws {
        let opened = OpenedMessage(text: "secret")
        let silent = composer { $0.showsText = false }
        #expect(try shown(silent.compose(message(), opened: opened, contact: bob)).body == "New message")
        let cautious = composer { $0.showsTextOfStrangers = false }
        #expect(try shown(cautious.compose(message(isInbox: true), opened: opened)).body == "New message")
        #expect(try shown(cautious.compose(message(isInbox: true), opened: opened, contact: bob)).body == "secret")
        #expect(try shown(cautious.compose(message(), opened: opened)).body == "secret")
    }

    @Test("a stranger's word for a payment is not believed, nor one in a group or a channel")
    func claimedPayment() throws {
        let text = #"{"type":"payment_notice","amountSompi":123450000}"#
        let opened = OpenedMessage(text: text)
        for isInbox in [true, false] {
            let notification = try shown(composer().compose(message(isInbox: isInbox), opened: opened))
            #expect(notification.body == "New message" && notification.category != "KASIA_PAYMENT")
        }
        let group = PushPayload.groupMessage(Pushes.details("group_message", PushAlert()), sealed: nil, groupID: nil)
        #expect(try shown(composer().compose(group, opened: opened, contact: bob)).body == "New group message")
        let broadcast = PushPayload.broadcast(Pushes.details("broadcast", PushAlert(body: text)), channel: "c")
        #expect(try shown(composer().compose(broadcast)).body == "New message")
    }

    @Test("a text has at most 500 characters", arguments: [499, 500, 501])
    func longest(count: Int) throws {
        let opened = OpenedMessage(text: String(repeating: "ü", count: count))
        let body = try shown(composer().compose(message(), opened: opened, contact: bob)).body
        #expect(body == String(repeating: "ü", count: min(count, 500)))
    }

    @Test("a stranger's first message is a request")
    func firstContact() throws {
        let opened = OpenedMessage(text: "hello")
        let request = try shown(composer().compose(message(isInbox: true), opened: opened))
        #expect(
            request
                == ComposedNotification(
                    title: Self.short, subtitle: "Message request", body: "hello", threadID: Pushes.sender,
                    category: "KASIA_CONTACT_REQUEST", hasSound: true, badge: nil))
        let known = try shown(composer().compose(message(isInbox: true), opened: opened, contact: bob))
        #expect(known.subtitle == nil && known.category == "KASIA_MESSAGE")
    }

    @Test("a handshake is a request, and of a contact a message")
    func handshake() throws {
        let push = PushPayload.handshake(Pushes.details("handshake", PushAlert()), sealed: nil)
        let stranger = try shown(composer().compose(push, opened: OpenedMessage(text: "{}")))
        #expect(stranger.body == "Started a conversation" && stranger.category == "KASIA_CONTACT_REQUEST")
        #expect(try shown(composer().compose(push, contact: bob)).category == "KASIA_MESSAGE")
    }

    // MARK: Coins

    @Test(
        "amounts are exact",
        arguments: [
            (0, "0"), (1, "0.00000001"), (99_999_999, "0.99999999"), (100_000_000, "1"), (125_000_000, "1.25"),
            (UInt64.max, "184467440737.09551615"),
        ])
    func amounts(amount: UInt64, kas: String) throws {
        let composer = composer()
        let details = Pushes.details("payment", PushAlert())
        let payment = PushPayload.payment(details, sealed: nil, amount: amount, memo: nil)
        let notification = try shown(composer.compose(payment, contact: bob))
        #expect(notification.body == "Received \(kas) KAS" && notification.title == "Bob")
        #expect(notification.category == "KASIA_PAYMENT" && notification.threadID == Pushes.sender)
        let reverted = try shown(composer.compose(.paymentReverted(details, amount: amount), contact: bob))
        #expect(reverted.body == "\(kas) KAS is no longer confirmed" && reverted.category == "KASIA_PAYMENT")
        let funds = try shown(
            composer.compose(.addressActivity(details, address: Pushes.other, amount: amount), contact: bob))
        #expect(funds.body == "Received \(kas) KAS" && funds.title == "Funds received")
        #expect(funds.threadID == "funds:\(Pushes.other)" && funds.category == nil)
    }

    @Test("a payment shows its memo, opened or given, unless texts are hidden")
    func memo() throws {
        let details = Pushes.details("payment", PushAlert())
        let given = PushPayload.payment(details, sealed: nil, amount: 100_000_000, memo: "rent {amount}")
        #expect(try shown(composer().compose(given)).body == "Received 1 KAS: rent {amount}")
        let opened = OpenedMessage(text: "{memo}")
        let plain = PushPayload.payment(details, sealed: nil, amount: 100_000_000, memo: nil)
        #expect(try shown(composer().compose(plain, opened: opened)).body == "Received 1 KAS: {memo}")
        #expect(try shown(composer().compose(plain, opened: OpenedMessage(text: ""))).body == "Received 1 KAS")
        #expect(try shown(composer { $0.showsText = false }.compose(given)).body == "Received 1 KAS")
        let unknown = PushPayload.payment(details, sealed: nil, amount: nil, memo: nil)
        #expect(try shown(composer().compose(unknown)).body == "Received a payment")
        let lost = PushPayload.paymentReverted(details, amount: nil)
        #expect(try shown(composer().compose(lost)).body == "A payment is no longer confirmed")
    }

    @Test("a payment taken back names its payer, whom the flat shapes have in the title alone")
    func payer() throws {
        let flat = Pushes.details("payment_reverted", PushAlert(title: Pushes.sender), sender: nil)
        let push = PushPayload.paymentReverted(flat, amount: 1)
        let notification = try shown(composer().compose(push))
        #expect(notification.title == Self.short && notification.threadID == Pushes.sender)
        #expect(try shown(composer().compose(push, contacts: Book(contacts: [bob]))).title == "Bob")
        let unknown = Pushes.details("payment_reverted", PushAlert(title: "Unknown sender"), sender: nil)
        #expect(try shown(composer().compose(.paymentReverted(unknown, amount: 1))).title == "Unknown sender")
    }

    // MARK: Groups, channels, others

    @Test("a group message has the group's name above its writer's")
    func group() throws {
        let details = Pushes.details("group_message", PushAlert())
        let push = PushPayload.groupMessage(details, sealed: nil, groupID: Pushes.group)
        let id = String(repeating: "22", count: 32)
        let opened = OpenedMessage(text: "hi", group: .init(id: id, name: "Friends", sender: Pushes.sender))
        #expect(
            try shown(composer().compose(push, opened: opened, contact: bob))
                == ComposedNotification(
                    title: "Friends", subtitle: "Bob", body: "hi", threadID: "group:\(id)", category: "KASIA_MESSAGE",
                    hasSound: true, badge: nil))
        let closed = try shown(composer().compose(push))
        #expect(closed.title == "Group" && closed.subtitle == Self.short && closed.body == "New group message")
        #expect(closed.threadID == "group:\(Pushes.group)")
        #expect(composer { $0.mutedGroups = [id] }.compose(push, opened: opened) == .suppress(.mutedGroup))
        #expect(composer { $0.mutedGroups = [Pushes.group] }.compose(push) == .suppress(.mutedGroup))
        let own = OpenedMessage(text: "hi", group: .init(id: id, name: nil, sender: Pushes.other))
        #expect(composer().compose(push, opened: own) == .suppress(.own))
        let update = try shown(composer().compose(.groupControl(details, sealed: nil), contact: bob))
        #expect(update.body == "Group update" && update.title == "Bob")
    }

    @Test("a broadcast is shown as the service wrote it, unless its channel is muted")
    func broadcast() throws {
        let alert = PushAlert(title: "#kaspa", subtitle: Self.short, body: "gm", threadID: "broadcast:kaspa")
        let push = PushPayload.broadcast(Pushes.details("broadcast", alert, sender: nil), channel: "kaspa")
        #expect(
            try shown(composer().compose(push))
                == ComposedNotification(
                    title: "#kaspa", subtitle: Self.short, body: "gm", threadID: "broadcast:kaspa",
                    category: "KASIA_MESSAGE", hasSound: true, badge: nil))
        #expect(composer { $0.mutedChannels = ["kaspa"] }.compose(push) == .suppress(.mutedChannel))
        #expect(try shown(composer { $0.mutedChannels = ["other"] }.compose(push)).body == "gm")
    }

    @Test("an unknown push is shown as it came, and an empty one not at all")
    func unknown() throws {
        let alert = PushAlert(title: "t", subtitle: "s", body: "b", threadID: "i", category: "c")
        #expect(
            try shown(composer { $0.unreadCount = 3 }.compose(.unknown(alert, nil), contact: bob))
                == ComposedNotification(
                    title: "t", subtitle: "s", body: "b", threadID: "i", category: "c", hasSound: true, badge: nil))
        let silent = PushAlert(threadID: "i", category: "c")
        #expect(composer().compose(.unknown(silent, nil)) == .suppress(.empty))
    }

    // MARK: Suppression

    private static let fromSomebody: [PushPayload] = {
        let push = Pushes.details("x", PushAlert(body: "b"), sender: Pushes.sender)
        return [
            .message(push, sealed: nil, isInbox: true), .handshake(push, sealed: nil),
            .payment(push, sealed: nil, amount: 1, memo: nil), .groupMessage(push, sealed: nil, groupID: nil),
            .groupControl(push, sealed: nil), .paymentReverted(push, amount: 1),
        ]
    }()

    @Test("nothing of a muted contact is shown, nor of one's own", arguments: fromSomebody)
    func muted(push: PushPayload) {
        let muted = Contact(address: Pushes.sender, name: "Bob", isMuted: true)
        #expect(composer().compose(push, contact: muted) == .suppress(.mutedContact))
        let own = composer { $0.ownAddresses = [Pushes.sender] }
        #expect(own.compose(push, contact: muted) == .suppress(.own))
    }

    @Test("coins to a watch-only address and broadcasts come from nobody who could be muted")
    func notMuted() throws {
        let muted = Contact(address: Pushes.sender, isMuted: true)
        let details = Pushes.details("x", PushAlert(body: "b"))
        let own = composer { $0.ownAddresses = [Pushes.sender] }
        for push in [PushPayload.addressActivity(details, address: nil, amount: 1), .broadcast(details, channel: "c")] {
            _ = try shown(own.compose(push, contact: muted))
        }
    }

    @Test("sound and badge are as the user wants")
    func soundAndBadge() throws {
        let silent = composer { $0.hasSound = false }
        #expect(try !shown(silent.compose(message())).hasSound)
        for (unread, badge) in [(0, 1), (41, 42), (-5, 1), (Int.max, Int.max)] {
            #expect(try shown(composer { $0.unreadCount = unread }.compose(message())).badge == badge)
        }
        let counting = composer { $0.unreadCount = 3 }
        #expect(try shown(counting.compose(.paymentReverted(Pushes.details("x", PushAlert()), amount: 1))).badge == nil)
    }

    // MARK: Look-ups and words

    private struct Book: ContactLookup {
        var contacts: [Contact] = []
        var error: (any Error)?
        func contact(_ address: String) throws -> Contact? {
            if let error { throw error }
            return contacts.first { $0.address == address }
        }
    }

    @Test("contacts are looked up by the writer's address")
    func lookUp() throws {
        let book = Book(contacts: [bob])
        #expect(try shown(composer().compose(message(), contacts: book)).title == "Bob")
        #expect(try shown(composer().compose(message(sender: nil), contacts: book)).title == "Unknown sender")
        let details = Pushes.details("group_message", PushAlert(), sender: nil)
        let opened = OpenedMessage(text: "hi", group: .init(id: "", name: nil, sender: Pushes.sender))
        let group = PushPayload.groupMessage(details, sealed: nil, groupID: nil)
        #expect(try shown(composer().compose(group, opened: opened, contacts: book)).subtitle == "Bob")
        let broken = Book(error: OpeningError.tooShort)
        #expect(throws: OpeningError.tooShort) { try composer().compose(message(), contacts: broken) }
    }

    @Test("words can be another language's")
    func words() throws {
        var words = NotificationWords()
        words.received = "{amount} erhalten"
        words.newMessage = "Neue Nachricht"
        let composer = NotificationComposer(settings: NotificationSettings(ownAddresses: []), words: words)
        #expect(try shown(composer.compose(message())).body == "Neue Nachricht")
        let payment = PushPayload.payment(Pushes.details("x", PushAlert()), sealed: nil, amount: 5, memo: nil)
        #expect(try shown(composer.compose(payment)).body == "0.00000005 KAS erhalten")
    }
}
