/// Why the store could not do what was asked, with one sentence that says what to do.
public struct StoreError: Error, Hashable, Sendable {
    /// What went wrong, and whose fault it is.
    public enum Code: String, Sendable, CaseIterable {
        /// Another process held the lock for longer than the store waits.
        case locked
        /// The phone has no space left.
        case diskFull
        /// The file's bytes are no sound database.
        case corrupt
        /// A newer version of the app wrote the file.
        case newerVersion
        /// The file belongs to something else: another app's database.
        case notThisStore
        /// The process may read the file, and not write it.
        case readOnly
        /// The folder is missing.
        case missingFolder
        /// The path names a symbolic link.
        case symbolicLink
        /// The path names something that cannot be opened as a file, or the process may not open it: on a phone also
        /// before its first unlock.
        case cannotOpen
        /// Reading or writing failed below SQLite.
        case unreadable
        /// The store was closed; a fault of the caller.
        case closed
        /// A value is outside of its bounds; a fault of the caller.
        case invalidValue
        /// A sent transaction cannot go from its status to this one; a fault of the caller.
        case forbiddenTransition
        /// As many as are allowed are there already.
        case tooMany
        /// SQLite refused for a reason that this list does not have.
        case unexpected
    }

    /// What went wrong.
    public let code: Code
    /// SQLite's extended result code; nil when SQLite was not asked.
    public let sqliteCode: Int32?
    /// What the sentence adds: SQLite's words, the value's name, a version.
    public let detail: String

    init(_ code: Code, _ detail: String = "", sqliteCode: Int32? = nil) {
        self.code = code
        self.detail = detail
        self.sqliteCode = sqliteCode
    }
}

extension StoreError: CustomStringConvertible {
    /// The sentence, then the detail and SQLite's code in parentheses.
    public var description: String {
        let facts = [detail, sqliteCode.map { "SQLite \($0)" } ?? ""].filter { !$0.isEmpty }
        return facts.isEmpty ? code.sentence : "\(code.sentence) (\(facts.joined(separator: ", ")))"
    }
}

extension StoreError.Code {
    var sentence: String {
        switch self {
        case .locked: "Another process is writing to the store. Try again."
        case .diskFull: "There is no space left. Nothing was changed; free some space and try again."
        case .corrupt: "The store's file is damaged. Remove it with PushStore.remove(at:) and open the store again."
        case .newerVersion: "A newer version of the app wrote the store. Update the app."
        case .notThisStore: "The file is not a push store. Give the store a path of its own."
        case .readOnly: "The store's file cannot be written. Check the permissions of the file and its folder."
        case .missingFolder: "The store's folder does not exist. Create it, or check the App Group's entitlement."
        case .symbolicLink: "The store's path is a symbolic link. Give the path of the file itself."
        case .cannotOpen: "The store's file cannot be opened. Check the path, or wait for the phone's first unlock."
        case .unreadable: "The store's file cannot be read or written. Try again."
        case .closed: "The store is closed. Open it again."
        case .invalidValue: "A value is outside of its bounds."
        case .forbiddenTransition: "A transaction cannot go from its status to this one."
        case .tooMany: "There are as many as the store keeps. Remove one first."
        case .unexpected: "SQLite refused the statement."
        }
    }
}
