/// A transaction that this phone sent.
public struct SentTransaction: Hashable, Sendable {
    /// The transaction, 64 hex digits in lower case.
    public let transactionID: String
    /// Who asked for it; nil: the user, in the wallet itself.
    public let app: AppMetadata?
    /// The method that was called; 1 to 64 bytes.
    public let method: String
    /// The address that sent it.
    public let address: String
    /// Milliseconds since 1970.
    public let sentAt: Int64
    /// How it stands; `broadcast` when it is recorded.
    public let status: SentStatus

    /// A transaction that a node has just taken.
    public init(transactionID: String, app: AppMetadata? = nil, method: String, address: String, sentAt: Int64) {
        self.init(
            transactionID: transactionID.lowercased(), app: app, method: method, address: address.lowercased(),
            sentAt: sentAt, status: .broadcast)
    }

    private init(
        transactionID: String, app: AppMetadata?, method: String, address: String, sentAt: Int64, status: SentStatus
    ) {
        self.transactionID = transactionID
        self.app = app
        self.method = method
        self.address = address
        self.sentAt = sentAt
        self.status = status
    }
}

extension SentTransaction {
    /// From the columns of the ledger's queries.
    init(row: borrowing SQLiteStatement) throws(StoreError) {
        guard let status = SentStatus(rawValue: try row.text(4)) else { throw StoreError(.corrupt, "a status") }
        self.init(
            transactionID: try row.text(0), app: try AppMetadata(row: row, at: 6), method: try row.text(1),
            address: try row.text(2), sentAt: row.integer(3), status: status)
    }

    func check() throws(StoreError) {
        _ = try Checked.digest(transactionID)
        try app?.check()
        _ = try Checked.text(method, "method", Checked.nameBytes)
        _ = try Checked.address(address)
    }
}
