import Postgres

/// What every writing transaction begins and ends with, and how a process becomes the one that writes.
enum WriterStatements {
    /// The key of the lock that says that a process writes to this database: "kasiapsh" in ASCII.
    static let lockKey: Int64 = 0x6b61_7369_6170_7368

    static let begin = Statement("begin", "begin")
    static let commit = Statement("commit", "commit")
    /// For a transaction that must outlive a crash of the server, and with a synchronous standby the server itself.
    static let durable = Statement("durable", "set local synchronous_commit = on")
    /// `$1`: who writes; `$2`: the number of this transaction.
    static let hold = Statement("hold_writer", "select hold_writer($1, $2)")
    /// The same where the row is known to stand at the place `$3`; answers with its new place, empty if it stood at
    /// another.
    static let holdAt = Statement(
        "hold_writer_at",
        """
        with held as (
          update writer set batch = $2, heartbeat = heartbeat + 1 where ctid = $3::tid and incarnation = $1
          returning ctid)
        select coalesce((select ctid::text from held), hold_writer($1, $2)::text)
        """)
    /// Where the row stands.
    static let place = Statement("writer_place", "select ctid::text from writer where one")
    /// A sign of life while nothing is written; with `$2`, that this process is at work no more.
    ///
    /// `$1`: who writes. The row's new place; no row: another process writes.
    static let heartbeat = Statement(
        "writer_heartbeat",
        """
        update writer set heartbeat = heartbeat + 1, is_released = $2 where one and incarnation = $1
        returning ctid::text
        """)
    /// The last sign of life, and whether the store was released.
    static let lastHeartbeat = Statement(
        "writer_last_heartbeat", "select incarnation, heartbeat, is_released from writer where one")
    /// Who wrote last, and the number of its last transaction.
    static let last = Statement("writer_last", "select incarnation, batch from writer where one")
    /// `$1`: who writes from now on.
    static let takeOver = Statement(
        "writer_take_over",
        """
        update writer set incarnation = $1, heartbeat = heartbeat + 1, is_released = false where one returning batch
        """)
    /// The same, if `$2` and `$3` are still the last heartbeat's process and number; no row: they are not.
    static let takeOverExpired = Statement(
        "writer_take_over_expired",
        """
        update writer set incarnation = $1, heartbeat = heartbeat + 1, is_released = false
        where one and incarnation = $2 and heartbeat = $3 returning batch
        """)
    /// `$1`: `lockKey`; a schema has one store.
    static let lock = Statement("writer_lock", "select pg_try_advisory_lock(hashtextextended(current_schema(), $1))")
    /// Ends the connection that holds the lock, if nothing has been asked through it for ten seconds.
    ///
    /// `$1`: `lockKey`.
    static let endSilentHolder = Statement(
        "writer_end_silent_holder",
        endsHolder + "and a.state <> 'active' and a.state_change < clock_timestamp() - interval '10 s'")
    /// Ends the connection that holds the lock, if it is of a certain process.
    ///
    /// `$1`: `lockKey`; `$2`: the application name of that process.
    static let endHolder = Statement(
        "writer_end_holder",
        endsHolder + "and a.application_name = $2")
    /// `$1`: `lockKey`; more conditions on its connection `a` follow.
    private static let endsHolder = """
        select pg_terminate_backend(a.pid)
        from (select hashtextextended(current_schema(), $1) as key) k
        cross join pg_locks l
        join pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'advisory' and l.classid = (k.key >> 32 & 4294967295)::oid
          and l.objid = (k.key & 4294967295)::oid and a.datname = current_database()
          and a.pid <> pg_backend_pid()

        """
}
