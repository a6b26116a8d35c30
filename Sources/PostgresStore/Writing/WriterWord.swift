import Postgres
import Store
import Synchronization

/// What the process that writes has said last: who it is, and a number that grows while it is at work.
struct WriterWord: Equatable, Sendable {
    var incarnation: [UInt8]
    var word: Int64

    /// Why somebody else has to wait.
    static func atWork(_ settings: ConnectionSettings) -> StoreError {
        StoreError(.locked, "another process is at work with the store at \(settings.target)")
    }
}

/// Stands by for the process that writes: watches its word, and says when it is silent.
///
/// Only the watcher's own clock counts, and only how long the word has stood still before its eyes: a clock that is set,
/// here or on the server, makes nobody take over from a process that is at work. Keep one over all attempts to open.
public final class StandbyWatch: Sendable {
    private struct Seen {
        var word: WriterWord
        var since: ContinuousClock.Instant
    }

    private let lease: Duration
    private let seen = Mutex<Seen?>(nil)

    /// Nothing has been seen.
    public convenience init() { self.init(ServerTimes().lease) }

    init(_ lease: Duration) { self.lease = lease }

    /// Looks at the word; returns it if nobody is at work, nil if there is no store yet.
    ///
    /// Errors: `.locked` while somebody is at work, or may be.
    func look(_ settings: ConnectionSettings) throws(StoreError) -> WriterWord? {
        let answer = try checked { () throws(PostgresError) -> (word: WriterWord, isLeft: Bool)? in
            let connection = try Connection(settings)
            guard try connection.query("select to_regclass('writer') is not null", []).bool(0, 0) else { return nil }
            let rows = try connection.run([(WriterStatements.word, [])])[0]
            return (WriterWord(incarnation: rows.bytes(0, 0), word: try rows.int64(0, 1)), try rows.bool(0, 2))
        }
        guard let (word, isLeft) = answer else { return nil }
        let isSilent = seen.withLock { seen in
            if seen?.word != word { seen = Seen(word: word, since: .now) }
            return seen.map { ContinuousClock.now - $0.since >= lease } ?? false
        }
        guard isLeft || isSilent else { throw WriterWord.atWork(settings) }
        return word
    }
}
