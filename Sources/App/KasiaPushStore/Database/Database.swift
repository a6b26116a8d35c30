import Dispatch

/// The one connection of a process, on a serial queue of its own: SQLite blocks, and the cooperative pool must not.
///
/// Not an actor, since `ContactLookup` needs a synchronous way in: on an actor with an executor of its own that is
/// `assumeIsolated` outside of a task, which traps before iOS 18.
final class Database: Sendable {
    /// How long a call waits for another process that writes.
    static let busyTimeoutMilliseconds: Int32 = 5_000

    private let queue = DispatchQueue(label: "KasiaPushStore", qos: .userInitiated)
    /// Read and written on the queue only; nil when closed.
    private nonisolated(unsafe) var connection: SQLiteConnection?

    /// Opens the file and brings it to the newest version.
    static func open(
        path: String, migrations: [String] = Schema.migrations, busyTimeoutMilliseconds: Int32 = busyTimeoutMilliseconds
    ) async throws(StoreError) -> Database {
        let database = Database()
        try await database.onQueue { () throws(StoreError) in
            let path = try StoreFile.resolve(path)
            let connection = try SQLiteConnection(path: path, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
            try connection.prepare(migrations, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
            database.connection = connection
        }
        return database
    }

    /// Runs the closure on one snapshot of the database.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await onQueue { () throws(StoreError) in
            let connection = try self.opened()
            return try connection.readTransaction { () throws(StoreError) in try body(connection) }
        }
    }

    /// Runs the closure in one transaction, which is rolled back when it throws.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteConnection) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        try await onQueue { () throws(StoreError) in
            let connection = try self.opened()
            return try connection.writeTransaction { () throws(StoreError) in try body(connection) }
        }
    }

    /// Reads on the calling thread's time, after what is on the queue.
    ///
    /// Never called from within a closure of ours.
    func readBlocking<Value>(_ body: (SQLiteConnection) throws(StoreError) -> Value) throws(StoreError) -> Value {
        dispatchPrecondition(condition: .notOnQueue(queue))
        return try queue.sync { () -> Result<Value, StoreError> in
            Result { () throws(StoreError) in
                let connection = try opened()
                return try connection.readTransaction { () throws(StoreError) in try body(connection) }
            }
        }.get()
    }

    /// Closes the connection after what is on the queue.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.connection = nil
                continuation.resume()
            }
        }
    }

    private func opened() throws(StoreError) -> SQLiteConnection {
        guard let connection else { throw StoreError(.closed) }
        return connection
    }

    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, StoreError>, Never>) in
            queue.async { continuation.resume(returning: Result { () throws(StoreError) in try body() }) }
        }
        return try result.get()
    }
}
