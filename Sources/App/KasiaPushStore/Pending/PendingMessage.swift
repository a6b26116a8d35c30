/// A message that a push told of: opened by the extension, or still to be fetched.
public struct PendingMessage: Hashable, Sendable {
    /// The longest opened text in bytes; a longer one is kept as still to be fetched.
    public static let maximumTextBytes = 65_536
    /// The longest thread in bytes.
    public static let maximumThreadBytes = 160

    /// The transaction, 64 hex digits.
    public var transactionID: String
    /// The push's type, such as `contextual_message`; at most 64 bytes; nil when it is not known.
    public var kind: String?
    /// The sender's address; nil when it is not known.
    public var sender: String?
    /// What the message belongs to other than its sender, such as a group's blinded id; nil for none.
    public var thread: String?
    /// The opened text; nil when the message is still to be fetched.
    public var text: String?
    /// When the push came, milliseconds since 1970.
    public var receivedAt: Int64

    /// Takes what is known.
    public init(
        transactionID: String, kind: String? = nil, sender: String? = nil, thread: String? = nil, text: String? = nil,
        receivedAt: Int64
    ) {
        self.transactionID = transactionID
        self.kind = kind
        self.sender = sender
        self.thread = thread
        self.text = text
        self.receivedAt = receivedAt
    }
}

extension PendingMessage {
    init(row: borrowing SQLiteStatement) throws(StoreError) {
        self.init(
            transactionID: try row.text(0), kind: row.optionalText(1), sender: row.optionalText(2),
            thread: row.optionalText(3), text: row.optionalText(4), receivedAt: row.integer(5))
    }

    /// As the table holds it.
    func checked() throws(StoreError) -> PendingMessage {
        var checked = self
        checked.transactionID = try Checked.digest(transactionID)
        if let kind { checked.kind = try Checked.text(kind, "kind", Checked.nameBytes) }
        if let sender { checked.sender = try Checked.address(sender) }
        if let thread { checked.thread = try Checked.text(thread, "thread", 1...PendingMessage.maximumThreadBytes) }
        if let text, text.utf8.count > PendingMessage.maximumTextBytes { checked.text = nil }
        return checked
    }
}
