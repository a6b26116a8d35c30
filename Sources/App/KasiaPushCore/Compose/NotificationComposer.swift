import Kaspa

/// Makes of a push what is shown: a pure function of the push, its opened text, the contact and the settings.
public struct NotificationComposer: Sendable {
    /// The longest text of a notification, in characters.
    public static let maximumBodyCharacters = 500
    /// The same in bytes, as a character can have any number.
    static let maximumBodyBytes = 4 * maximumBodyCharacters

    let settings: NotificationSettings
    let words: NotificationWords

    /// Takes the user's wishes and the words of the user's language.
    public init(settings: NotificationSettings, words: NotificationWords = NotificationWords()) {
        self.settings = settings
        self.words = words
    }

    /// Decides whether and how a push is shown.
    ///
    /// - Parameters:
    ///   - payload: The push.
    ///   - opened: What `MessageOpener` has read of it; nil: the notification says only that there is something.
    ///   - contact: The contact with the sender's address; nil for a stranger.
    /// - Returns: The notification, or why there is none. An unknown push is shown as it came.
    public func compose(
        _ payload: PushPayload, opened: OpenedMessage? = nil, contact: Contact? = nil
    ) -> NotificationDecision {
        let sender = opened?.group?.sender ?? payload.counterparty
        if let sender {
            if settings.ownAddresses.contains(sender) { return .suppress(.own) }
            if contact?.isMuted == true { return .suppress(.mutedContact) }
        }
        switch payload {
        case .message(let push, _, let isInbox):
            return message(push, opened: opened, contact, isRequest: isInbox && contact == nil)
        case .handshake(let push, _):
            let name = name(push.sender, contact)
            return show(name, words.startedConversation, push.sender, contact == nil ? .contactRequest : .message)
        case .payment(let push, _, let amount, let memo):
            let memo = settings.showsText ? opened?.text ?? memo : nil
            return show(name(push.sender, contact), words.payment(amount, memo: memo), push.sender, .payment)
        case .groupMessage(let push, _, let groupID):
            return groupMessage(push, opened: opened, contact, blindedID: groupID)
        case .groupControl(let push, _):
            return show(name(push.sender, contact), words.groupUpdate, push.sender, .message, counts: false)
        case .addressActivity(_, let address, let amount):
            let thread = address.map { "funds:\($0)" }
            return show(words.fundsReceived, words.payment(amount, memo: nil), thread, nil, counts: false)
        case .paymentReverted(_, let amount):
            return show(name(sender, contact), words.reversal(amount), sender, .payment, counts: false)
        case .broadcast(let push, let channel): return broadcast(push, channel)
        case .call: return .suppress(.call)
        case .unknown(let alert, _): return asItCame(alert)
        }
    }

    /// The same with the contact looked up by the sender's address.
    ///
    /// - Throws: What the look-up throws; show the push without a contact then.
    public func compose(
        _ payload: PushPayload, opened: OpenedMessage? = nil, contacts: any ContactLookup
    ) throws -> NotificationDecision {
        let sender = opened?.group?.sender ?? payload.counterparty
        return compose(payload, opened: opened, contact: try sender.flatMap { try contacts.contact($0) })
    }

    // MARK: Parts

    /// The contact's name, or the shortened address.
    func name(_ sender: String?, _ contact: Contact?) -> String {
        if let name = contact?.name, !name.isEmpty { return name }
        return sender.map(Address.shorten) ?? words.unknownSender
    }

    func show(
        _ title: String, subtitle: String? = nil, _ body: String, _ threadID: String?,
        _ category: NotificationCategory?, counts: Bool = true
    ) -> NotificationDecision {
        .show(
            ComposedNotification(
                title: title, subtitle: subtitle,
                body: body.cut(
                    toCharacters: NotificationComposer.maximumBodyCharacters,
                    bytes: NotificationComposer.maximumBodyBytes),
                threadID: threadID, category: category?.rawValue, hasSound: settings.hasSound,
                badge: counts ? settings.unreadCount.map { max(0, min($0, .max - 1)) + 1 } : nil))
    }

    private func asItCame(_ alert: PushAlert) -> NotificationDecision {
        guard !alert.isEmpty else { return .suppress(.empty) }
        return .show(
            ComposedNotification(
                title: alert.title ?? "", subtitle: alert.subtitle, body: alert.body ?? "",
                threadID: alert.threadID, category: alert.category, hasSound: settings.hasSound, badge: nil))
    }
}

extension PushPayload {
    /// Who writes or pays, where that is somebody whom the user may know, or have muted, or be.
    fileprivate var counterparty: String? {
        switch self {
        case .message(let push, _, _), .handshake(let push, _), .payment(let push, _, _, _),
            .groupMessage(let push, _, _), .groupControl(let push, _):
            push.sender
        case .paymentReverted(let push, _):
            // The flat shapes name the payer in the title alone, so that no extension takes the push for a chat.
            push.sender ?? push.alert.title.flatMap { try? Address(parsing: $0) }?.description
        case .addressActivity, .broadcast, .call, .unknown: nil
        }
    }
}
