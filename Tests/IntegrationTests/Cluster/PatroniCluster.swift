import Foundation
import PostgresServer
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Three PostgreSQL members under Patroni and etcd, as `deploy/cluster` has them, on ports of 127.0.0.1.
///
/// They end with this object, or with this process.
final class PatroniCluster: Sendable {
    static let password = "kasia"
    private static let patience = Duration.seconds(120)

    let members: [PatroniMember]
    let etcd: [EtcdMember]
    private let folder: PatroniFolder

    /// Starts all; `waitUntilWhole` waits for them.
    init() throws {
        folder = try PatroniFolder()
        etcd = try EtcdMember.three(in: folder)
        members = try (1...3).map { [folder, etcd] in try PatroniMember($0, in: folder, etcd: etcd.map(\.port)) }
    }

    deinit {
        folder.clear()
        etcd.forEach { $0.kill() }
    }

    /// What Patroni says of a member.
    private struct Standing: Decodable {
        var name: String
        var role: String
        var state: String
        var timeline: Int?
    }

    private struct Answer: Decodable { var members: [Standing] }

    /// The member that takes writes, as far as any Patroni knows.
    func primary() async throws -> PatroniMember? {
        let leaders = try await standings().filter { $0.role == "leader" && $0.state == "running" }
        return members.first { $0.name == leaders.first?.name }
    }

    /// A member that follows; with `isSynchronous`, one whose answers the primary waits for.
    func standby(isSynchronous: Bool) async throws -> PatroniMember? {
        let roles = try await standings().filter { $0.role == (isSynchronous ? "sync_standby" : "replica") }
        return members.first { $0.name == roles.first?.name }
    }

    /// Who is what, and on which timeline.
    func summary() async -> String {
        let standings = (try? await standings()) ?? []
        return standings.map { "\($0.name) \($0.role) \($0.state) \($0.timeline.map(String.init) ?? "-")" }
            .joined(separator: ", ")
    }

    /// The last that each member wrote.
    var logs: String { members.map { "\($0.name) says:\n\($0.log)" }.joined(separator: "\n") }

    /// Returns when one is primary, the others follow it, and one of these synchronously.
    func waitUntilWhole() async throws {
        do {
            try await eventually("the cluster is whole", within: Self.patience) {
                let standings = try await standings()
                try await Task.sleep(for: .milliseconds(100))
                return standings.count == members.count
                    && standings.allSatisfy { $0.state == ($0.role == "leader" ? "running" : "streaming") }
                    && standings.contains { $0.role == "leader" } && standings.contains { $0.role == "sync_standby" }
            }
        } catch {
            ClusterLife.say(logs)
            throw error
        }
    }

    /// Hands the lead over to another member, as an operator does before a machine's upgrade.
    func switchOver() async throws {
        guard let primary = try await primary() else { return }
        let body = Data("{\"leader\":\"\(primary.name)\"}".utf8)
        let status = try await call(primary, "POST", "/switchover", body, timeout: 60).status
        guard status == 200 else { throw PatroniError("the switchover was refused: \(status)") }
    }

    private func standings() async throws -> [Standing] {
        for member in members {
            guard let (status, data) = try? await call(member, "GET", "/cluster", nil, timeout: 2), status == 200,
                let answer = try? JSONDecoder().decode(Answer.self, from: data)
            else { continue }
            return answer.members
        }
        return []
    }

    private func call(
        _ member: PatroniMember, _ method: String, _ path: String, _ body: Data?, timeout: TimeInterval
    ) async throws -> (status: Int, body: Data) {
        guard let url = URL(string: "http://127.0.0.1:\(member.directPort)\(path)") else { return (0, Data()) }
        var request = URLRequest(url: url, timeoutInterval: timeout)
        request.httpMethod = method
        request.httpBody = body
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, data)
    }
}
