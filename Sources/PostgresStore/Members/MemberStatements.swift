import Postgres

/// The list of the processes that share the store.
enum MemberStatements {
    /// The process that writes makes the list when it opens the store.
    static let table = """
        create table if not exists members (
          id uuid primary key,
          name text not null,
          version text not null,
          is_working boolean not null,
          up_seconds bigint not null,
          beats bigint not null
        ) with (fillfactor = 10);
        alter table members add column if not exists shards smallint[];
        """

    /// Whether there is a list.
    static let isListed = Statement(
        "members_listed",
        """
        select exists (
          select from pg_attribute where attrelid = to_regclass('members') and attname = 'shards' and not attisdropped)
        """)
    /// A sign of life; `$1` to `$5` are the first columns, `$7` is the last but `beats` if `$6`, else that is null.
    static let beat = Statement(
        "member_beat",
        """
        insert into members (id, name, version, is_working, up_seconds, shards, beats)
        values ($1, $2, $3, $4, $5, case when $6 then $7::smallint[] end, 0)
        on conflict (id) do update
        set is_working = excluded.is_working, up_seconds = excluded.up_seconds, shards = excluded.shards,
          beats = members.beats + 1
        """)
    /// Removes those of the name `$1` but `$2`.
    static let replace = Statement("member_replace", "delete from members where name = $1 and id <> $2")
    /// Removes `$1`, if its last sign of life is still `$2`.
    static let forget = Statement("member_forget", "delete from members where id = $1 and beats = $2")
    static let leave = Statement("member_leave", "delete from members where id = $1")
    static let all = Statement(
        "members_all",
        """
        select id, name, version, is_working, up_seconds, beats, coalesce(array_to_string(shards, ' '), '-')
        from members order by name, id
        """)
}
