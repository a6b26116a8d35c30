import Clocks
import Logging
import PostgresStore
import Push
import ServiceLifecycle
import Store

/// Finishes what is half-way in a store that is to be shared out otherwise: hands events out and sends, as the store is
/// shared out now, but follows no chain and answers nobody.
struct ShardDrain {
    /// How long one round runs before the change is tried again, and how many there are.
    private static let (length, rounds) = (Duration.seconds(1), 60)

    let configuration: IndexerConfiguration
    let watch: StandbyWatch?
    let machine: MachineClock
    let givenClock: ServiceClock?
    let logger: Logger

    /// Opens a store, after as many rounds as it takes until that is not `.unfinished` any more.
    ///
    /// Errors: those of `open`, and `StoreError` for what else goes wrong.
    func open(_ open: @Sendable () async throws(StoreError) -> Store) async throws(StoreError) -> Store {
        for round in 0..<ShardDrain.rounds {
            do throws(StoreError) {
                return try await open()
            } catch {
                guard error.code == .unfinished else { throw error }
                if round == 0 { logger.notice("service.shards.finishing", metadata: ["reason": "\(error)"]) }
            }
            do {
                try await runRound()
            } catch let error as StoreError {
                throw error
            } catch {
                throw StoreError(.engine, "\(error)")
            }
        }
        return try await open()
    }

    private func runRound() async throws {
        var closings: [StoreClosing] = []
        do {
            let store = try await configuration.store.open(
                network: configuration.network.type, limits: configuration.store.limits, standby: watch)
            closings.append(store.closing)
            let signer = try IndexerParts.makeSigner(configuration.push)
            let kept = try await store.clockReading()
            let clock = givenClock ?? ServiceClock(machine, kept: kept)
            let carriers = try ConfiguredCarriers(configuration, signer: signer, store: store, clock: clock)
            let dispatcher = Dispatcher(
                store: store, carriers: carriers.all, configuration: PushConfiguration(configuration), clock: clock,
                logger: logger)
            var services: [any Service] = [
                PushPipeline(dispatcher: dispatcher, carriers: carriers, ringer: nil),
                ShardReports(registry: DeviceRegistry(store: store, inFlight: dispatcher.inFlight, clock: clock)),
            ]
            for number in store.shards.others {
                let shard = try await configuration.store.openShard(number, of: store)
                closings.append(shard.store.closing)
                services += try await ShardParts(
                    shard, configuration, signer: signer, machine: machine, givenClock: givenClock,
                    isChainFollowed: false
                ).services
            }
            let running = IndexerService.group(services, configuration.push, logger)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await running.run() }
                tasks.addTask {
                    try? await Task.sleep(for: ShardDrain.length)
                    await running.triggerGracefulShutdown()
                }
                try await tasks.waitForAll()
            }
        }
        for closing in closings { _ = await closing.wait(atMost: .seconds(10)) }
    }
}
