extension ConnectionRegistry {
    /// Ends an address's registrations with the service, such as `RegistrationManager` does; returns when it has.
    ///
    /// It may be called again for an address whose registrations it has ended, after a process died or beside another
    /// call, so it must not mind.
    public typealias EndRegistrations = @Sendable (_ address: String) async throws -> Void

    /// How a sign-out went.
    public enum SignOutOutcome: Sendable {
        /// Connections and registrations have ended.
        case done
        /// The connections have ended. The registrations have not, for this reason; `resumeSignOuts` tries again.
        case kept(any Error)
    }

    /// Signs an address out: ends its connections here and its registrations there, and keeps its history.
    ///
    /// In one transaction the connections go and the intent to end the registrations is kept, over restarts, until
    /// `endRegistrations` has returned. Also for the removal of a wallet, before its key is removed.
    /// - Throws: The file's trouble; then nothing has changed, or only the note that the intent is fulfilled is lacking.
    public func signOut(
        _ address: String, now: Int64, endRegistrations: EndRegistrations
    ) async throws(StoreError) -> SignOutOutcome {
        let address = try Checked.address(address)
        let intent = try await database.write { database throws(StoreError) in
            try database.run("DELETE FROM connections WHERE address = ?", [.text(address)])
            try database.removeUnusedApps()
            // A new row, also when an older intent is there: an older call that is still on its way must not end it.
            try database.run("DELETE FROM sign_outs WHERE address = ?", [.text(address)])
            try database.run(
                "INSERT INTO sign_outs (address, requested_at) VALUES (?, ?)", [.text(address), .integer(now)])
            return SignOutIntent(sequence: database.lastInsertedRow, address: address)
        }
        return try await fulfil(intent, endRegistrations)
    }

    /// Tries the sign-outs that are kept, oldest first: at the app's start, and when the network is back.
    ///
    /// - Returns: How each went, by address.
    public func resumeSignOuts(
        endRegistrations: EndRegistrations
    ) async throws(StoreError) -> [String: SignOutOutcome] {
        var outcomes: [String: SignOutOutcome] = [:]
        for intent in try await intents() { outcomes[intent.address] = try await fulfil(intent, endRegistrations) }
        return outcomes
    }

    /// Addresses whose registrations are still to be ended, oldest first.
    public func pendingSignOuts() async throws(StoreError) -> [String] {
        try await intents().map(\.address)
    }

    /// Says that the user signs in again: an intent to end the address's registrations is dropped.
    ///
    /// Call it before the registration, so that no sign-out is resumed after it. A call of `endRegistrations` that is
    /// on its way already is ordered by whoever makes both calls to the service.
    public func signIn(_ address: String) async throws(StoreError) {
        let address = try Checked.address(address)
        try await database.write { database throws(StoreError) in
            try database.run("DELETE FROM sign_outs WHERE address = ?", [.text(address)])
        }
    }

    private func intents() async throws(StoreError) -> [SignOutIntent] {
        try await database.read { database throws(StoreError) in
            try database.rows("SELECT sequence, address FROM sign_outs ORDER BY sequence") { (row) throws(StoreError) in
                SignOutIntent(sequence: row.integer(0), address: try row.text(1))
            }
        }
    }

    private func fulfil(
        _ intent: SignOutIntent, _ endRegistrations: EndRegistrations
    ) async throws(StoreError) -> SignOutOutcome {
        do {
            try await endRegistrations(intent.address)
        } catch {
            return .kept(error)
        }
        try await database.write { database throws(StoreError) in
            try database.run("DELETE FROM sign_outs WHERE sequence = ?", [.integer(intent.sequence)])
        }
        return .done
    }
}

/// One request to sign out.
///
/// A later one of the same address has a later sequence.
private struct SignOutIntent: Sendable {
    let sequence: Int64
    let address: String
}
