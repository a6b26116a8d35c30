import CLibpq

/// A blocking connection to PostgreSQL, for one thread at a time.
///
/// Every wait ends at the deadline. An error whose `losesConnection` is true closes the connection; after any other
/// error it can be used again.
package final class Connection {
    /// libpq's connection; nil when it is lost or closed.
    var handle: OpaquePointer?
    /// What is prepared here, by its name.
    var prepared: [String: PreparedStatement] = [:]
    /// What has arrived and was not asked for yet.
    var arrived: [(channel: String, payload: String)] = []
    /// How long an awaited answer may stay silent: `ConnectionSettings.deadline` until it is set otherwise.
    ///
    /// Migrations need more than daily work.
    package var deadline: Duration
    /// The server's version, such as 150018 for 15.18.
    package let serverVersion: Int
    /// Where it leads, for people.
    package let target: String
    /// The server's timeline as it was let in; 0 without a `ServerHistory`, and for a standby.
    package let timeline: UInt64

    /// Connects to the first host that lets us in and takes writes.
    ///
    /// Unless the URL has its own `target_session_attrs`, it is `read-write`: a standby is passed over. With a
    /// `ServerHistory` so is a server that another has replaced.
    ///
    /// - Throws: one error that names the reason of each host. Its kind is `server` or `deadline` when all hosts
    ///   agree on it, else `connection`.
    package init(_ settings: ConnectionSettings) throws(PostgresError) {
        let (handle, timeline) = try ConnectionAttempt.first(of: settings)
        self.handle = handle
        self.timeline = timeline
        deadline = settings.deadline
        serverVersion = Int(PQserverVersion(handle))
        target = settings.target
    }

    deinit {
        PQfinish(handle)
    }

    /// Whether nothing more can be done with this connection.
    package var isLost: Bool { handle == nil }

    /// A setting that the server reports by itself, such as `server_version` or `in_hot_standby`.
    package func parameterStatus(_ name: String) -> String? {
        handle.flatMap { PQparameterStatus($0, name) }.map { String(cString: $0) }
    }

    /// Ends the connection.
    ///
    /// Closing again does nothing.
    package func close() {
        PQfinish(handle)
        handle = nil
        prepared = [:]
    }

    /// The connection while there is one.
    func open() throws(PostgresError) -> OpaquePointer {
        guard let handle else { throw PostgresError(.connection, "The connection to \(target) is closed.") }
        return handle
    }

    /// Closes the connection and returns why, in libpq's words.
    func lost() -> PostgresError {
        let words = handle.map { String(cString: PQerrorMessage($0)) } ?? ""
        close()
        return PostgresError(
            .connection, "The connection to \(target) was lost: \(words.isEmpty ? "no reason given" : words)")
    }
}
