import JSON
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
    /// What it says; nil for what comes from no operation.
    let parsed: ParsedPayload?

    init(_ delivery: Delivery, payload: OperationPayload) {
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
    var body: ArraySlice<UInt8> {
        parsed.map { payload[$0.body] } ?? []
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
    var isInbox: Bool { parsed?.inboxTag != nil }

    /// `Received 1.25 KAS`.
    var fundsSentence: String { "Received \(Sompi(amount).kas) KAS" }
}

/// The memo of a payment that is not sealed.
enum PaymentMemo {
    /// No longer body can hold nothing but a memo that fits: a byte of it is at most six here, as `\u0041`.
    static let maximumBodyBytes = 6 * NotificationEncoder.maximumBytes

    /// The text member `message` of a JSON object, or nil for anything else.
    static func text(in body: ArraySlice<UInt8>) -> String? {
        guard body.count <= maximumBodyBytes, let message = JSONTexts(of: body, names: ["message"])?.bytes("message")
        else { return nil }
        return String(validating: message, as: UTF8.self)
    }
}
