import Postgres
import Store

/// One connection, which is made anew after it was lost.
struct LastingConnection {
    private let settings: ConnectionSettings
    /// What a new one begins with.
    private let begin: String?
    private var connection: Connection?

    init(_ settings: ConnectionSettings, begin: String? = nil) {
        self.settings = settings
        self.begin = begin
    }

    /// Asks; what was lost while it waited, or leads to a server that was replaced, is asked again on a new one.
    mutating func ask<Answer>(_ body: (Connection) throws(PostgresError) -> Answer) throws(StoreError) -> Answer {
        let (settings, begin, old) = (settings, begin, connection)
        connection = nil
        let (answer, used) = try checked { () throws(PostgresError) -> (Answer, Connection) in
            if let old, !old.isLost, old.timeline >= settings.history?.timeline ?? 0 {
                do throws(PostgresError) {
                    return (try body(old), old)
                } catch {
                    guard error.losesConnection else { throw error }
                }
            }
            settings.history?.passOver()
            let new = try Connection(settings)
            if let begin { try new.execute(script: begin) }
            return (try body(new), new)
        }
        connection = used
        return answer
    }
}
