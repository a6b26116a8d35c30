/// Something that this phone signed for somebody.
///
/// What was signed is not kept, only its digest.
public struct SignatureRecord: Hashable, Sendable {
    /// SHA-256 of what was signed, 64 hex digits in lower case.
    public let digest: String
    /// Who asked for it; nil: the user, in the wallet itself.
    public let app: AppMetadata?
    /// The method that was called; 1 to 64 bytes.
    public let method: String
    /// The address whose key signed.
    public let address: String
    /// Milliseconds since 1970.
    public let signedAt: Int64

    /// Takes what is known.
    public init(digest: String, app: AppMetadata? = nil, method: String, address: String, signedAt: Int64) {
        self.digest = digest.lowercased()
        self.app = app
        self.method = method
        self.address = address.lowercased()
        self.signedAt = signedAt
    }
}

extension SignatureRecord {
    /// From the columns of the ledger's query.
    init(row: borrowing SQLiteStatement) throws(StoreError) {
        self.init(
            digest: try row.text(0), app: try AppMetadata(row: row, at: 5), method: try row.text(1),
            address: try row.text(2), signedAt: row.integer(3))
    }

    func check() throws(StoreError) {
        _ = try Checked.digest(digest, "digest")
        try app?.check()
        _ = try Checked.text(method, "method", Checked.nameBytes)
        _ = try Checked.address(address)
    }
}
