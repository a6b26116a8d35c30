import Postgres
import Store

extension StoreError {
    /// What PostgreSQL's error means for whoever uses the store.
    init(_ error: PostgresError) {
        let code: StoreError.Code =
            switch error.kind {
            case .connection, .deadline: .unavailable
            case .value: .corrupt
            case .server(let state):
                switch state {
                // Disk full, and other resources that the server lacks.
                case "53100", "53200": .lowSpace
                case "KP001": .locked
                // A damaged page or index.
                case "XX001", "XX002": .corrupt
                default: error.isRetryable ? .unavailable : .engine
                }
            }
        self.init(code, "PostgreSQL: \(error.description)")
    }
}

/// Runs `body` with the store's errors.
func checked<Result>(_ body: () throws(PostgresError) -> Result) throws(StoreError) -> Result {
    do {
        return try body()
    } catch {
        throw StoreError(error)
    }
}
