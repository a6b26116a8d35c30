/// The tables, version by version.
///
/// A migration that was released is never changed.
enum Schema {
    /// `KPSH`: marks the file as a push store (`PRAGMA application_id`).
    static let applicationID: Int32 = 0x4b50_5348

    /// The script that leads from each version to the next; an empty file has version 0.
    static let migrations = [version1]

    /// Transactions are 64 lower-case hex digits, addresses lower case, times milliseconds since 1970.
    private static let version1 = """
        CREATE TABLE pending_messages (
            sequence INTEGER PRIMARY KEY,
            transaction_id TEXT NOT NULL UNIQUE,
            kind TEXT,
            sender TEXT,
            thread TEXT,
            text TEXT, -- null: still to be fetched
            received_at INTEGER NOT NULL,
            taken_at INTEGER -- null: not with the app
        ) STRICT;
        CREATE TABLE handled_messages (
            sequence INTEGER PRIMARY KEY,
            transaction_id TEXT NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE dropped_messages ( -- one row
            only INTEGER PRIMARY KEY CHECK (only = 1),
            count INTEGER NOT NULL CHECK (count >= 0)
        ) STRICT;
        INSERT INTO dropped_messages VALUES (1, 0);

        CREATE TABLE contacts (
            address TEXT PRIMARY KEY,
            name TEXT,
            shared_key_reference TEXT,
            is_muted INTEGER NOT NULL CHECK (is_muted IN (0, 1))
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE apps (
            id INTEGER PRIMARY KEY,
            domain TEXT NOT NULL,
            uri TEXT NOT NULL,
            scheme TEXT NOT NULL,
            UNIQUE (domain, uri, scheme)
        ) STRICT;
        CREATE TABLE sent_transactions (
            sequence INTEGER PRIMARY KEY,
            transaction_id TEXT NOT NULL UNIQUE,
            app INTEGER REFERENCES apps (id), -- null: the wallet itself
            method TEXT NOT NULL,
            address TEXT NOT NULL,
            sent_at INTEGER NOT NULL,
            status TEXT NOT NULL CHECK (status IN ('broadcast', 'pending', 'confirmed', 'failed'))
        ) STRICT;
        CREATE INDEX sent_by_time ON sent_transactions (sent_at, sequence);
        CREATE INDEX sent_by_address ON sent_transactions (address, sent_at, sequence);
        CREATE INDEX sent_by_app ON sent_transactions (app);
        CREATE INDEX sent_unsettled ON sent_transactions (sent_at, sequence) WHERE status IN ('broadcast', 'pending');
        CREATE TABLE signatures (
            sequence INTEGER PRIMARY KEY,
            digest TEXT NOT NULL,
            app INTEGER REFERENCES apps (id),
            method TEXT NOT NULL,
            address TEXT NOT NULL,
            signed_at INTEGER NOT NULL,
            UNIQUE (address, digest, signed_at)
        ) STRICT;
        CREATE INDEX signed_by_time ON signatures (signed_at, sequence);
        CREATE INDEX signed_by_address ON signatures (address, signed_at, sequence);
        CREATE INDEX signed_by_app ON signatures (app);

        CREATE TABLE connections (
            id INTEGER PRIMARY KEY,
            app INTEGER UNIQUE REFERENCES apps (id),
            device TEXT UNIQUE,
            address TEXT NOT NULL,
            connected_at INTEGER NOT NULL,
            CHECK ((app IS NULL) <> (device IS NULL))
        ) STRICT;
        CREATE INDEX connections_by_address ON connections (address);
        CREATE TABLE granted_methods (
            connection INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
            method TEXT NOT NULL,
            PRIMARY KEY (connection, method)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE sign_outs (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, so that it names one intent
            address TEXT NOT NULL UNIQUE,
            requested_at INTEGER NOT NULL
        ) STRICT;
        """
}
