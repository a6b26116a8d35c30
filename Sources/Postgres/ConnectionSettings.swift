/// Where a database is, and how a connection to it behaves.
package struct ConnectionSettings: Sendable {
    /// A `postgresql://` URI or a conninfo string, as libpq takes it.
    ///
    /// It may name several hosts; each is asked by itself, in order, the next one when the one before has refused or kept
    /// silent for a quarter of a second, and the first that fits is taken. So `target_session_attrs=prefer-standby`
    /// prefers nothing, and hosts of a service file share one deadline.
    package var url: String
    /// A file whose first line is the password, read at each connect.
    ///
    /// Without one, the password comes from `url` or from libpq's own places (`PGPASSWORD`, `~/.pgpass`).
    package var passwordFile: String?
    /// What the server's lists show; empty: whatever `url` says.
    package var applicationName: String
    /// How long one host may take to let us in, and how long an awaited answer may stay silent.
    ///
    /// Looking up a host's name is not included: the system's resolver has limits of its own.
    package var deadline: Duration
    /// Run-time parameters (`synchronous_commit`, …), set for the session as it begins.
    package var session: [(String, String)]
    /// What the connections of this process have in common; with it, a server that another has replaced is passed over.
    package var history: ServerHistory?

    package init(
        url: String, passwordFile: String? = nil, applicationName: String = "", deadline: Duration = .seconds(3),
        session: [(String, String)] = []
    ) {
        self.url = url
        self.passwordFile = passwordFile
        self.applicationName = applicationName
        self.deadline = deadline
        self.session = session
    }

    /// Whether `url` holds a password.
    ///
    /// - Throws: `connection` when libpq cannot read it; the message quotes nothing of it.
    package func holdsPassword() throws(PostgresError) -> Bool { try ConnectionInfo(url).options["password"] != nil }

    /// Hosts, ports, database and user, for people; never a password.
    package var target: String {
        (try? ConnectionInfo(url))?.target ?? "an unreadable connection URL"
    }
}
