import Spans

/// What went wrong in the store, whose fault it is, and one sentence for the operator.
public struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of failure a caller can act on.
    public enum Code: String, Sendable {
        /// Another process holds the directory.
        case locked
        /// The directory cannot be created, read or written: permissions, a full disk, a file in its place.
        case inputOutput
        /// Stored bytes do not have the layout that the schema promises.
        case corrupt
        /// The store was written by a newer version of this program.
        case newerSchema
        /// The store was written by an older version of this program, and is not to be migrated here.
        case olderSchema
        /// The store belongs to another network.
        case otherNetwork
        /// The disk is nearly full: passes by itself when there is space again.
        case lowSpace
        /// The disk failed before: nothing is written until a restart.
        case stopped
        /// The database server cannot be reached: passes by itself when it is back.
        case unavailable
        /// This engine has no such thing; the message says what to do instead.
        case unsupported
        /// What is half-way must be finished first: a store with it cannot be shared out otherwise.
        case unfinished
        /// The engine reported something else.
        case engine
    }

    /// What a caller can act on.
    public let code: Code
    /// One sentence for the operator, with RocksDB's own words where it complained.
    public let message: String

    /// Takes the sentence as it is to be shown.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The sentence alone.
    public var description: String { message }

    /// Whether the machine lacks space or a working disk, and the same may well succeed once the operator has seen to it.
    public var isOfTheDisk: Bool { [.inputOutput, .lowSpace, .stopped].contains(code) }

    /// Sorts RocksDB's error text into a code; the texts are those of RocksDB 7.8's `Status::ToString`.
    static func engine(_ text: String, doing action: String) -> StoreError {
        if text.contains("While lock file") || text.contains("lock hold by current process") {
            return StoreError(
                .locked, "the store is in use by another process: stop it, or choose another store.path (\(text))")
        }
        if text.hasPrefix("IO error") || text.contains("No space left") {
            return StoreError(.inputOutput, "\(action): \(text)")
        }
        if text.hasPrefix("Corruption") {
            return StoreError(.corrupt, "\(action): \(text)")
        }
        return StoreError(.engine, "\(action): \(text)")
    }
}

extension StoreError {
    /// Whether the store as a whole is closed to changes: then the error says nothing about any one row.
    package var refusesEveryWrite: Bool { code == .lowSpace || code == .stopped }

    /// Whether `Store.trouble` says so for as long as it lasts.
    package var isOfWholeStore: Bool { refusesEveryWrite || code == .unavailable }
}

extension StoreError: SpanError {
    package var spanErrorType: String { code.rawValue }
}
