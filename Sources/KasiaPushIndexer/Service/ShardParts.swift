import Carriers
import Clocks
import Logging
import PostgresStore
import Push
import ServiceLifecycle
import Store

/// What sends for one shard other than 0, connected but not running.
struct ShardParts: Sendable {
    /// From the carriers back to where the orders come from, so that the latter stops first.
    let services: [any Service]

    /// Takes over all that the shard was told before; nothing is sent yet.
    ///
    /// `isChainFollowed` says that a process does so now: then what it says of the clock is new. Errors: `StartError`,
    /// `StoreError`.
    init(
        _ shard: StoreShard, _ configuration: IndexerConfiguration, signer: PushSigner?, machine: MachineClock,
        givenClock: ServiceClock?, isChainFollowed: Bool
    ) async throws {
        let store = shard.store
        let reading = try await shard.clockReading()
        // What this shard has written may be later, if the process that follows the chain was killed.
        let kept = try await [reading, store.clockReading()].compactMap(\.self).max { $0.service < $1.service }
        let clock = givenClock ?? ServiceClock(machine, kept: kept)
        if isChainFollowed, let reading { clock.hear(chainTime: reading.chain) }
        let carriers = try ConfiguredCarriers(configuration, signer: signer, store: store, clock: clock)
        var push = PushConfiguration(configuration)
        // Shard 0 tells of an event once it is confirmed, and of corrections when they are due.
        push.confirmations = 0
        push.retractions = false
        let logger = Logger(label: "kasia.push")
        let dispatcher = Dispatcher(
            store: store, carriers: carriers.all, configuration: push, clock: clock, shard: shard.number, logger: logger
        )
        let intake = ShardIntake(store: store, source: shard, dispatcher: dispatcher, logger: logger)
        try await intake.catchUp()
        services = [
            PushPipeline(dispatcher: dispatcher, carriers: carriers, ringer: nil),
            WriteAheadLogSync(store: store, logger: Logger(label: "kasia.store")), intake,
            ShardClock(shard: shard, clock: clock, first: reading), ShardReplacement(store: store),
        ]
    }
}

/// Keeps a shard's clock right by what the process that follows the chain has heard.
private struct ShardClock: Service {
    private static let interval = Duration.seconds(1)

    let shard: StoreShard
    let clock: ServiceClock
    /// What was read before.
    let first: ClockReading?

    func run() async {
        await cancelWhenGracefulShutdown {
            var last = first
            while !Task.isCancelled {
                clock.adjust()
                // A store that cannot be read is reported elsewhere. What stands still was written by a process that is gone.
                if let reading = try? await shard.clockReading(), reading != last {
                    clock.hear(chainTime: reading.chain)
                    last = reading
                }
                try? await Task.sleep(for: ShardClock.interval)
            }
        }
    }
}

/// Ends when another process has taken the shard over, as after a pause: the store refuses everything by then.
private struct ShardReplacement: Service {
    private static let interval = Duration.milliseconds(250)

    let store: Store

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if let trouble = store.trouble, trouble.code == .stopped { throw trouble }
                try? await Task.sleep(for: ShardReplacement.interval)
            }
        }
    }
}
