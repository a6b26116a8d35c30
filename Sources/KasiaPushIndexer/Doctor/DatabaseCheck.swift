import Dispatch
import Foundation
import Postgres
import PostgresStore

/// Checks the database server that keeps the rows: whether it is reached, and whether it is set up to keep them well.
struct DatabaseCheck: Sendable {
    private static let subject = "database"

    let server: PostgresStore.Location
    /// `store.shards`.
    let shards: Int

    /// The findings; the first says whether the server can be used at all.
    ///
    /// Asks on a thread of its own, for three seconds and as many more as a host may take.
    func findings() async -> [Finding] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async { continuation.resume(returning: ask()) }
        }
    }

    private func ask() -> [Finding] {
        do throws(PostgresError) {
            let connection = try Connection(
                ConnectionSettings(
                    url: server.url, passwordFile: server.passwordFile,
                    applicationName: "kasia-push-indexer doctor"))
            let version = DatabaseCheck.version(connection.serverVersion, at: connection.target)
            guard version.level != .fail else { return [version] }
            var facts = try DatabaseFacts(connection)
            facts.shards = shards
            return [version] + facts.findings
        } catch {
            return [DatabaseCheck.unreachable(error)]
        }
    }

    /// The finding for a server's version, such as 150018 for 15.18.
    static func version(_ version: Int, at target: String) -> Finding {
        let text = "\(target): PostgreSQL \(version / 10_000).\(version % 10_000)"
        let oldest = PostgresStore.oldestServer
        return version / 10_000 >= oldest
            ? Finding(.ok, subject, text)
            : Finding(.fail, subject, text, todo: "PostgreSQL \(oldest) or later is needed: upgrade the server")
    }

    /// The finding for a server that does not let us in, or does not answer.
    static func unreachable(_ error: PostgresError) -> Finding {
        let todo =
            switch error.kind {
            case .server(let state) where state.hasPrefix("28"):
                "check the role in store.url, its password (store.password_path) and the server's pg_hba.conf"
            case .server("3D000"): "create the database, or correct store.url"
            case .server: "see what the server says; its log may say more"
            case .connection, .deadline:
                "check that the server runs, that store.url names it, and that no firewall is between; at least one "
                    + "host must be a primary"
            case .value: "please report this"
            }
        return Finding(.fail, subject, "\(error)", todo: todo)
    }
}
