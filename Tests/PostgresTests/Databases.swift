import Postgres
import PostgresServer

/// A connection to the shared server: to a fresh database, or to one where no test makes anything.
///
/// A fresh database stays until the server ends, so that no test waits for its removal.
func connection(
    isFresh: Bool = false, deadline: Duration = .seconds(30), session: [(String, String)] = []
) throws -> Connection {
    let server = try PostgresServer.shared()
    let url = server.url(database: isFresh ? try server.makeDatabase() : "postgres")
    return try Connection(ConnectionSettings(url: url, deadline: deadline, session: session))
}

/// The error that `body` throws; nil when it throws none, or another type.
func postgresError<Result>(_ body: () throws -> Result) -> PostgresError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? PostgresError
    }
}
