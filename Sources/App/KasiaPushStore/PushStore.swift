/// What the app and its notification extension share, in one SQLite file that each process opens once.
///
/// **Two processes.** Every verb is one transaction: it happens as a whole or not at all, whenever a process is killed.
/// A verb waits up to 5 seconds for the other process, then throws `locked`. A power failure may undo the last verbs,
/// as the file is synchronized at checkpoints only; it never damages the file.
///
/// **A locked phone.** On iOS the file can be read after the first unlock since the phone's start
/// (`completeUntilFirstUserAuthentication`). Before it, `open` throws, and the extension shows the push as it came.
///
/// **`0xdead10cc`.** iOS kills an app that is suspended while it holds a lock on a file of the App Group. The store
/// holds a lock for the milliseconds of a verb only. So call the verbs within `beginBackgroundTask` or
/// `performExpiringActivity` when the app is about to leave the foreground, and `close` in its expiration handler.
/// Between verbs SQLite holds a shared lock on the log's index, which iOS tolerates for a database with a write-ahead
/// log; `close` releases that, too.
///
/// Nothing but this store may open the file in these processes: closing any handle of it drops SQLite's locks.
public struct PushStore: Sendable {
    /// What the extension opened, for the app to take.
    public let pending: PendingMessages
    /// Whom the user knows.
    public let contacts: ContactBook
    /// What this phone sent and signed.
    public let activity: ActivityLedger
    /// Which sites and devices are connected to which address.
    public let connections: ConnectionRegistry

    let database: Database

    init(_ database: Database) {
        self.database = database
        pending = PendingMessages(database: database)
        contacts = ContactBook(database: database)
        activity = ActivityLedger(database: database)
        connections = ConnectionRegistry(database: database)
    }

    /// Opens the store, creating the file and bringing an older version's to the present one.
    ///
    /// - Parameter path: The file in the App Group's container. Its folder exists; the file itself is no link.
    /// - Returns: The opened store.
    /// - Throws: `newerVersion`, `notThisStore`, `corrupt`, `missingFolder`, `symbolicLink`, `cannotOpen`, `readOnly`,
    ///   `unreadable`, `diskFull`, `locked`; nothing of a file that is not ours, or newer, is changed.
    public static func open(path: String) async throws(StoreError) -> PushStore {
        PushStore(try await Database.open(path: path))
    }

    /// Closes the file after the verbs in flight.
    ///
    /// Every later verb throws `closed`; open the store anew.
    public func close() async {
        await database.close()
    }

    /// Removes the file and what SQLite keeps beside it, for one that is damaged.
    ///
    /// All of the store is lost. Close it first in each process. A file that is not there is no error.
    public static func remove(at path: String) throws(StoreError) {
        try StoreFile.remove(path)
    }
}
