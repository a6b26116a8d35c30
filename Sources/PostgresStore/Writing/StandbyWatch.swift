import Postgres
import Store
import Synchronization

/// Watches the heartbeat of the process that writes, for one that stands by, and says when it has stopped.
///
/// Only the watcher's own clock counts, and only how long the heartbeat has stood still before its eyes: a clock that is
/// set, here or on the server, makes nobody take over from a process that is at work. Nor does an outage of the server,
/// however long: the time between two looks counts for a quarter of a lease at most. Keep one over all attempts to open.
public final class StandbyWatch: Sendable {
    private struct Seen {
        var heartbeat: Heartbeat
        var at: ContinuousClock.Instant
        var stoodStill = Duration.zero
    }

    private let lease: Duration
    private let seen = Mutex<Seen?>(nil)
    /// Of the servers that it has looked at.
    let history = ServerHistory()

    /// Nothing has been seen.
    public convenience init() { self.init(ServerTimes.service.lease) }

    init(_ lease: Duration) { self.lease = lease }

    /// Looks at the heartbeat; returns the last one of a process that is at work no more, nil if there is no store yet.
    ///
    /// Errors: `.locked` while a process is at work, or may be.
    func look(_ settings: ConnectionSettings) throws(StoreError) -> Heartbeat? {
        let answer = try checked { () throws(PostgresError) -> (heartbeat: Heartbeat, isReleased: Bool)? in
            // Each time at another host first, so that a primary that was replaced hides none.
            history.passOver()
            let connection = try Connection(settings)
            guard try connection.query("select to_regclass('writer') is not null", []).bool(0, 0) else { return nil }
            let rows = try connection.run([(WriterStatements.lastHeartbeat, [])])[0]
            return (Heartbeat(incarnation: rows.bytes(0, 0), number: try rows.int64(0, 1)), try rows.bool(0, 2))
        }
        guard let (heartbeat, isReleased) = answer else { return nil }
        guard note(heartbeat, isReleased: isReleased) else { throw WriterConnection.isAtWork(settings) }
        return heartbeat
    }

    /// Notes a heartbeat that was just seen; returns whether its process is at work no more.
    func note(_ heartbeat: Heartbeat, isReleased: Bool) -> Bool {
        let stoodStill = seen.withLock { last in
            var new = Seen(heartbeat: heartbeat, at: .now)
            if let last, last.heartbeat == heartbeat {
                new.stoodStill = last.stoodStill + min(new.at - last.at, lease / 4)
            }
            last = new
            return new.stoodStill
        }
        return isReleased || stoodStill >= lease
    }
}
