import APNsSandbox
import Clocks
import Foundation
import KaspadReplay
import Store
import Synchronization
import Testing

/// The service on a machine whose wall clock is wrong: nothing is lost to it.
@Suite("A wrong clock", .timeLimit(.minutes(10)))
struct ClockTests {
    private static let hour: Int64 = 3_600_000

    /// A machine whose wall clock a test sets.
    private final class Machine: Sendable {
        private let error: Mutex<Int64>

        init(ahead: Int64) { error = Mutex(ahead) }

        func set(ahead: Int64) { error.withLock { $0 = ahead } }

        var clock: MachineClock {
            MachineClock(
                wall: { UInt64(max(0, Int64(MachineClock.system.wall()) + self.error.withLock { $0 })) },
                uptime: MachineClock.system.uptime)
        }
    }

    private func clockPart(_ indexer: RunningIndexer) async throws -> (status: Int, state: String) {
        let answer = try await indexer.rest.send("GET", "/ready")
        let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        let parts = try #require(object?["parts"] as? [String: [String: Any]])
        return (answer.status, try #require(parts["clock"]?["state"] as? String))
    }

    @Test(
        "A start a day ahead or behind, or years: /ready says so, and everything is pushed, to who registers meanwhile too",
        arguments: [
            (25 * hour, "25 hours ahead of"), (-25 * hour, "24 hours behind"),
            (2 * 365 * 24 * hour, "730 days ahead of"),
        ])
    func wrongAtTheStart(ahead: Int64, words: String) async throws {
        // Apple takes no token of the future, so the chain must not be ahead of it.
        try await FaultWorld.with(ahead: -30_000) { faults in
            let machine = Machine(ahead: ahead)
            try await faults.world.withIndexer(machine: machine.clock) { indexer in
                await faults.world.replay.advance(to: 100)
                try await eventually("the wrong clock is seen") {
                    let (status, state) = try await clockPart(indexer)
                    return status == 503 && state.contains(words)
                }
                try await faults.registerAll(indexer.rest)
                await faults.world.replay.advance(to: 400)
                try await faults.world.sandbox.waitForNotifications(count: 5)
                machine.set(ahead: 0)
                try await eventually("the clock is right again") {
                    let (status, state) = try await clockPart(indexer)
                    return status == 200 && state == "ok"
                }
                await faults.world.replay.advanceToEnd()
                try await faults.expectAll(mayRepeat: false)
                #expect(try await indexer.store.outbox.books().deliveriesExpired == 0)
            }
        }
    }

    @Test(
        "Eight days ahead for a while, with Apple unavailable, and over a restart: what waits is sent, what was told is kept"
    )
    func wrongWhileItWaits() async throws {
        try await FaultWorld.with(ahead: -30_000) { faults in
            // A little behind, so that no block is older than a registration.
            let machine = Machine(ahead: -330_000)
            let unavailable = SandboxRule(.answer(SandboxAnswer(status: 503, reason: "ServiceUnavailable")))
            let token = try #require(faults.golden.devices.first).token
            try await faults.world.withIndexer(machine: machine.clock) { indexer in
                try await faults.registerAll(indexer.rest)
                await faults.world.replay.advance(to: 400)
                try await faults.world.sandbox.waitForNotifications(count: 5)
                faults.world.sandbox.addRule(unavailable)
                await faults.world.replay.advanceToEnd()
                try await eventually("something waits") { try await indexer.store.totals().deliveries > 3 }
                machine.set(ahead: 8 * 24 * ClockTests.hour)
                let attempts = faults.world.sandbox.counts.requests
                try await eventually("some are tried again") { faults.world.sandbox.counts.requests > attempts + 5 }
            }
            try await faults.world.withIndexer(machine: machine.clock) { indexer in
                faults.world.sandbox.removeAllRules()
                try await faults.expectAll(mayRepeat: false)
                machine.set(ahead: 0)
                let books = try await indexer.store.outbox.books()
                #expect(books.deliveriesExpired == 0 && books.deliveriesDead == 0)
                let missed = try await indexer.rest.send("GET", "/v1/push/missed?device_token=\(token)")
                let object = try JSONSerialization.jsonObject(with: missed.body) as? [String: Any]
                let items = try #require(object?["items"] as? [[String: Any]])
                let expected = faults.golden.notifications.filter { $0.token == token }.count
                #expect(items.count == expected)
            }
        }
    }
}
