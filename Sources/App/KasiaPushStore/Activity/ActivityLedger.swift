/// What this phone sent and signed, newest first.
///
/// It grows until the user clears it.
///
/// Removing a wallet or signing out keeps the history; only `clear` removes it.
public struct ActivityLedger: Sendable {
    /// Items in one page, and transactions in one refresh, which is what the service takes.
    public static let maximumPage = 100

    let database: Database

    /// Records a transaction that a node has just taken; false when it is recorded already, which changes nothing.
    ///
    /// - Throws: `invalidValue`, or the file's trouble.
    public func record(_ sent: SentTransaction) async throws(StoreError) -> Bool {
        try sent.check()
        return try await database.write { connection throws(StoreError) in
            let known = "SELECT 1 FROM sent_transactions WHERE transaction_id = ?" as StaticString
            if try connection.integer(known, [.text(sent.transactionID)]) != nil { return false }
            let app = try connection.id(of: sent.app)
            try connection.run(
                """
                INSERT INTO sent_transactions (transaction_id, app, method, address, sent_at, status)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(sent.transactionID), .integer(app), .text(sent.method), .text(sent.address),
                    .integer(sent.sentAt), .text(SentStatus.broadcast.rawValue),
                ])
            return true
        }
    }

    /// Logs a signature; false when the same address has logged this digest for this time already.
    ///
    /// - Throws: `invalidValue`, or the file's trouble.
    public func log(_ signature: SignatureRecord) async throws(StoreError) -> Bool {
        try signature.check()
        return try await database.write { connection throws(StoreError) in
            let known = "SELECT 1 FROM signatures WHERE address = ? AND digest = ? AND signed_at = ?" as StaticString
            let key: [SQLiteValue] = [
                .text(signature.address), .text(signature.digest), .integer(signature.signedAt),
            ]
            if try connection.integer(known, key) != nil { return false }
            let app = try connection.id(of: signature.app)
            try connection.run(
                "INSERT INTO signatures (address, digest, signed_at, app, method) VALUES (?, ?, ?, ?, ?)",
                key + [.integer(app), .text(signature.method)])
            return true
        }
    }

    /// The transaction with this id; nil when it is not recorded.
    public func transaction(_ transactionID: String) async throws(StoreError) -> SentTransaction? {
        let id = try Checked.digest(transactionID)
        return try await database.read { connection throws(StoreError) in try connection.sent(id) }
    }

    /// Removes the history of one address, or all of it; connections, contacts and messages stay.
    public func clear(address: String? = nil) async throws(StoreError) {
        let address = try address.map { (address) throws(StoreError) in try Checked.address(address) }
        try await database.write { connection throws(StoreError) in
            try connection.run(
                "DELETE FROM sent_transactions WHERE ?1 IS NULL OR address = ?1", [.text(address)])
            try connection.run("DELETE FROM signatures WHERE ?1 IS NULL OR address = ?1", [.text(address)])
            try connection.removeUnusedApps()
        }
    }
}

extension SQLiteConnection {
    /// The transaction with this id, in lower case; nil when it is not recorded.
    func sent(_ transactionID: String) throws(StoreError) -> SentTransaction? {
        try rows(
            """
            SELECT transaction_id, method, address, sent_at, status, sequence, domain, uri, scheme
            FROM sent_transactions LEFT JOIN apps ON apps.id = app WHERE transaction_id = ?
            """, [.text(transactionID)], SentTransaction.init(row:)
        ).first
    }

    fileprivate func id(of app: AppMetadata?) throws(StoreError) -> Int64? {
        guard let app else { return nil }
        return try findOrInsert(app)
    }
}
