import Foundation
import PostgresServer
import Synchronization
import Testing

/// A place for an indexer in the cluster: its way to each database, its clock, and the process that is there now.
final class ClusterIndexer: Sendable {
    private let number: Int
    private let world: World
    private let links: [NetworkLink]
    private let process: Mutex<StandbyProcess?> = Mutex(nil)
    let clock: JumpingClock

    init(_ number: Int, in world: World, _ cluster: PatroniCluster) throws {
        self.number = number
        self.world = world
        links = try cluster.members.map { try NetworkLink(to: $0.databasePort) }
        clock = JumpingClock(in: world.folder)
    }

    var current: StandbyProcess {
        get throws { try #require(process.withLock { $0 }) }
    }

    /// Starts a process if none runs, as its supervisor does.
    func start() async throws {
        if let running = process.withLock({ $0 }), running.process.status == nil { return }
        let url = "postgresql://kasia@\(links.map { "127.0.0.1:\($0.port)" }.joined(separator: ","))/kasia"
        let more = ["PGPASSWORD": PatroniCluster.password, "STORE_SHARDS": "3"].merging(clock.environment) { $1 }
        let started = try await StandbyProcess(number, in: world, url: url, more: more)
        process.withLock { $0 = started }
    }

    /// What apps call; they do not wait forever.
    var rest: RESTClient? {
        guard let running = process.withLock({ $0 }), running.process.status == nil else { return nil }
        return RESTClient(port: running.rest.port, isImpatient: true)
    }

    /// Whether it works with the store; `/ready` also minds clocks, which are wrong here.
    var isActive: Bool {
        get async {
            guard let port = rest?.port else { return false }
            return (try? await RESTClient(port: port, isImpatient: true).readiness())?.store == "ok"
        }
    }

    var standsBy: Bool {
        get async {
            guard rest != nil, let process = process.withLock({ $0 }) else { return false }
            return await process.standsBy
        }
    }

    /// Cuts its way to all databases, or makes it whole again.
    func set(isCut: Bool) {
        for link in links { link.set(isCut: isCut) }
    }
}
