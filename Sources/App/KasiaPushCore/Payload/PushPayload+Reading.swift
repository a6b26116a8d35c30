import Kaspa

extension PushPayload {
    /// Reads a push as iOS and macOS give it: a notification's `userInfo`, or PushKit's `dictionaryPayload`.
    public init(userInfo: [AnyHashable: Any]) {
        self.init(PushMembers(userInfo: userInfo))
    }

    /// Reads a push that is JSON, such as a browser's or a UnifiedPush app's; at most 16,384 bytes.
    public init(json: [UInt8]) throws(PushPayloadError) {
        self.init(try PushMembers(json: json))
    }

    /// Reads the `data` of an FCM message.
    public init(data: [String: String]) {
        self.init(PushMembers(data: data))
    }

    private init(_ push: PushMembers) {
        if push.has("call_id"), let call = CallPush(push) {
            self = .call(call)
            return
        }
        let alert = PushAlert(push)
        let nested = push.object("kasia")
        let content = nested ?? push
        guard
            let details = PushDetails(
                content, alert: alert, signature: content.text("sig") ?? push.text("sig"))
        else {
            self = .unknown(alert, nil)
            return
        }
        let sealed = nested.map(PushPayload.chainPayload) ?? PushPayload.sealedPart(push)
        self = PushPayload.known(details, content, sealed) ?? .unknown(alert, details)
    }

    private static func known(_ details: PushDetails, _ content: PushMembers, _ sealed: SealedBody?) -> PushPayload? {
        let amount = content.number("amount")
        switch details.type {
        case "contextual_message", "contextual":
            return .message(details, sealed: sealed, isInbox: content.flag("inbox"))
        case "handshake": return .handshake(details, sealed: sealed)
        case "payment": return .payment(details, sealed: sealed, amount: amount, memo: content.text("memo"))
        case "group_message":
            let id = (content.text("groupId") ?? content.text("blinded_group_id")).flatMap { Hash($0) }
            return .groupMessage(details, sealed: sealed, groupID: id?.description)
        case "group_control": return .groupControl(details, sealed: sealed)
        case "address_activity":
            let address = content.text("address").flatMap { try? Address(parsing: $0) }
            return .addressActivity(details, address: address?.description, amount: amount)
        case "payment_reverted": return .paymentReverted(details, amount: amount)
        case "broadcast":
            return (content.text("channel") ?? channel(of: details.alert)).map { .broadcast(details, channel: $0) }
        default: return nil
        }
    }

    /// The nested shape has the transaction's whole payload in hex.
    private static func chainPayload(_ content: PushMembers) -> SealedBody? {
        content.anyText("payload").flatMap { SealedBody(Array($0.utf8)) }
    }

    /// The flat shapes have the sealed part: as text or in hex for Apple and Web Push, in base64 for FCM.
    private static func sealedPart(_ push: PushMembers) -> SealedBody? {
        guard let base64 = push.text("enc_payload") else { return chainPayload(push) }
        return SealedBody(Base64.decode(base64.utf8) ?? Array(base64.utf8))
    }

    /// Apple's shapes name a broadcast's channel only here.
    private static func channel(of alert: PushAlert) -> String? {
        let prefix = "broadcast:"
        guard let thread = alert.threadID, thread.hasPrefix(prefix), thread != prefix else { return nil }
        return String(thread.dropFirst(prefix.count))
    }
}
