import Foundation
import KaspadReplay

/// How many parts of the cluster die, and in which order.
struct ClusterPlan: Sendable {
    /// `CLUSTER_TEST_ROUNDS`; without it the test is not run.
    let rounds: Int
    /// `CLUSTER_TEST_SEED` repeats what a run printed.
    let seed: UInt64
    /// Every kind of fault, or those that `CLUSTER_TEST_FAULTS` names, by commas.
    let faults: [ClusterFault]
    /// Entries of the generated recording for each round: some two hundred notifications.
    static let blocksPerRound = 60

    static let isAsked = ProcessInfo.processInfo.environment["CLUSTER_TEST_ROUNDS"] != nil

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        rounds = environment["CLUSTER_TEST_ROUNDS"].flatMap { Int($0) } ?? 5
        seed = environment["CLUSTER_TEST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9_999_999)
        let names = environment["CLUSTER_TEST_FAULTS"].map { $0.split(separator: ",").map(String.init) }
        faults = names.map { $0.compactMap(ClusterFault.init) } ?? ClusterFault.allCases
    }

    var blocks: Int { max(100, rounds * ClusterPlan.blocksPerRound) }
    /// As many for each block as the crash test has: what waits for one device stays within its limits.
    var wallets: Int { 36 * max(600, blocks) / 600 }
    /// A round takes half a minute at most on a quiet machine.
    var minutes: Int { 8 + rounds * 2 }

    /// All kinds in a random order, then all again.
    func order(_ random: inout SeededRandom) -> [ClusterFault] {
        var order: [ClusterFault] = []
        while order.count < rounds { order += faults.shuffled(using: &random) }
        return Array(order.prefix(rounds))
    }
}

/// What happens to a part of the cluster.
enum ClusterFault: String, CaseIterable, Sendable {
    /// SIGTERM, as at an upgrade.
    case activeStopped
    case activeKilled
    /// SIGSTOP for longer than its lease.
    case activePaused
    /// The network between it and all databases.
    case activeCut
    case activeClock
    /// The other one, which sends for two of the three shards.
    case standbyKilled
    case standbyPaused
    case standbyCut
    case standbyClock
    /// An operator hands the lead over.
    case switchover
    /// PostgreSQL's processes, by SIGKILL.
    case primaryKilled
    /// Patroni and PostgreSQL, by SIGKILL.
    case primaryMachineKilled
    /// Both, by SIGSTOP.
    case primaryPaused
    /// Its network to the other members and to etcd; the indexers still reach it.
    case primaryCut
    case primaryClock
    case synchronousKilled
    case synchronousPaused
    case replicaClock
    /// One of the three etcd, by SIGKILL.
    case etcdKilled
    /// One of them, by SIGSTOP.
    case etcdPaused
}
