import Foundation
import PostgresServer
import Testing

/// One of several processes on one store in PostgreSQL, with a folder and a port of its own.
///
/// The port stays the same whether it works or stands by.
final class StandbyProcess: Sendable {
    let process: LaunchedIndexer
    let rest: RESTClient
    let environment: [String: String]

    /// Starts it, and returns when its port is open: as one that works, or one that stands by.
    init(_ number: Int, in world: World, url: String, more: [String: String] = [:]) async throws {
        let port = try Int(FreePort.find())
        environment = world.environment.merging([
            "STORE_URL": url, "STORE_STANDBY": "true", "HTTP_PORT": "\(port)",
            "STORE_PATH": world.folder.appendingPathComponent("process-\(number)").path,
        ]) { $1 }.merging(more) { $1 }
        process = try LaunchedIndexer(environment: environment)
        rest = try await process.listening()
        try #require(rest.port == port)
    }

    /// What `/ready` says of the store; nil while the port is closed for a moment.
    var store: String? {
        get async { try? await rest.readiness().store }
    }

    /// Whether it stands by while another one works.
    var standsBy: Bool {
        get async { await store?.hasPrefix("another process works on the store at ") == true }
    }

    /// What a read of the history says, once it is answered: a process that has just begun to stand by opens the store
    /// first.
    func read(_ path: String) async throws -> String {
        var text = ""
        try await eventually("\(path) is answered", within: .seconds(30)) {
            let answer = try await rest.send("GET", path)
            text = String(decoding: answer.body, as: UTF8.self)
            return answer.status == 200
        }
        return text
    }

    /// Returns when it works and is ready; logs what it took.
    func waitUntilReady(after what: String) async throws {
        let begin = ContinuousClock.now
        do {
            try await eventually("the other one is ready", within: .seconds(60)) {
                (try? await self.rest.readiness())?.isReady == true
            }
        } catch {
            print("standby test: never ready after \(what)")
            printState()
            throw error
        }
        print("standby test: ready \(ContinuousClock.now - begin) after \(what)")
    }

    /// Prints whether it runs and what it has logged.
    func printState() {
        let status = process.status.map(String.init) ?? "none"
        print("standby test: the process on port \(rest.port), exit status \(status):")
        print(process.logged)
    }

    /// The processes that its status page lists, each by its port and state, in the order of their states.
    func members() async throws -> [String] {
        struct Status: Decodable {
            struct Member: Decodable {
                var name: String
                var state: String
            }
            var members: [Member]
        }
        let answer = try await rest.send("GET", "/status.json")
        guard answer.status == 200 else { return [] }
        return try JSONDecoder().decode(Status.self, from: Data(answer.body)).members
            .map { "\($0.state) \($0.name.split(separator: ":").last ?? "")" }.sorted()
    }

    /// The value of `kasia_standby`.
    func standbyMetric() async throws -> Int? {
        let text = String(decoding: try await rest.send("GET", "/metrics/prometheus").body, as: UTF8.self)
        return text.firstMatch(of: /\nkasia_standby (\d)\n/).flatMap { Int($0.1) }
    }
}
