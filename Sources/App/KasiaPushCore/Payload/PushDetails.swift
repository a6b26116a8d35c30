import Kaspa

/// What every push about a transaction says, whatever its shape.
public struct PushDetails: Hashable, Sendable {
    /// The type as the push spells it: `contextual_message` in the nested shape is `contextual` in the flat ones.
    public let type: String
    /// The transaction, 64 lower-case hex digits: the key under which a push that comes twice is one.
    public let transactionID: String
    /// Who sent the transaction, in lower case; nil when the service does not know, or does not say.
    public let sender: String?
    /// The number of the push among those to this device: 1, 2, 3 and so on.
    public let seq: UInt64?
    /// The block's time, in milliseconds since 1970.
    public let timestamp: UInt64?
    /// The DAA score of the accepting block.
    public let daaScore: UInt64?
    /// What to show of a push that cannot be opened.
    public let alert: PushAlert
    /// The service's signature in base64; see `PushSignature`.
    public let signature: String?
}

extension PushDetails {
    /// Reads the members of either spelling; nil without a type and a transaction id, or when one of the two or the
    /// sender is not what it should be.
    init?(_ content: PushMembers, alert: PushAlert, signature: String?) {
        guard let type = content.text("type"),
            let transaction = (content.text("txId") ?? content.text("tx_id")).flatMap({ TransactionID($0) })
        else { return nil }
        self.type = type
        transactionID = transaction.description
        if let text = content.text("sender") {
            guard let address = try? Address(parsing: text) else { return nil }
            sender = address.description
        } else {
            sender = nil
        }
        seq = content.number("seq")
        timestamp = content.number("timestamp")
        daaScore = content.number("daaScore") ?? content.number("daa_score")
        self.alert = alert
        self.signature = signature
    }
}
