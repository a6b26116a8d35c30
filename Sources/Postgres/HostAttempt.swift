import CLibpq

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// One host that is asked for a connection, without waiting for it.
final class HostAttempt {
    /// Which of the hosts it is.
    let host: Int
    /// Its deadline: first for letting us in, then for telling its timeline.
    private(set) var end: ContinuousClock.Instant
    /// The connection; whoever takes it closes it.
    let handle: OpaquePointer
    /// The server's; 0 without a history, and for a standby, which has none of its own.
    private(set) var timeline: UInt64 = 0
    private let name: String
    private let deadline: Duration
    private let history: ServerHistory?
    private var events = SocketEvents.writable
    /// Whether we are let in, and wait for the timeline.
    private var isIn = false

    /// Begins to connect.
    init(_ host: Int, _ options: [String: String], _ settings: ConnectionSettings) throws(PostgresError) {
        name = ConnectionInfo.name(of: options)
        guard let handle = HostAttempt.start(options) else {
            throw PostgresError(.connection, "libpq is out of memory.")
        }
        self.host = host
        self.handle = handle
        (deadline, history) = (settings.deadline, settings.history)
        end = .now + deadline
        // libpq tells the SQLSTATE of a refused connection only in its words, and only when they are verbose.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard PQstatus(handle) != CONNECTION_BAD else {
            defer { close() }
            throw HostAttempt.refusal(handle, name)
        }
    }

    func close() { PQfinish(handle) }

    /// What it waits for.
    var awaited: (socket: Int32, events: SocketEvents) { (PQsocket(handle), events) }

    /// Does what can be done without waiting; returns whether the connection is there.
    func proceed(isReady: Bool) throws(PostgresError) -> Bool {
        guard isReady else {
            guard ContinuousClock.now >= end else { return false }
            throw PostgresError(.deadline, "\(name): \(isIn ? "no answer" : "no connection") within \(deadline)")
        }
        if isIn { return try hasAnswered() }
        guard try isLetIn() else { return false }
        return try !asksForTimeline()
    }

    private func isLetIn() throws(PostgresError) -> Bool {
        switch PQconnectPoll(handle) {
        case PGRES_POLLING_OK:
            PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
            guard PQsetnonblocking(handle, 1) == 0 else { throw HostAttempt.refusal(handle, name) }
            return true
        case PGRES_POLLING_FAILED: throw HostAttempt.refusal(handle, name)
        case PGRES_POLLING_READING: events = .readable
        default: events = .writable
        }
        return false
    }

    /// Asks for the timeline if somebody minds; returns whether somebody does.
    private func asksForTimeline() throws(PostgresError) -> Bool {
        guard history != nil else { return false }
        guard PQsendQuery(handle, "select left(pg_walfile_name(pg_current_wal_lsn()), 8)") == 1 else {
            throw HostAttempt.refusal(handle, name)
        }
        (isIn, events, end) = (true, .readable, .now + deadline)
        return true
    }

    /// Reads what has come of the timeline; returns whether that is all.
    ///
    /// An error if another server has replaced this one.
    private func hasAnswered() throws(PostgresError) -> Bool {
        guard PQconsumeInput(handle) == 1 else { throw HostAttempt.refusal(handle, name) }
        while PQisBusy(handle) == 0 {
            guard let result = PQgetResult(handle) else {
                try admit()
                return true
            }
            if PQresultStatus(result) == PGRES_TUPLES_OK, let digits = PQgetvalue(result, 0, 0) {
                timeline = UInt64(String(cString: digits), radix: 16) ?? 0
            }
            PQclear(result)
        }
        return false
    }

    private func admit() throws(PostgresError) {
        guard let history, timeline != 0, !history.admit(timeline, host: host) else { return }
        throw PostgresError(
            .connection,
            "\(name) is a server that another has replaced (timeline \(timeline), and there was \(history.timeline))")
    }

    private static func start(_ options: [String: String]) -> OpaquePointer? {
        let strings = options.map { (strdup($0.key), strdup($0.value)) }
        defer {
            for (key, value) in strings {
                free(key)
                free(value)
            }
        }
        let keys = strings.map { UnsafePointer($0.0) } + [nil]
        let values = strings.map { UnsafePointer($0.1) } + [nil]
        return PQconnectStartParams(keys, values, 0)
    }

    /// What libpq says of a failed attempt: the state where the server gave one, and its words without where in the
    /// server's source they come from.
    private static func refusal(_ handle: OpaquePointer, _ name: String) -> PostgresError {
        var lines = String(cString: PQerrorMessage(handle)).split(separator: "\n").map(String.init)
        lines.removeAll { $0.wholeMatch(of: #/[^:]+:  \S+, \S+\.c:\d+/#) != nil }
        let words = lines.joined(separator: " ")
        guard let match = words.firstMatch(of: #/:  ([0-9A-Z]{5}): /#) else {
            return PostgresError(.connection, "\(name): \(words)")
        }
        return PostgresError(
            .server(sqlState: String(match.1)),
            "\(name): \(words[..<match.range.lowerBound]): \(words[match.range.upperBound...])")
    }
}
