package import KasiaProtocol
package import Kaspa
package import Store

/// What a notification says, before it has a shape.
package struct NotificationContent {
    package let kind: PushKind
    package let transactionID: TransactionID
    /// The address's text; nil when the sender cannot be resolved.
    package let sender: String?
    /// Sompi; of payments and of funds.
    package let amount: UInt64
    /// The device's own that is credited; of funds.
    package let address: Address?
    /// Milliseconds since 1970.
    package let blockTime: UInt64
    package let daaScore: UInt64
    package let seq: UInt64
    /// The whole transaction payload.
    package let payload: [UInt8]
    /// What it says; nil for what comes from no operation.
    package let parsed: ParsedPayload?

    package init(_ delivery: Delivery, payload: OperationPayload) {
        kind = delivery.kind
        transactionID = delivery.transactionID
        sender = delivery.sender?.description
        amount = delivery.amount
        address = delivery.address
        blockTime = delivery.blockTime
        daaScore = delivery.daaScore
        seq = delivery.seq
        self.payload = payload.bytes
        parsed = payload.parsed
    }

    /// The sealed body; for group messages everything after `gcomm:`.
    package var body: ArraySlice<UInt8> {
        parsed.map { payload[$0.body] } ?? []
    }

    /// The body of a payment is plain JSON with a text `message`; sealed memos stay in the payload.
    package var memo: String? {
        kind == .payment ? PaymentMemo.text(in: body) : nil
    }

    /// Whether anybody may read it, since nothing of it is sealed.
    package var isPublic: Bool {
        kind == .addressActivity || kind == .paymentReverted || kind == .broadcast
    }

    /// Whether there is a payload to carry: what comes from no operation, or corrects one, has none.
    package var hasPayload: Bool { kind.usesPayload }

    /// Whether the notification names an amount.
    package var hasAmount: Bool { kind == .payment || kind == .addressActivity || kind == .paymentReverted }

    /// What the phone groups pushes about funds by; nil for others.
    package var fundsThreadID: String? {
        kind == .addressActivity ? address.map { "funds:\($0)" } : nil
    }

    /// Whether it is a message to an inbox: its sender may be a stranger.
    package var isInbox: Bool { parsed?.inboxTag != nil }

    /// `Received 1.25 KAS`.
    package var fundsSentence: String { "Received \(Sompi(amount).kas) KAS" }
}

/// The words of the flat shape, which the KaChat apps in the field parse.
extension NotificationContent {
    /// The kind, in the apps' words.
    package var flatType: String {
        kind == .contextualMessage ? "contextual" : kind.description
    }

    /// The sender's address; whoever sends coins to an address is no contact, so it is no title there.
    package var flatTitle: String {
        kind == .addressActivity ? "Funds received" : sender ?? "Unknown sender"
    }

    /// The sender's address where the shape names it: the app takes whatever names a sender for a chat.
    package var flatSender: String? {
        kind == .addressActivity || kind == .paymentReverted ? nil : sender
    }

    /// What happened.
    package var flatBody: String {
        switch kind {
        case .payment: "Payment received"
        case .handshake: "Started a conversation"
        case .groupMessage: "New group message"
        case .groupControl: "Group update"
        case .addressActivity: fundsSentence
        case .paymentReverted: "Payment reversed"
        case .contextualMessage, .selfStash, .broadcast: "New message"
        }
    }
}
