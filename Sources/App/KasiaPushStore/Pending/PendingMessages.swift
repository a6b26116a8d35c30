/// Messages on their way from the extension to the app: each transaction once, the newest 100.
///
/// The app takes messages, stores them among its own, and confirms. A message that is taken stays here, hidden from
/// other takers for five minutes, until it is confirmed: when the app dies in between it gets the message again, so it
/// must store by transaction. After the confirmation a message does not come again, even if another push tells of it:
/// the latest 1,000 confirmed transactions are remembered.
public struct PendingMessages: Sendable {
    /// Messages that are kept.
    ///
    /// The oldest makes room for a newer one.
    public static let capacity = 100
    /// Confirmed transactions that are remembered: as many as the service keeps for a device's `missed` list.
    public static let rememberedTransactions = 1_000
    /// How long a message that was taken is kept from other takers.
    public static let leaseMilliseconds: Int64 = 300_000

    /// What became of a message that was added.
    public enum AddOutcome: Hashable, Sendable {
        /// It is new.
        case added
        /// It was still to be fetched, and now has its text.
        case opened
        /// It is here already, or the app has confirmed it: a second push for the same transaction.
        case known
    }

    let database: Database

    /// Adds a message, or gives one that was still to be fetched its text.
    ///
    /// - Throws: `invalidValue`, or the file's trouble.
    public func add(_ message: PendingMessage) async throws(StoreError) -> AddOutcome {
        try await add([message])[0]
    }

    /// Adds messages in this order, such as the ids of a `missed` list; all of them or, when it throws, none.
    ///
    /// - Throws: `invalidValue`, or the file's trouble.
    public func add(_ messages: [PendingMessage]) async throws(StoreError) -> [AddOutcome] {
        var checked: [PendingMessage] = []
        for message in messages { checked.append(try message.checked()) }
        return try await database.write { [checked] connection throws(StoreError) in
            var outcomes: [AddOutcome] = []
            for message in checked { outcomes.append(try connection.add(message)) }
            if outcomes.contains(.added) { try connection.dropOldest() }
            return outcomes
        }
    }

    /// Takes messages that nobody holds, oldest first.
    ///
    /// - Parameters:
    ///   - now: Milliseconds since 1970.
    ///   - limit: 1 to 100; a number outside is moved to the nearest.
    /// - Returns: The messages, and how many were dropped before.
    /// - Throws: The file's trouble.
    public func take(now: Int64, limit: Int = capacity) async throws(StoreError) -> TakenMessages {
        let limit = Int64(min(max(limit, 1), PendingMessages.capacity))
        let now = max(now, 0)
        return try await database.write { connection throws(StoreError) in
            // A lease from the future is one of a clock that was set back since.
            let messages = try connection.rows(
                """
                SELECT transaction_id, kind, sender, thread, text, received_at FROM pending_messages
                WHERE taken_at IS NULL OR taken_at > ? OR taken_at <= ? ORDER BY sequence LIMIT ?
                """, [.integer(now), .integer(now - PendingMessages.leaseMilliseconds), .integer(limit)],
                PendingMessage.init(row:))
            for message in messages {
                try connection.run(
                    "UPDATE pending_messages SET taken_at = ? WHERE transaction_id = ?",
                    [.integer(now), .text(message.transactionID)])
            }
            let dropped = try connection.integer("SELECT count FROM dropped_messages") ?? 0
            return TakenMessages(messages: messages, dropped: Int(dropped))
        }
    }

    /// Says that the app has these transactions, whether it took them here or fetched them otherwise.
    ///
    /// - Parameters:
    ///   - transactionIDs: Handled; the latest 1,000 are remembered.
    ///   - dropped: The number of dropped messages that the app has made up for.
    /// - Throws: `invalidValue`, or the file's trouble.
    public func confirm(_ transactionIDs: [String], dropped: Int = 0) async throws(StoreError) {
        let checked = try digests(transactionIDs)
        try await database.write { connection throws(StoreError) in
            for id in checked {
                try connection.run("DELETE FROM pending_messages WHERE transaction_id = ?", [.text(id)])
                try connection.run("INSERT OR IGNORE INTO handled_messages (transaction_id) VALUES (?)", [.text(id)])
            }
            try connection.run(
                """
                DELETE FROM handled_messages WHERE sequence <=
                (SELECT sequence FROM handled_messages ORDER BY sequence DESC LIMIT 1 OFFSET ?)
                """, [.integer(Int64(PendingMessages.rememberedTransactions))])
            try connection.run(
                "UPDATE dropped_messages SET count = max(count - ?, 0)", [.integer(Int64(max(dropped, 0)))])
        }
    }

    /// Gives back what could not be handled, so that the next `take` has it.
    public func giveBack(_ transactionIDs: [String]) async throws(StoreError) {
        let checked = try digests(transactionIDs)
        try await database.write { connection throws(StoreError) in
            for id in checked {
                try connection.run("UPDATE pending_messages SET taken_at = NULL WHERE transaction_id = ?", [.text(id)])
            }
        }
    }

    /// Gives back all that was taken: for the app's start, when whoever took it is certainly gone.
    public func giveBackAll() async throws(StoreError) {
        try await database.write { connection throws(StoreError) in
            try connection.run("UPDATE pending_messages SET taken_at = NULL WHERE taken_at IS NOT NULL")
        }
    }

    /// Messages that the app has not confirmed: what the extension shows as the badge.
    public func count() async throws(StoreError) -> Int {
        try await database.read { connection throws(StoreError) in
            Int(try connection.integer("SELECT count(*) FROM pending_messages") ?? 0)
        }
    }

    private func digests(_ texts: [String]) throws(StoreError) -> [String] {
        var digests: [String] = []
        for text in texts { digests.append(try Checked.digest(text)) }
        return digests
    }
}

extension SQLiteConnection {
    fileprivate func add(_ message: PendingMessage) throws(StoreError) -> PendingMessages.AddOutcome {
        let handled = "SELECT 1 FROM handled_messages WHERE transaction_id = ?" as StaticString
        if try integer(handled, [.text(message.transactionID)]) != nil { return .known }
        try run(
            """
            INSERT OR IGNORE INTO pending_messages (transaction_id, kind, sender, thread, text, received_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .text(message.transactionID), .text(message.kind), .text(message.sender), .text(message.thread),
                .text(message.text), .integer(message.receivedAt),
            ])
        if changes == 1 { return .added }
        guard message.text != nil else { return .known }
        try run(
            """
            UPDATE pending_messages SET text = ?, kind = coalesce(?, kind), sender = coalesce(?, sender),
            thread = coalesce(?, thread) WHERE transaction_id = ? AND text IS NULL
            """,
            [
                .text(message.text), .text(message.kind), .text(message.sender), .text(message.thread),
                .text(message.transactionID),
            ])
        return changes == 1 ? .opened : .known
    }

    fileprivate func dropOldest() throws(StoreError) {
        try run(
            """
            DELETE FROM pending_messages WHERE sequence <=
            (SELECT sequence FROM pending_messages ORDER BY sequence DESC LIMIT 1 OFFSET ?)
            """, [.integer(Int64(PendingMessages.capacity))])
        try run("UPDATE dropped_messages SET count = count + ?", [.integer(Int64(changes))])
    }
}
