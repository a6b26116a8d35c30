import Postgres
import Store

/// Rows of the store's own `meta` that no process keeps in memory, through a connection on a thread of its own.
actor SharedRows: SharedValues {
    private nonisolated let executor = BlockingExecutor(label: "kasia.store.shared")
    private let read: Statement
    private let write: Statement
    private var connection: LastingConnection

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// `main` is the schema of the store itself.
    init(main: String, _ settings: ConnectionSettings) {
        let table = ShardSchema.quote(main) + ".meta"
        read = Statement("shared_read", "select record from \(table) where key = $1")
        write = Statement(
            "shared_write",
            """
            insert into \(table) as t (key, record) values ($1, $2)
            on conflict (key) do update set record = excluded.record where t.record = $3
            returning record
            """)
        connection = LastingConnection(settings)
    }

    func value(of key: [UInt8]) throws(StoreError) -> [UInt8]? {
        let read = read
        return try connection.ask { (connection) throws(PostgresError) in
            let rows = try connection.run([(read, [.bytes(key)])])[0]
            return rows.count > 0 ? rows.bytes(0, 0) : nil
        }
    }

    func replace(_ key: [UInt8], _ old: [UInt8]?, by new: [UInt8]) throws(StoreError) -> [UInt8] {
        let (read, write) = (read, write)
        return try connection.ask { (connection) throws(PostgresError) in
            // Twice after a lost answer: then the new one is found in its place.
            let answers = try connection.run([
                (WriterStatements.begin, []), (WriterStatements.durable, []),
                (write, [.bytes(key), .bytes(new), .bytes(old ?? [])]), (read, [.bytes(key)]),
                (WriterStatements.commit, []),
            ])
            return answers[2].count > 0 ? new : answers[3].bytes(0, 0)
        }
    }
}
