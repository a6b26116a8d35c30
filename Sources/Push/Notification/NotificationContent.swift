import KasiaProtocol
import Kaspa
import Store

/// What a notification says, before it has a shape.
struct NotificationContent {
    let kind: PushKind
    let transactionID: TransactionID
    /// The address's text; nil when the sender cannot be resolved.
    let sender: String?
    /// Sompi; of payments and of funds.
    let amount: UInt64
    /// The device's own that is credited; of funds.
    let address: Address?
    /// Milliseconds since 1970.
    let blockTime: UInt64
    let daaScore: UInt64
    let seq: UInt64
    /// The whole transaction payload.
    let payload: [UInt8]
    let operation: PayloadOperation?

    init(_ delivery: Delivery, payload: [UInt8]) {
        kind = delivery.kind
        transactionID = delivery.transactionID
        sender = delivery.sender?.description
        amount = delivery.amount
        address = delivery.address
        blockTime = delivery.blockTime
        daaScore = delivery.daaScore
        seq = delivery.seq
        self.payload = payload
        operation = if case .operation(let operation) = PayloadGrammar.classify(payload) { operation } else { nil }
    }

    /// The sealed body; for group messages everything after `gcomm:`.
    var body: ArraySlice<UInt8> {
        operation.map { payload[$0.body] } ?? []
    }

    /// The body of a payment is plain JSON with a text `message`; sealed memos stay in the payload.
    var memo: String? {
        kind == .payment ? PaymentMemo.text(in: body) : nil
    }

    /// Whether there is a payload to carry: what comes from no operation, or corrects one, has none.
    var hasPayload: Bool { kind.usesPayload }

    /// Whether the notification names an amount.
    var hasAmount: Bool { kind == .payment || kind == .addressActivity || kind == .paymentReverted }

    /// What the phone groups pushes about funds by; nil for others.
    var fundsThreadID: String? {
        kind == .addressActivity ? address.map { "funds:\($0)" } : nil
    }

    /// Whether it is a message to an inbox: its sender may be a stranger.
    var isInbox: Bool { operation?.inboxTag != nil }

    /// `Received 1.25 KAS`.
    var fundsSentence: String { "Received \(Sompi(amount).kas) KAS" }
}
