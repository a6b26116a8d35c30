import PostgresStore
import Store

/// Which shards a process may take, and whether it gives one up, by what the processes say of themselves.
///
/// It keeps the shares even and decides nothing else: that a shard has one sender is the store's part.
struct ShardShares {
    /// How many shards there are.
    let count: Int
    /// How many each of the living sends for, this process among them, and their names.
    private let loads: [String: Int]
    /// `members` are the processes as they were last seen.
    init(count: Int, members: [ClusterMember]) {
        self.count = count
        var loads: [String: Int] = [:]
        for member in members where member.state != .silent {
            // One that takes none, as its version or its settings say, has no share.
            guard let shards = member.shards else { continue }
            loads[member.name, default: 0] += shards.count + (member.state == .working ? 1 : 0)
        }
        self.loads = loads
    }

    /// Who takes shards.
    var names: Set<String> { Set(loads.keys) }

    /// The most that one process needs to send for.
    private var share: Int { (count + max(loads.count, 1) - 1) / max(loads.count, 1) }

    /// Whether a process that sends for `load` shards takes one more.
    func mayTake(load: Int) -> Bool { load < share }

    /// Whether a process of this name that sends for `load` shards gives one up, as another has too few.
    func givesUp(load: Int, name: String) -> Bool {
        load > share && loads.contains { $0.key != name && $0.value < count / loads.count }
    }
}
