extension ActivityLedger {
    /// A page of what was sent, newest first; of equal times, what was recorded last comes first.
    ///
    /// - Parameters:
    ///   - address: Only what this address sent; nil: all.
    ///   - cursor: The page before's `next`; nil: the first page.
    ///   - limit: 1 to 100; a number outside is moved to the nearest.
    /// - Returns: The page, and where the next one begins.
    /// - Throws: `invalidValue`, or the file's trouble.
    public func transactions(
        of address: String? = nil, after cursor: LedgerCursor? = nil, limit: Int = maximumPage
    ) async throws(StoreError) -> LedgerPage<SentTransaction> {
        let address = try address.map { (address) throws(StoreError) in try Checked.address(address) }
        return try await page(
            // Two statements, as one with `OR` would go through the whole table.
            address == nil
                ? """
                SELECT transaction_id, method, address, sent_at, status, sequence, domain, uri, scheme
                FROM sent_transactions LEFT JOIN apps ON apps.id = app
                WHERE ?1 IS NULL AND (sent_at, sequence) < (?2, ?3) ORDER BY sent_at DESC, sequence DESC LIMIT ?4
                """
                : """
                SELECT transaction_id, method, address, sent_at, status, sequence, domain, uri, scheme
                FROM sent_transactions LEFT JOIN apps ON apps.id = app
                WHERE address = ?1 AND (sent_at, sequence) < (?2, ?3) ORDER BY sent_at DESC, sequence DESC LIMIT ?4
                """, address, cursor, limit
        ) { (row) throws(StoreError) in
            (try SentTransaction(row: row), LedgerCursor(time: row.integer(3), sequence: row.integer(5)))
        }
    }

    /// A page of what was signed, ordered likewise.
    ///
    /// - Parameters:
    ///   - address: Only what this address signed; nil: all.
    ///   - cursor: The page before's `next`; nil: the first page.
    ///   - limit: 1 to 100; a number outside is moved to the nearest.
    /// - Returns: The page, and where the next one begins.
    /// - Throws: `invalidValue`, or the file's trouble.
    public func signatures(
        of address: String? = nil, after cursor: LedgerCursor? = nil, limit: Int = maximumPage
    ) async throws(StoreError) -> LedgerPage<SignatureRecord> {
        let address = try address.map { (address) throws(StoreError) in try Checked.address(address) }
        return try await page(
            address == nil
                ? """
                SELECT digest, method, address, signed_at, sequence, domain, uri, scheme
                FROM signatures LEFT JOIN apps ON apps.id = app
                WHERE ?1 IS NULL AND (signed_at, sequence) < (?2, ?3) ORDER BY signed_at DESC, sequence DESC LIMIT ?4
                """
                : """
                SELECT digest, method, address, signed_at, sequence, domain, uri, scheme
                FROM signatures LEFT JOIN apps ON apps.id = app
                WHERE address = ?1 AND (signed_at, sequence) < (?2, ?3) ORDER BY signed_at DESC, sequence DESC LIMIT ?4
                """, address, cursor, limit
        ) { (row) throws(StoreError) in
            (try SignatureRecord(row: row), LedgerCursor(time: row.integer(3), sequence: row.integer(4)))
        }
    }

    /// Runs a statement with the parameters address, cursor's time, cursor's sequence and one more than the limit.
    private func page<Item: Sendable>(
        _ sql: StaticString, _ address: String?, _ cursor: LedgerCursor?, _ limit: Int,
        _ read: @escaping @Sendable (borrowing SQLiteStatement) throws(StoreError) -> (Item, LedgerCursor)
    ) async throws(StoreError) -> LedgerPage<Item> {
        let limit = min(max(limit, 1), ActivityLedger.maximumPage)
        let cursor = cursor ?? .newest
        return try await database.read { connection throws(StoreError) in
            let rows = try connection.rows(
                sql, [.text(address), .integer(cursor.time), .integer(cursor.sequence), .integer(Int64(limit + 1))],
                read)
            return LedgerPage(rows, limit: limit)
        }
    }
}
