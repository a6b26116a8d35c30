import APNsSandbox
import Foundation
import KaspadReplay
import Testing

/// A machine that sleeps: the process stands still while the world goes on.
@Suite("Stopped processes")
struct StoppedProcessTests {
    @Test("stopped until all its connections are gone, it recovers by itself", .timeLimit(.minutes(5)))
    func stopped() async throws {
        try await FaultWorld.with { faults in
            let world = faults.world
            let indexer = try await IndexerProcess(environment: world.environment)
            try await faults.registerAll(indexer.rest)
            await world.replay.advance(to: 400)
            try await world.sandbox.waitForNotifications(count: 20)
            indexer.process.signal(SIGSTOP)
            world.sandbox.closeConnections()
            world.replay.disconnectAll()
            try await eventually("its connections are closed") {
                world.sandbox.counts.openConnections == 0 && world.replay.sessionCount == 0
            }
            await world.replay.advanceToEnd()
            indexer.process.signal(SIGCONT)
            try await faults.expectAll(mayRepeat: true)
            try await faults.expectAllRegistered(indexer.rest)
            #expect(await indexer.end(SIGTERM) == 0)
        }
    }
}
