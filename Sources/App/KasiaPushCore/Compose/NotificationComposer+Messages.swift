extension NotificationComposer {
    /// A message from one person; a request is a stranger's.
    func message(
        _ push: PushDetails, opened: OpenedMessage?, _ contact: Contact?, isRequest: Bool
    ) -> NotificationDecision {
        let showsText = settings.showsText && (!isRequest || settings.showsTextOfStrangers)
        // That somebody has paid is only what the message says: a stranger's word is none.
        let content = opened.map { MessageContent($0.text, believesPayments: contact != nil) }
        let category: NotificationCategory
        switch content {
        case .payment: category = .payment
        case _ where isRequest: category = .contactRequest
        default: category = .message
        }
        switch body(content, showsText: showsText, otherwise: words.newMessage) {
        case .hidden(let reason): return .suppress(reason)
        case .shown(let body):
            return show(
                name(push.sender, contact), subtitle: isRequest ? words.messageRequest : nil, body, push.sender,
                category)
        }
    }

    /// A message to a group: the group's name above its writer's.
    func groupMessage(
        _ push: PushDetails, opened: OpenedMessage?, _ contact: Contact?, blindedID: String?
    ) -> NotificationDecision {
        let group = opened?.group
        let isMuted = [group?.id, blindedID].contains { $0.map(settings.mutedGroups.contains) ?? false }
        guard !isMuted else { return .suppress(.mutedGroup) }
        let content = opened.map { MessageContent($0.text, believesPayments: false) }
        switch body(content, showsText: settings.showsText, otherwise: words.newGroupMessage) {
        case .hidden(let reason): return .suppress(reason)
        case .shown(let body):
            let thread = (group?.id ?? blindedID).map { "group:\($0)" }
            return show(
                group?.name ?? words.group, subtitle: name(group?.sender ?? push.sender, contact), body, thread,
                .message)
        }
    }

    /// A public message, whose text the service has put into the push.
    func broadcast(_ push: PushDetails, _ channel: String) -> NotificationDecision {
        guard !settings.mutedChannels.contains(channel) else { return .suppress(.mutedChannel) }
        let content = push.alert.body.map { MessageContent($0, believesPayments: false) }
        switch body(content, showsText: settings.showsText, otherwise: words.newMessage) {
        case .hidden(let reason): return .suppress(reason)
        case .shown(let body):
            return show(
                "#\(channel)", subtitle: push.alert.subtitle, body, "broadcast:\(channel)", .message, counts: false)
        }
    }

    private enum Body {
        case shown(String)
        case hidden(SuppressionReason)
    }

    /// What is said of a message; what it hides is hidden whether or not texts are shown.
    private func body(_ content: MessageContent?, showsText: Bool, otherwise: String) -> Body {
        switch content {
        case .reaction: return .hidden(.reaction)
        case .edit: return .hidden(.edit)
        case .control: return .hidden(.control)
        case _ where !showsText: return .shown(otherwise)
        case .text(let text): return .shown(text.isEmpty ? otherwise : text)
        case .voice: return .shown(words.voiceMessage)
        case .photo: return .shown(words.photo)
        case .video: return .shown(words.video)
        case .file: return .shown(words.file)
        case .call: return .shown(words.call)
        case .payment(let amount): return .shown(words.payment(amount, memo: nil))
        case .other, nil: return .shown(otherwise)
        }
    }
}
