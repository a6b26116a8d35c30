import API
import BuildInfo
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Logging
import Metrics
import PostgresStore
import ServiceLifecycle
import Store
import Synchronization
import Troubles

/// Gives signs of life to the processes that share the store, and keeps what is known of them for `/`, metrics and log.
final class Membership: Sendable {
    private static let interval = Duration.seconds(1)

    private struct State {
        var isWorking = false
        var shards: [Int]?
        var members: [ClusterMember] = []
        var silent: Set<String> = []
    }

    /// This process's host and REST port.
    let name: String
    private let cluster: ClusterMembership
    private let metrics: PrometheusRegistry
    private let logger: Logger
    private let trouble = SharedTrouble()
    private let state = Mutex(State())

    /// nil for a store in a directory, which has one process; `watch` is that of the process when it stands by.
    init?(_ configuration: IndexerConfiguration, watch: StandbyWatch?, metrics: PrometheusRegistry, logger: Logger) {
        guard let server = configuration.store.server else { return nil }
        name = "\(Membership.hostName):\(configuration.http.port)"
        cluster = ClusterMembership(server, name: name, version: Build.version, watch: watch)
        self.metrics = metrics
        self.logger = logger
    }

    /// The members as they were last seen.
    var members: [ClusterMember] { state.withLock { $0.members } }

    /// Whether this process works on the store itself, as it said last.
    var isWorking: Bool { state.withLock { $0.isWorking } }

    /// Says which shards besides that of the store itself this process sends for; nil: it takes none.
    func set(shards: [Int]?) { state.withLock { $0.shards = shards } }

    /// Meets the others once a second, until it is told to stop.
    func service(isWorking: Bool) -> any Service { Meetings(membership: self, isWorking: isWorking) }

    /// Takes this process from the list, as it ends in order.
    func leave() async { await cluster.leave() }

    private struct Meetings: Service {
        let membership: Membership
        let isWorking: Bool

        func run() async {
            await cancelWhenGracefulShutdown {
                while !Task.isCancelled {
                    await membership.meet(isWorking: isWorking)
                    try? await Task.sleep(for: Membership.interval)
                }
            }
        }
    }

    private func meet(isWorking: Bool) async {
        do throws(StoreError) {
            let shards = state.withLock { state in
                state.isWorking = isWorking
                return state.shards
            }
            note(try await cluster.meet(isWorking: isWorking, shards: shards))
            if let summary = trouble.over() { logger.notice("service.members.reached", metadata: summary) }
        } catch {
            guard let summary = trouble.met(error.message) else { return }
            let metadata: Logger.Metadata = ["error.message": "\(error.message)"]
            logger.warning("service.members.not_reached", metadata: metadata.adding(summary))
        }
    }

    private func note(_ members: [ClusterMember]) {
        let silent = Set(members.lazy.filter { $0.state == .silent }.map(\.name))
        let present = Set(members.lazy.filter { $0.state != .silent }.map(\.name))
        let before = state.withLock { state in
            defer { (state.members, state.silent) = (members, silent) }
            return state.silent
        }
        for name in silent.subtracting(before) {
            logger.warning("service.member.silent", metadata: ["member": "\(name)"])
        }
        for name in before.subtracting(silent).intersection(present) {
            logger.notice("service.member.back", metadata: ["member": "\(name)"])
        }
        for state in ClusterMember.State.allCases {
            let count = members.count { $0.state == state }
            Gauge(label: "kasia_cluster_members", dimensions: [("state", state.rawValue)], factory: metrics).record(
                count)
        }
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "unknown" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension StatusFacts.Member {
    /// As the status page shows it.
    init(_ member: ClusterMember, isShared: Bool) {
        let own = member.state == .working && isShared ? [0] : []
        self.init(
            name: member.name, state: member.state.rawValue, version: member.version,
            uptimeSeconds: UInt64(clamping: member.uptime.components.seconds),
            silentSeconds: UInt64(clamping: member.silence.components.seconds), shards: own + (member.shards ?? []))
    }
}
