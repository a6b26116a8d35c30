import Foundation
import PostgresServer
import Synchronization

/// A machine of the cluster: Patroni, its PostgreSQL, and its network.
///
/// The other members reach it by `database` and `api`, and it reaches each etcd by a link of its own. The indexers have
/// links of their own to `databasePort`.
final class PatroniMember: Sendable {
    let name: String
    /// What the other members connect to.
    let database: NetworkLink
    /// Patroni's REST port as the other members know it.
    let api: NetworkLink
    private let etcd: [NetworkLink]
    /// Patroni's REST port as the test knows it, which cannot be cut.
    let directPort: UInt16
    private let ports: (database: UInt16, api: UInt16)
    /// Of this member; PostgreSQL runs in `data` in it.
    private let folder: String
    private let cluster: PatroniFolder
    private let patroni = Mutex<pid_t?>(nil)
    let clock: JumpingClock

    init(_ number: Int, in cluster: PatroniFolder, etcd: [UInt16]) throws {
        name = "db\(number)"
        self.cluster = cluster
        folder = try cluster.makeFolder(name)
        ports = (try FreePort.find(), try FreePort.find())
        database = try NetworkLink(to: ports.database)
        api = try NetworkLink(to: ports.api)
        self.etcd = try etcd.map { try NetworkLink(to: $0) }
        directPort = ports.api
        clock = JumpingClock(in: URL(fileURLWithPath: folder))
        try start()
    }

    /// Where PostgreSQL listens.
    var databasePort: UInt16 { ports.database }

    /// Starts Patroni, which starts PostgreSQL; nothing when it runs.
    func start() throws {
        try patroni.withLock { patroni in
            guard patroni == nil else { return }
            let environment = [
                "PATRONI_NAME": name, "PATRONI_SCOPE": "kasia",
                "PATRONI_RESTAPI_LISTEN": "127.0.0.1:\(ports.api)",
                "PATRONI_RESTAPI_CONNECT_ADDRESS": "127.0.0.1:\(api.port)",
                "PATRONI_POSTGRESQL_LISTEN": "127.0.0.1:\(ports.database)",
                "PATRONI_POSTGRESQL_CONNECT_ADDRESS": "127.0.0.1:\(database.port)",
                "PATRONI_POSTGRESQL_DATA_DIR": "\(folder)/data", "PATRONI_POSTGRESQL_PGPASS": "\(folder)/pgpass",
                "PATRONI_SUPERUSER_PASSWORD": "superuser", "PATRONI_REPLICATION_PASSWORD": "replication",
                "KASIA_PASSWORD": PatroniCluster.password,
            ]
            let configuration = try cluster.writeConfiguration(for: self, etcd: etcd.map(\.port), folder)
            patroni = try cluster.start(
                ["/usr/bin/python3", "-m", "patroni", configuration], in: folder,
                environment.merging(clock.environment(with: cluster.clockLibrary)) { $1 })
        }
    }

    /// SIGKILL of PostgreSQL's processes; Patroni is there.
    func killServer() {
        // The postmaster first, and then it starts no more.
        for process in serverProcesses { kill(process, SIGSTOP) }
        for process in serverProcesses { kill(process, SIGKILL) }
    }

    /// SIGKILL of all, as when the machine loses its power.
    func killMachine() {
        patroni.withLock { patroni in
            guard let process = patroni else { return }
            kill(process, SIGKILL)
            Command.wait(for: process)
            patroni = nil
        }
        killServer()
    }

    /// SIGSTOP of all.
    func pause() { signalAll(SIGSTOP) }

    func resume() { signalAll(SIGCONT) }

    /// Cuts it off from the other members and from etcd, or joins it with them again; indexers still reach it.
    func set(isCut: Bool) {
        for link in [database, api] + etcd { link.set(isCut: isCut) }
    }

    private var serverProcesses: [pid_t] { ServerFolder.processes(in: "\(folder)/data") }

    private func signalAll(_ signal: Int32) {
        patroni.withLock { patroni in
            if let process = patroni { kill(process, signal) }
        }
        for process in serverProcesses { kill(process, signal) }
    }

    /// What Patroni and PostgreSQL wrote last.
    var log: String { cluster.log(in: folder) }
}
