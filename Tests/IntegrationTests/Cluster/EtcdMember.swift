import Foundation
import PostgresServer
import Synchronization
import Testing

/// One of the three that agree on who is primary.
final class EtcdMember: Sendable {
    /// Where Patroni asks it.
    let port: UInt16
    private let arguments: [String]
    private let place: String
    private let folder: PatroniFolder
    private let process = Mutex<pid_t?>(nil)

    /// Starts three that know each other, and waits until they have agreed on their version: a Patroni that asks before
    /// ends itself.
    static func three(in folder: PatroniFolder) throws -> [EtcdMember] {
        let peers = try (1...3).map { ("etcd\($0)", "http://127.0.0.1:\(try FreePort.find())") }
        let cluster = peers.map { "\($0)=\($1)" }.joined(separator: ",")
        let members = try peers.map { try EtcdMember($0, peer: $1, of: cluster, in: folder) }
        let end = ContinuousClock.now + patience
        while try !members.allSatisfy({ try $0.hasAgreed() }) {
            guard ContinuousClock.now < end else {
                throw PatroniError("etcd has not agreed: \(folder.log(in: members[0].place))")
            }
            Thread.sleep(forTimeInterval: 0.05)
        }
        return members
    }

    private static let patience = Duration.seconds(60)

    private struct Version: Decodable { var etcdcluster: String }

    private func hasAgreed() throws -> Bool {
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/version"))
        guard let answer = try? Data(contentsOf: url) else { return false }
        return try JSONDecoder().decode(Version.self, from: answer).etcdcluster != "not_decided"
    }

    private init(_ name: String, peer: String, of cluster: String, in folder: PatroniFolder) throws {
        self.folder = folder
        place = try folder.makeFolder(name)
        port = try FreePort.find()
        let client = "http://127.0.0.1:\(port)"
        arguments = [
            "etcd", "--name", name, "--data-dir", "\(place)/etcd", "--listen-client-urls", client,
            "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", cluster,
        ]
        try start()
    }

    /// Starts it anew with what it has on disk; nothing when it runs.
    func start() throws {
        try process.withLock { process in
            if process == nil { process = try folder.start(arguments, in: place, [:]) }
        }
    }

    /// SIGKILL.
    func kill() {
        process.withLock { running in
            guard let process = running else { return }
            signal(process, SIGKILL)
            Command.wait(for: process)
            running = nil
        }
    }

    /// SIGSTOP.
    func pause() { process.withLock { if let process = $0 { signal(process, SIGSTOP) } } }

    func resume() { process.withLock { if let process = $0 { signal(process, SIGCONT) } } }

    private func signal(_ process: pid_t, _ signal: Int32) { _ = Foundation.kill(process, signal) }
}
