import CLibpq
import FoundationEssentials

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Makes connections to one host after the other, each within a deadline of its own.
///
/// libpq can walk a list of hosts itself, but without a deadline when it does not block, and it then hangs on a paused
/// first host.
enum ConnectionAttempt {
    /// The first connection that can be made, and the server's timeline if there is a history.
    static func first(
        of settings: ConnectionSettings
    ) throws(PostgresError) -> (handle: OpaquePointer, timeline: UInt64) {
        let info = try ConnectionInfo(settings.url)
        var options = info.options
        if options["target_session_attrs"] == nil { options["target_session_attrs"] = "read-write" }
        if let file = settings.passwordFile { options["password"] = try password(in: file) }
        if !settings.applicationName.isEmpty { options["application_name"] = settings.applicationName }
        options["client_encoding"] = "UTF8"
        if !settings.session.isEmpty {
            let own = settings.session.map { "-c \(escaped($0.0))=\(escaped($0.1))" }
            options["options"] = ([options["options"]].compactMap { $0 } + own).joined(separator: " ")
        }
        for key in ["host", "hostaddr", "port"] { options[key] = nil }

        var errors: [PostgresError] = []
        let begin = settings.history?.first ?? 0
        for number in info.hosts.indices.map({ (begin + $0) % info.hosts.count }) {
            do throws(PostgresError) {
                let host = info.hosts[number]
                let name = ConnectionInfo.name(of: host)
                let handle = try connect(options.merging(host) { $1 }, name: name, settings.deadline)
                guard let history = settings.history else { return (handle, 0) }
                return (handle, try admit(handle, to: history, host: number, name, settings.deadline))
            } catch {
                errors.append(error)
            }
        }
        let kind = errors.allSatisfy { $0.kind == errors[0].kind } ? errors[0].kind : .connection
        throw PostgresError(kind, errors.map(\.message).joined(separator: "; "))
    }

    private static func connect(
        _ options: [String: String], name: String, _ deadline: Duration
    ) throws(PostgresError) -> OpaquePointer {
        let end = ContinuousClock.now + deadline
        guard let handle = start(options) else { throw PostgresError(.connection, "libpq is out of memory.") }
        do throws(PostgresError) {
            // libpq tells the SQLSTATE of a refused connection only in its words, and only when they are verbose.
            PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
            PQsetNoticeReceiver(handle, { _, _ in }, nil)
            var state = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
            while state != PGRES_POLLING_OK {
                guard state != PGRES_POLLING_FAILED else { throw refusal(handle, name) }
                let events = state == PGRES_POLLING_READING ? SocketEvents.readable : .writable
                guard SocketEvents.wait(for: events, on: PQsocket(handle), until: end) else {
                    throw PostgresError(.deadline, "\(name): no connection within \(deadline)")
                }
                state = PQconnectPoll(handle)
            }
            PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
            guard PQsetnonblocking(handle, 1) == 0 else { throw refusal(handle, name) }
            return handle
        } catch {
            PQfinish(handle)
            throw error
        }
    }

    /// Asks for the server's timeline; an error, and the connection is closed, if another server has replaced it.
    ///
    /// A standby has none of its own: it is 0.
    private static func admit(
        _ handle: OpaquePointer, to history: ServerHistory, host: Int, _ name: String, _ deadline: Duration
    ) throws(PostgresError) -> UInt64 {
        do throws(PostgresError) {
            let end = ContinuousClock.now + deadline
            guard PQsendQuery(handle, "select left(pg_walfile_name(pg_current_wal_lsn()), 8)") == 1 else {
                throw refusal(handle, name)
            }
            var timeline: UInt64 = 0
            while true {
                while PQisBusy(handle) == 1 {
                    guard SocketEvents.wait(for: .readable, on: PQsocket(handle), until: end) else {
                        throw PostgresError(.deadline, "\(name): no answer within \(deadline)")
                    }
                    guard PQconsumeInput(handle) == 1 else { throw refusal(handle, name) }
                }
                guard let result = PQgetResult(handle) else { break }
                if PQresultStatus(result) == PGRES_TUPLES_OK, let digits = PQgetvalue(result, 0, 0) {
                    timeline = UInt64(String(cString: digits), radix: 16) ?? 0
                }
                PQclear(result)
            }
            guard timeline == 0 || history.admit(timeline, host: host) else {
                throw PostgresError(
                    .connection,
                    "\(name) is a server that another has replaced (timeline \(timeline), and there was "
                        + "\(history.timeline))")
            }
            return timeline
        } catch {
            PQfinish(handle)
            throw error
        }
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

    /// The first line of the file.
    private static func password(in file: String) throws(PostgresError) -> String {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw PostgresError(.connection, "The password file \(file) cannot be read.")
        }
        var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }

    /// For `options`, where white space separates and a backslash keeps the next character as it is.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            if character == "\\" || character.isWhitespace { escaped.append("\\") }
            escaped.append(character)
        }
    }
}
