import Store

/// The tables as they are made in an empty database, and what older ones lack.
///
/// PostgreSQL 14 or later.
///
/// What rows mean is in `Store`'s `Schema.swift`: here they are keys and records. Three tables are this engine's own: what
/// the database is, who writes to it, and which processes share it (`MemberStatements`).
enum SchemaScript {
    /// The version of the tables below; `SchemaVersion` is that of the rows.
    ///
    /// 2 keeps the log's days apart, and leaves the vacuum of what waits to the service; 3 that of events and of the
    /// devices' states, too.
    static let layout: Int64 = 3
    /// The version while the store is shared out: an older program, which knows no shards, would send twice.
    static let sharedLayout: Int64 = 4

    /// What is in the main schema only: the history, and what the registry has beside registrations.
    static let tables = """
        create table store_layout (
          one boolean primary key default true check (one),
          version bigint not null
        );
        insert into store_layout (version) values (3);

        create table operations (key bytea primary key, record bytea not null) with (fillfactor = 90);
        create table accepted (key bytea primary key, record bytea not null);
        create table group_bindings (key bytea primary key, record bytea not null);
        create table enqueued (key bytea primary key, record bytea not null);
        create table enqueued_by_time (key bytea primary key, record bytea not null);
        create table wallet_devices (key bytea primary key, record bytea not null);
        create table operation_lists (key bytea primary key, record bytea not null);
        create table unresolved (key bytea primary key, record bytea not null);
        create table unresolved_times (key bytea primary key, record bytea not null);
        create table transfers (key bytea primary key, record bytea not null);
        create table reverted (key bytea primary key, record bytea not null);
        create table retractions (key bytea primary key, record bytea not null);
        create table changes (key bytea primary key, record bytea not null);
        create table unconfirmed (key bytea primary key, record bytea not null);
        create table used_nonces (key bytea primary key, record bytea not null);
        create table released_bindings (key bytea primary key, record bytea not null);
        create table watchers (subject uuid, device uuid, primary key (subject, device));

        -- A fillfactor leaves room in the page for what updates change again and again.
        -- Payloads are encrypted: trying to compress them is lost work.
        alter table operations alter record set storage external;

        alter table unconfirmed set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
        alter table used_nonces set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

        """ + sender

    /// What each shard has: who writes, what is to be sent, and the registrations that it is sent by.
    static let sender = """
        -- The one process that writes, and the number of its last transaction: whose answer is lost, asks here.
        -- `heartbeat` grows while it is at work; one that stands by takes over when it has stood still for the time of a
        -- lease, or when the store was released.
        create table writer (
          one boolean primary key default true check (one),
          incarnation uuid not null,
          batch bigint not null,
          heartbeat bigint not null,
          is_released boolean not null
        ) with (fillfactor = 10);
        insert into writer (incarnation, batch, heartbeat, is_released) values (gen_random_uuid(), 0, 0, true);

        -- The first statement of every writing transaction: it fails when another process has taken over.
        create function hold_writer(mine uuid, next bigint) returns void language plpgsql as $$
        begin
          update writer set batch = next, heartbeat = heartbeat + 1 where one and incarnation = mine;
          if not found then
            raise exception 'another process writes to this store' using errcode = 'KP001';
          end if;
        end $$;

        create table meta (key bytea primary key, record bytea not null) with (fillfactor = 20);
        create table devices (key bytea primary key, record bytea not null) with (fillfactor = 90);
        create table device_states (key bytea primary key, record bytea not null) with (fillfactor = 70);
        create table events (key bytea primary key, record bytea not null);
        create table deliveries (key bytea primary key, record bytea not null);
        create table schedule (key bytea primary key, record bytea not null);
        create table dead_letters (key bytea primary key, record bytea not null);
        create table recent_funds (key bytea primary key, record bytea not null);

        """ + queue + eventsAndStates + log

    /// What is inserted once and deleted once leaves dead rows at the pace of the traffic: the service vacuums it
    /// (`QueueUpkeep`), and autovacuum only if that is not enough.
    private static let queue = """

        alter table deliveries set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000000,
          autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0,
          autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000);
        alter table schedule set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000000,
          autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0,
          autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000);

        """

    /// The same of the two others that change at that pace.
    private static let eventsAndStates = """

        alter table events set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000000,
          autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0);
        alter table device_states set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000000,
          autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 0);

        """

    /// The log, a partition a day, which is emptied as a whole when all of it is old: `slot` is the day's number modulo
    /// `LogSlots.count`.
    private static let log = """
        create table delivery_log (
          slot smallint not null, key bytea not null, record bytea not null, primary key (key, slot)
        ) partition by list (slot);
        create table delivery_log_by_time (
          slot smallint not null, key bytea not null, record bytea not null, primary key (key, slot)
        ) partition by list (slot);
        do $$
        begin
          for slot in 0..\(LogSlots.count - 1) loop
            execute format('create table delivery_log_%s partition of delivery_log for values in (%s)
              with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)', slot, slot);
            execute format('create table delivery_log_by_time_%s partition of delivery_log_by_time for values in (%s)
              with (autovacuum_vacuum_scale_factor = 0.05)', slot, slot);
          end loop;
        end $$;
        """

    /// What brings the tables of an older layout to this one.
    static func migration(from layout: Int64) -> String {
        (layout < 2 ? fromLayoutOne : "") + eventsAndStates + "update store_layout set version = \(Self.layout);"
    }

    /// From layout 1 to 2, within one transaction; takes some ten seconds for a million rows of the log.
    private static let fromLayoutOne = """
        alter table delivery_log rename to old_log;
        alter index delivery_log_pkey rename to old_log_pkey;
        alter table delivery_log_by_time rename to old_times;
        alter index delivery_log_by_time_pkey rename to old_times_pkey;

        """ + queue + log + """

            insert into delivery_log_by_time (slot, key, record)
            select (('x' || encode(substr(key, 1, 8), 'hex'))::bit(64)::bigint / \(LogDay.length)) % \(LogSlots.count), key, record
            from old_times;
            insert into delivery_log (slot, key, record)
            select t.slot, l.key, l.record from delivery_log_by_time t join old_log l on l.key = substr(t.key, 9);
            -- Rows whose time is missing: `check --repair` finds them.
            insert into delivery_log (slot, key, record)
            select 0, l.key, l.record from old_log l where not exists (select from delivery_log n where n.key = l.key);
            drop table old_log, old_times;
            """
}
