import FoundationEssentials
import Glibc
import Synchronization

/// A PostgreSQL server for tests: in a temporary folder, on a Unix socket, as an unprivileged user.
///
/// It ends with this object or with this process, whichever is first, and its folder goes with it.
public final class PostgresServer: Sendable {
    /// How long a server may take to start or to stop.
    static let patience = Duration.seconds(30)

    let installation: PostgresInstallation
    let folder: ServerFolder
    /// Its TCP port on 127.0.0.1; nil: Unix socket only.
    public let port: UInt16?
    private let password: String?
    /// The postmaster's process id; nil when it does not run.
    private let postmaster = Mutex<pid_t?>(nil)

    /// The server that all tests of this process share, started at first use.
    ///
    /// - Throws: why there is none, at each call anew.
    public static func shared() throws -> PostgresServer {
        try sharedResult.get()
    }

    private static let sharedResult = Result { try PostgresServer() }

    /// Whether PostgreSQL is installed.
    public static var isAvailable: Bool { version != nil }

    /// The major version of what is installed.
    public static var version: Int? { (try? PostgresInstallation.find())?.version }

    /// Makes a database cluster and starts a server on it.
    ///
    /// - Parameters:
    ///   - settings: lines of `postgresql.conf` that differ from a small server's.
    ///   - fsync: whether writes are synced, to a disk; a killed server loses nothing either way. Without, the data
    ///     is in memory where there is enough, so what writes gigabytes should have it.
    ///   - password: asked of everybody (SCRAM); nil: everybody is trusted.
    ///   - isOnTCP: whether it also listens on a free port of 127.0.0.1.
    ///   - files: files to write into the data folder, such as certificates, by name.
    /// - Throws: what is not installed, or what the programs say.
    public init(
        settings: [String: String] = [:], fsync: Bool = false, password: String? = nil, isOnTCP: Bool = false,
        files: [String: String] = [:]
    ) throws {
        installation = try PostgresInstallation.find()
        folder = try ServerFolder(owner: installation.owner, isInMemory: !fsync)
        port = isOnTCP ? try FreePort.find() : nil
        self.password = password
        var access = ["-A", "trust"]
        if let password {
            let file = "\(folder.path)/password"
            guard FileManager.default.createFile(atPath: file, contents: Data("\(password)\n".utf8)) else {
                throw PostgresServerError("\(file) cannot be written.")
            }
            access = ["-A", "scram-sha-256", "--pwfile=\(file)"]
        }
        try Command.run(
            installation.asUser + ["\(installation.programs)/initdb", "-D", folder.data, "-U", "postgres"]
                + ["--no-sync", "-E", "UTF8", "--locale=C"] + access)
        var lines = [
            "listen_addresses": port == nil ? "" : "127.0.0.1", "port": "\(port ?? 5432)",
            "unix_socket_directories": folder.path, "shared_buffers": "32MB", "max_connections": "200",
            "max_wal_size": "256MB", "fsync": fsync ? "on" : "off", "autovacuum": "on",
        ]
        lines.merge(settings) { $1 }
        let text = lines.map { "\($0) = '\($1.replacing("'", with: "''"))'\n" }.sorted().joined()
        try folder.write(text, to: "postgresql.conf", owner: installation.owner)
        for (name, contents) in files { try folder.write(contents, to: name, owner: installation.owner) }
        try start()
    }

    deinit {
        folder.clear()
        if let process = postmaster.withLock({ $0 }) { Command.wait(for: process) }
    }

    /// The URI of a database on the server's Unix socket, as the superuser `postgres`.
    public func url(database: String) -> String {
        let path = Self.percentEncoded(folder.path)
        return "postgresql://postgres@\(path):\(port ?? 5432)/\(Self.percentEncoded(database))"
    }

    /// The URI of a database over TCP.
    public func tcpURL(database: String) -> String {
        guard let port else { preconditionFailure("this server was not made to listen on TCP") }
        return "postgresql://postgres@127.0.0.1:\(port)/\(Self.percentEncoded(database))"
    }

    /// Ids of all processes that run in its folder: the postmaster, those of connections, and those of upkeep.
    public var processes: [Int32] { folder.processes }

    /// Starts it again, on the same data, and waits until it lets clients in.
    public func start() throws {
        try postmaster.withLock { postmaster in
            precondition(postmaster == nil, "the server runs already")
            let log = open(folder.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
            let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
            defer {
                close(log)
                close(nothing)
            }
            let process = try Command.start(
                installation.asUser + ["\(installation.programs)/postgres", "-D", folder.data], input: nothing,
                output: log)
            let end = ContinuousClock.now + Self.patience
            let ask = ["\(installation.programs)/pg_isready", "-q", "-h", folder.path, "-p", "\(port ?? 5432)"]
            while (try? Command.run(ask)) == nil {
                guard !Command.hasEnded(process) else { throw failure("The server ended as it started") }
                guard ContinuousClock.now < end else {
                    Glibc.kill(process, SIGKILL)
                    Command.wait(for: process)
                    throw failure("The server did not start within \(Self.patience)")
                }
                usleep(5_000)
            }
            postmaster = process
        }
    }

    /// A fast shutdown: clients are thrown out, data is written.
    public func stop() throws {
        try postmaster.withLock { postmaster in
            guard let process = postmaster else { return }
            Glibc.kill(process, SIGINT)
            let end = ContinuousClock.now + Self.patience
            while !Command.hasEnded(process) {
                guard ContinuousClock.now < end else {
                    throw failure("The server did not stop within \(Self.patience)")
                }
                usleep(5_000)
            }
            postmaster = nil
        }
    }

    /// SIGKILL of the postmaster and its children, as when the machine's memory is full; returns when all are gone.
    public func kill() {
        postmaster.withLock { postmaster in
            guard let process = postmaster else { return }
            // Its children last would tell their clients that it is gone; a stopped postmaster starts no new ones.
            Glibc.kill(process, SIGSTOP)
            while folder.processes.contains(where: { $0 != process }) {
                for child in folder.processes where child != process { Glibc.kill(child, SIGKILL) }
                usleep(1_000)
            }
            Glibc.kill(process, SIGKILL)
            Command.wait(for: process)
            postmaster = nil
        }
    }

    /// SIGSTOP of all its processes: connections stay open, nothing answers.
    public func pause() {
        postmaster.withLock { postmaster in
            guard let process = postmaster else { return }
            // The postmaster first, and then it forks no more.
            Glibc.kill(process, SIGSTOP)
            signalAll(SIGSTOP)
        }
    }

    /// Lets a paused server go on.
    public func resume() {
        signalAll(SIGCONT)
    }

    /// Runs SQL as the superuser, statement by statement, and returns what psql prints.
    ///
    /// - Throws: psql's words at the first statement that fails.
    @discardableResult
    public func run(_ sql: String, database: String = "postgres") throws -> String {
        try Command.run(
            ["\(installation.programs)/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql]
                + [url(database: database)],
            environment: password.map { ["PGPASSWORD=\($0)"] } ?? [])
    }

    private func signalAll(_ signal: Int32) {
        for process in folder.processes { Glibc.kill(process, signal) }
    }

    private func failure(_ what: String) -> PostgresServerError {
        let log = FileManager.default.contents(atPath: folder.log) ?? Data()
        return PostgresServerError("\(what); its log ends: \(String(decoding: log.suffix(2000), as: UTF8.self))")
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = byte < 128 && (Character(UnicodeScalar(byte)).isLetter || byte >= 48 && byte <= 57)
            return isPlain || byte == UInt8(ascii: "_")
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
