public import KasiaPushCore

/// Whom the user knows, by address: what the composer asks while the extension handles a push.
///
/// It is the app's copy for the extension: the app saves a contact here whenever it changes its own.
public struct ContactBook: ContactLookup {
    /// The longest name, and the longest reference to a shared key, in bytes.
    public static let maximumTextBytes = 1_024
    /// Contacts in one page.
    public static let maximumPage = 100

    let database: Database

    /// The contact with this address; nil for a stranger.
    ///
    /// Blocks for what is on the store's queue and one indexed read, so it is for the extension's own thread. In
    /// asynchronous code call `contact(_:)` with `await`.
    /// - Throws: `StoreError`.
    public func contact(_ address: String) throws -> Contact? {
        let address = try Checked.address(address)
        return try database.readBlocking { (connection) throws(StoreError) in try connection.contact(address) }
    }

    /// The contact with this address; nil for a stranger.
    public func contact(_ address: String) async throws(StoreError) -> Contact? {
        let address = try Checked.address(address)
        return try await database.read { connection throws(StoreError) in try connection.contact(address) }
    }

    /// A page of contacts in the order of their addresses.
    ///
    /// - Parameters:
    ///   - address: The last address of the page before; nil for the first page.
    ///   - limit: 1 to 100; a number outside is moved to the nearest.
    /// - Returns: The page; a short one is the last.
    /// - Throws: The file's trouble.
    public func contacts(after address: String? = nil, limit: Int = maximumPage) async throws(StoreError) -> [Contact] {
        let limit = Int64(min(max(limit, 1), ContactBook.maximumPage))
        return try await database.read { connection throws(StoreError) in
            try connection.rows(
                """
                SELECT address, name, shared_key_reference, is_muted FROM contacts
                WHERE address > ? ORDER BY address LIMIT ?
                """, [.text(address?.lowercased() ?? ""), .integer(limit)], Contact.init(row:))
        }
    }

    /// Adds the contact, or replaces the one with its address.
    ///
    /// - Throws: `invalidValue`, or the file's trouble.
    public func save(_ contact: Contact) async throws(StoreError) {
        try await save([contact])
    }

    /// Adds contacts or replaces those with their addresses; all of them or, when it throws, none.
    ///
    /// - Throws: `invalidValue`, or the file's trouble.
    public func save(_ contacts: [Contact]) async throws(StoreError) {
        var checked: [Contact] = []
        for contact in contacts { checked.append(try contact.checked()) }
        try await database.write { [checked] connection throws(StoreError) in
            for contact in checked { try connection.save(contact) }
        }
    }

    /// Replaces the whole book; as one change, so that the extension never sees half of it.
    ///
    /// - Throws: `invalidValue`, or the file's trouble.
    public func replaceAll(_ contacts: [Contact]) async throws(StoreError) {
        var checked: [Contact] = []
        for contact in contacts { checked.append(try contact.checked()) }
        try await database.write { [checked] connection throws(StoreError) in
            try connection.run("DELETE FROM contacts")
            for contact in checked { try connection.save(contact) }
        }
    }

    /// Mutes or unmutes a contact; false when there is none with this address.
    public func setMuted(_ isMuted: Bool, _ address: String) async throws(StoreError) -> Bool {
        let address = try Checked.address(address)
        return try await database.write { connection throws(StoreError) in
            try connection.run(
                "UPDATE contacts SET is_muted = ? WHERE address = ?", [.integer(isMuted ? 1 : 0), .text(address)])
            return connection.changes == 1
        }
    }

    /// Removes a contact; none with this address is no error.
    public func remove(_ address: String) async throws(StoreError) {
        let address = try Checked.address(address)
        try await database.write { connection throws(StoreError) in
            try connection.run("DELETE FROM contacts WHERE address = ?", [.text(address)])
        }
    }
}

extension SQLiteConnection {
    fileprivate func contact(_ address: String) throws(StoreError) -> Contact? {
        try rows(
            "SELECT address, name, shared_key_reference, is_muted FROM contacts WHERE address = ?", [.text(address)],
            Contact.init(row:)
        ).first
    }

    fileprivate func save(_ contact: Contact) throws(StoreError) {
        try run(
            "INSERT OR REPLACE INTO contacts (address, name, shared_key_reference, is_muted) VALUES (?, ?, ?, ?)",
            [
                .text(contact.address), .text(contact.name), .text(contact.sharedKeyReference),
                .integer(contact.isMuted ? 1 : 0),
            ])
    }
}

extension Contact {
    fileprivate init(row: borrowing SQLiteStatement) throws(StoreError) {
        self.init(
            address: try row.text(0), name: row.optionalText(1), isMuted: row.integer(3) != 0,
            sharedKeyReference: row.optionalText(2))
    }

    fileprivate func checked() throws(StoreError) -> Contact {
        let bytes = 0...ContactBook.maximumTextBytes
        var checked = self
        checked.address = try Checked.address(address)
        if let name { checked.name = try Checked.text(name, "name", bytes) }
        if let sharedKeyReference {
            checked.sharedKeyReference = try Checked.text(sharedKeyReference, "shared key's reference", bytes)
        }
        return checked
    }
}
