extension ActivityLedger {
    /// How long after it was sent a transaction is asked about.
    ///
    /// The service may never see one that it does not list.
    public static let refreshedForMilliseconds: Int64 = 30 * 86_400_000

    /// Transactions that are neither confirmed nor failed, newest first, as many as one refresh takes.
    ///
    /// For a whole round, pass each page's `next` until it is nil: however many stay unknown, each is asked about.
    public func unsettled(
        now: Int64, after cursor: LedgerCursor? = nil, limit: Int = maximumPage
    ) async throws(StoreError) -> LedgerPage<SentTransaction> {
        let limit = min(max(limit, 1), ActivityLedger.maximumPage)
        let cursor = cursor ?? .newest
        let oldest = max(now, 0) - ActivityLedger.refreshedForMilliseconds
        return try await database.read { connection throws(StoreError) in
            let rows = try connection.rows(
                """
                SELECT transaction_id, method, address, sent_at, status, sequence, domain, uri, scheme
                FROM sent_transactions LEFT JOIN apps ON apps.id = app
                WHERE status IN ('broadcast', 'pending') AND sent_at > ? AND (sent_at, sequence) < (?, ?)
                ORDER BY sent_at DESC, sequence DESC LIMIT ?
                """,
                [.integer(oldest), .integer(cursor.time), .integer(cursor.sequence), .integer(Int64(limit + 1))]
            ) { (row) throws(StoreError) in
                (try SentTransaction(row: row), LedgerCursor(time: row.integer(3), sequence: row.integer(5)))
            }
            return LedgerPage(rows, limit: limit)
        }
    }

    /// Applies the service's answer by transaction id, in one transaction, and gives what it changed.
    ///
    /// `pending` and `accepted` make a transaction pending, `confirmed` confirms it, by way of pending. A reverted one
    /// stays pending, since it may be accepted again, and has failed when that is so a day after it was sent.
    /// `unknown`, what is settled and what is not recorded stay as they are.
    public func apply(
        _ answer: [String: RefreshedStatus], now: Int64
    ) async throws(StoreError) -> [SentTransaction] {
        var checked: [(id: String, status: RefreshedStatus)] = []
        for (id, status) in answer { checked.append((try Checked.digest(id), status)) }
        checked.sort { $0.id < $1.id }
        return try await database.write { [checked] connection throws(StoreError) in
            var changed: [SentTransaction] = []
            for (id, answer) in checked {
                guard let sent = try connection.sent(id) else { continue }
                let age = max(now, 0).subtractingReportingOverflow(sent.sentAt)
                let steps = sent.status.steps(
                    after: answer, sentMillisecondsAgo: age.overflow ? .max : age.partialValue)
                for step in steps { try connection.setStatus(step, of: id) }
                if !steps.isEmpty, let sent = try connection.sent(id) { changed.append(sent) }
            }
            return changed
        }
    }

    /// Sets a status that the app knows from elsewhere, such as a conflict that the node reports.
    ///
    /// The same status again changes nothing. False when the transaction is not recorded.
    /// - Throws: `forbiddenTransition` for a step that `SentStatus.canBecome` does not allow, or the file's trouble.
    public func mark(_ transactionID: String, _ status: SentStatus) async throws(StoreError) -> Bool {
        let id = try Checked.digest(transactionID)
        return try await database.write { connection throws(StoreError) in
            guard let sent = try connection.sent(id) else { return false }
            if sent.status == status { return true }
            guard sent.status.canBecome(status) else {
                throw StoreError(.forbiddenTransition, "\(sent.status) to \(status)")
            }
            try connection.setStatus(status, of: id)
            return true
        }
    }
}

extension SQLiteConnection {
    fileprivate func setStatus(_ status: SentStatus, of id: String) throws(StoreError) {
        try run(
            "UPDATE sent_transactions SET status = ? WHERE transaction_id = ?", [.text(status.rawValue), .text(id)])
    }
}
