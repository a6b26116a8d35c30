import ArgumentParser
import Foundation
import Kaspa
import PostgresStore
import Store

/// `benchmarks drain`: takes and settles all that waits in one shard, as a process of its own.
///
/// It says that it is ready, begins when it is sent a line, and says what processor time it took.
struct DrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "drain", shouldDisplay: false)

    static let isReady = "ready"

    @Argument var url: String
    @Argument var shard: Int
    @Argument var count: Int

    func run() async throws {
        let location = PostgresStore.Location(url: url)
        var shardStore: StoreShard?
        let store: Store
        if shard == 0 {
            store = try PostgresStore.open(location, network: .mainnet)
        } else {
            let opened = try PostgresStore.openShard(shard, of: count, location, network: .mainnet)
            store = opened.store
            shardStore = opened
        }
        let waiting = Int(clamping: try await store.totals().deliveries)
        FileHandle.standardOutput.write(Data("\(Self.isReady) \(waiting)\n".utf8))
        _ = readLine()
        let before = CPUTime.own
        try await Taking.drain(store, waiting)
        FileHandle.standardOutput.write(Data("took \(CPUTime.own - before)\n".utf8))
        withExtendedLifetime(shardStore) {}
    }
}
