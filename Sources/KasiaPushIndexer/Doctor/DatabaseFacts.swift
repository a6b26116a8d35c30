import Foundation
import Postgres
import PostgresStore

/// What a database server says of itself, and what is to be thought of it.
struct DatabaseFacts: Equatable, Sendable {
    /// The tolerated difference between the server's clock and this machine's, milliseconds.
    static let toleratedSkew: Int64 = 60_000
    /// The write-ahead log below which checkpoints come so often that each makes the next registrations dear, bytes.
    static let enoughLog: Int64 = 6 << 30
    /// The time between checkpoints below which the same is so, seconds.
    static let enoughTime: Int64 = 900
    /// The pause of autovacuum above which queues are tidied up too late, seconds.
    static let longestNap: Int64 = 5

    /// The process that has the lock of those who write.
    struct Writer: Equatable, Sendable {
        var name: String
        /// Its machine; nil: the server's own, or one that this role may not see.
        var address: String?
    }

    /// The server's time less this machine's, milliseconds.
    var skew: Int64 = 0
    /// Both `fsync` and `full_page_writes`.
    var isSafe = true
    var autovacuum = true
    /// `track_counts`.
    var countsRows = true
    /// Seconds.
    var autovacuumNap: Int64 = 5
    /// `max_wal_size`, bytes.
    var logSize: Int64 = 6 << 30
    /// Seconds.
    var checkpointTimeout: Int64 = 900
    /// `synchronous_standby_names`; empty: nobody is waited for.
    var synchronousNames = ""
    /// Connected standbys, whatever their kind.
    var standbys: Int64 = 0
    /// Those of them that commits wait for; nil where this role may not see it.
    var synchronousStandbys: Int64?
    /// `max_connections`.
    var connections: Int64 = 100
    /// `store.shards`.
    var shards = 1
    /// Whether the connection is encrypted, or does not leave the machine.
    var isPrivate = true
    /// nil: nobody writes.
    var writer: Writer?

    /// What is well and what is not; of durability and encryption only what is not.
    var findings: [Finding] {
        [
            clock, durability, standby, vacuum, checkpoints, encryption, room,
            Finding(.ok, "database lock", writer.map { "\($0) writes" } ?? "no process writes to the store"),
        ].compactMap { $0 }
    }

    private var clock: Finding {
        let seconds = abs(skew) / 1_000
        guard abs(skew) > DatabaseFacts.toleratedSkew else {
            return Finding(.ok, "database clock", "the server's differs by \(seconds) s")
        }
        return Finding(
            .warn, "database clock", "the server's is \(seconds) s \(skew < 0 ? "behind" : "ahead")",
            todo: "set both clocks (timedatectl set-ntp true): the service uses its own, but the logs do not agree")
    }

    private var durability: Finding? {
        isSafe
            ? nil
            : Finding(
                .warn, "database durability", "fsync or full_page_writes is off",
                todo: "set both to on: without them a crash of its machine may destroy the database")
    }

    private var standby: Finding {
        let subject = "database standby"
        if synchronousNames.isEmpty {
            return standbys == 0
                ? Finding(.ok, subject, "none: with the server's disk all is lost that is not in a backup")
                : Finding(
                    .warn, subject, "\(standbys) connected, and no commit waits for one",
                    todo:
                        "set synchronous_standby_names (Patroni: synchronous_mode): else a failover may lose what was "
                        + "answered, an ended registration among it")
        }
        switch synchronousStandbys {
        case nil:
            return Finding(
                .ok, subject, "commits wait for \(synchronousNames); whether it is there, only pg_monitor may see")
        case 0:
            return Finding(
                .fail, subject, "commits wait for \(synchronousNames), and no such standby is connected",
                todo: "bring it back, or take it out of synchronous_standby_names: until then nothing is written")
        case let count?:
            return Finding(.ok, subject, "commits wait for \(synchronousNames), \(count) connected")
        }
    }

    private var vacuum: Finding {
        let subject = "database vacuum"
        guard autovacuum else {
            return Finding(
                .warn, subject, "autovacuum is off",
                todo: "set autovacuum = on: rows change all the time, and their tables grow without end")
        }
        guard countsRows else {
            return Finding(
                .warn, subject, "track_counts is off",
                todo: "set track_counts = on: without it neither the server nor the service knows what to vacuum")
        }
        return autovacuumNap > DatabaseFacts.longestNap
            ? Finding(
                .warn, subject, "autovacuum_naptime is \(autovacuumNap) s",
                todo: "set it to \(DatabaseFacts.longestNap)s: else a busy queue is tidied up too late")
            : Finding(.ok, subject, "autovacuum runs every \(autovacuumNap) s")
    }

    private var checkpoints: Finding {
        let text = "max_wal_size \(ByteCount(UInt64(max(0, logSize)))), checkpoint_timeout \(checkpointTimeout) s"
        return logSize < DatabaseFacts.enoughLog || checkpointTimeout < DatabaseFacts.enoughTime
            ? Finding(
                .warn, "database checkpoints", text,
                todo: "set max_wal_size to 6GB or more and checkpoint_timeout to 15min or more: after each checkpoint "
                    + "writing costs several times as much for a while")
            : Finding(.ok, "database checkpoints", text)
    }

    /// The connections that all processes may need together: of the store itself, and of each shard beside it.
    static func neededConnections(shards: Int) -> Int64 { 30 + 15 * Int64(shards - 1) }

    private var room: Finding? {
        let needed = DatabaseFacts.neededConnections(shards: shards)
        guard connections < needed else { return nil }
        return Finding(
            .warn, "database connections", "max_connections is \(connections)",
            todo:
                "set it to \(needed) or more for store.shards = \(shards): else a process may be refused at a takeover")
    }

    private var encryption: Finding? {
        isPrivate
            ? nil
            : Finding(
                .warn, "database connection", "is not encrypted, and holds device tokens",
                todo: "add sslmode=verify-full to store.url, and sslrootcert=FILE for an authority of your own")
    }
}

extension DatabaseFacts.Writer: CustomStringConvertible {
    var description: String { name + (address.map { " at \($0)" } ?? "") }
}

extension DatabaseFacts {
    /// Asks the server, in the schema of the connection.
    init(_ connection: Connection) throws(PostgresError) {
        self.init()
        let before = Date()
        let rows = try connection.query(DatabaseFacts.settings, [])
        let here = Int64((before.timeIntervalSince1970 + Date().timeIntervalSince1970) * 500)
        skew = try rows.int64(0, 0) - here
        isSafe = try rows.bool(0, 1)
        autovacuum = try rows.bool(0, 2)
        autovacuumNap = try rows.int64(0, 3)
        logSize = try rows.int64(0, 4)
        checkpointTimeout = try rows.int64(0, 5)
        synchronousNames = try rows.text(0, 6)
        standbys = try rows.int64(0, 7)
        synchronousStandbys = rows.isNull(0, 8) ? nil : try rows.int64(0, 8)
        isPrivate = try rows.bool(0, 9)
        countsRows = try rows.bool(0, 10)
        connections = try rows.int64(0, 11)
        let holder = try connection.query(DatabaseFacts.holder, [.int64(PostgresStore.lockKey)])
        if holder.count > 0 {
            writer = Writer(
                name: try holder.text(0, 0), address: holder.isNull(0, 1) ? nil : try holder.text(0, 1))
        }
    }

    private static let settings = """
        select (extract(epoch from clock_timestamp()) * 1000)::bigint,
          current_setting('fsync')::boolean and current_setting('full_page_writes')::boolean,
          current_setting('autovacuum')::boolean,
          extract(epoch from current_setting('autovacuum_naptime')::interval)::bigint,
          pg_size_bytes(current_setting('max_wal_size')),
          extract(epoch from current_setting('checkpoint_timeout')::interval)::bigint,
          current_setting('synchronous_standby_names'),
          (select count(*) from pg_stat_replication),
          case when pg_has_role(current_user, 'pg_read_all_stats', 'usage')
            then (select count(*) from pg_stat_replication where sync_state in ('sync', 'quorum')) end,
          inet_server_addr() is null or inet_server_addr() << '127.0.0.0/8' or inet_server_addr() = '::1'
            or coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false),
          current_setting('track_counts')::boolean,
          current_setting('max_connections')::bigint
        """

    /// Who has the lock of the schema's store; `$1`: its key.
    private static let holder = """
        select coalesce(a.application_name, ''), host(a.client_addr)
        from (select hashtextextended(current_schema(), $1) as key) k
        cross join pg_locks l
        join pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'advisory' and l.classid = (k.key >> 32 & 4294967295)::oid
          and l.objid = (k.key & 4294967295)::oid and a.datname = current_database()
        """
}
