import APNsSandbox
import Foundation
import KaspadReplay
import PostgresServer
import Testing

/// Real processes on one store that is shared out: each sends for a part of the devices.
@Suite("Several processes that send for one store", .timeLimit(.minutes(10)))
struct ShardedStoreTests {
    /// The node's entries after which something happens.
    private static let (first, early) = (40, 400)
    private static let shards = 4

    /// Runs `body` between a node and Apple, on a database of its own, with one process that follows the chain and has
    /// registered every device, and one that stands by, once both send for their share.
    private func withPair(
        _ body: @Sendable @escaping (FaultWorld, _ first: StandbyProcess, _ second: StandbyProcess) async throws -> Void
    ) async throws {
        let server = try PostgresServer()
        let url = server.url(database: "postgres")
        let more = ["STORE_SHARDS": "\(Self.shards)"]
        try await FaultWorld.with { faults in
            let first = try await StandbyProcess(1, in: faults.world, url: url, more: more)
            try await faults.registerAll(first.rest)
            let second = try await StandbyProcess(2, in: faults.world, url: url, more: more)
            do {
                #expect(await second.standsBy)
                // Nobody sends before the chain has said what time it is.
                #expect(try await first.heldShards() == [])
                await faults.world.replay.advance(to: Self.first)
                try await eventually("each has its share", within: .seconds(60)) {
                    let (mine, others) = (try await first.heldShards(), try await second.heldShards())
                    return mine.count == 1 && others.count == 2 && Set(mine + others) == [1, 2, 3]
                }
                try await body(faults, first, second)
            } catch {
                for process in [first, second] { process.printState() }
                throw error
            }
        }
    }

    private func expectBalancedBooks(_ environment: [String: String]) async throws {
        let check = try await Executable.run(["check"], environment: environment)
        #expect(check.status == 0 && check.output.contains("Shard 3 of 4:"), "\(check.output)")
    }

    @Test("each sends for its share: every push comes once, and a device that has unregistered gets no more")
    func together() async throws {
        try await withPair { faults, first, second in
            let world = faults.world
            await world.replay.advance(to: Self.early)
            try await world.sandbox.waitForNotifications(count: 20)
            await world.replay.advanceToEnd()
            try await faults.expectAll(mayRepeat: false)
            // Apple is asked by both, with one provider token.
            #expect(try await second.delivered() > 0)
            #expect(try await first.delivered() + second.delivered() == world.sandbox.notifications.count)
            #expect(world.sandbox.requests.allSatisfy { $0.reason != "TooManyProviderTokenUpdates" })
            for device in faults.golden.devices {
                let answer = try await first.rest.send(
                    "DELETE", "/v1/push/unregister", Data(#"{"device_token":"\#(device.token)"}"#.utf8))
                #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            }
            #expect(await first.process.end(SIGTERM) == 0)
            try await second.waitUntilReady(after: "SIGTERM")
            #expect(await second.process.end(SIGTERM) == 0)
            try await expectBalancedBooks(second.environment)
        }
    }

    @Test("one that sends is killed: the other takes its shards, and repeats only what was in flight")
    func senderKilled() async throws {
        try await withPair { faults, first, second in
            let world = faults.world
            await world.replay.advance(to: Self.early)
            try await world.sandbox.waitForNotifications(count: 20)
            #expect(await second.process.end(SIGKILL) == SIGKILL)
            let begin = ContinuousClock.now
            await world.replay.advanceToEnd()
            try await eventually("its shards are taken", within: .seconds(60)) {
                try await first.heldShards() == [1, 2, 3]
            }
            print("shard test: taken \(ContinuousClock.now - begin) after SIGKILL")
            try await faults.expectAll(mayRepeat: true)
            try await faults.expectAllRegistered(first.rest)
            #expect(await first.process.end(SIGTERM) == 0)
            try await expectBalancedBooks(first.environment)
        }
    }

    @Test(
        "the one that follows the chain is killed: the other does both, and goes on sending for its own shards meanwhile"
    )
    func followerKilled() async throws {
        try await withPair { faults, first, second in
            let world = faults.world
            await world.replay.advance(to: Self.early)
            try await world.sandbox.waitForNotifications(count: 20)
            let own = Set(try await second.heldShards())
            #expect(await first.process.end(SIGKILL) == SIGKILL)
            // On a busy machine the end takes so long that it may have the third by now.
            let held = try await second.heldShards()
            #expect(own.count == 2 && own.isSubset(of: held), "\(own), then \(held)")
            try await second.waitUntilReady(after: "SIGKILL")
            await world.replay.advanceToEnd()
            try await faults.expectAll(mayRepeat: true)
            try await eventually("it has all shards", within: .seconds(60)) {
                try await second.heldShards() == [1, 2, 3]
            }
            #expect(await second.process.end(SIGTERM) == 0)
            try await expectBalancedBooks(second.environment)
        }
    }

    @Test("the number of shards is changed in the middle of traffic, there and back: every push comes once")
    func changed() async throws {
        try await withPair { faults, first, second in
            let world = faults.world
            await world.replay.advance(to: Self.early)
            let url = first.environment["STORE_URL"] ?? ""
            for (number, running) in [(2, [first, second]), (1, [])] {
                for process in running { process.process.signal(SIGTERM) }
                for process in running { #expect(await process.process.ended() == 0) }
                let next = try await StandbyProcess(
                    10 + number, in: world, url: url, more: ["STORE_SHARDS": "\(number)"])
                do {
                    try await next.waitUntilReady(after: "a change to \(number) shards")
                    let seen = world.sandbox.notifications.count
                    await world.replay.advance(to: Self.early + (world.replay.entryCount - Self.early) / (number + 1))
                    try await eventually("it sends") { world.sandbox.notifications.count > seen }
                    if number == 1 {
                        await world.replay.advanceToEnd()
                        try await faults.expectAll(mayRepeat: false)
                    }
                } catch {
                    next.printState()
                    throw error
                }
                #expect(await next.process.end(SIGTERM) == 0)
                if number == 1 {
                    let check = try await Executable.run(["check"], environment: next.environment)
                    #expect(check.status == 0 && !check.output.contains("Shard "), "\(check.output)")
                }
            }
        }
    }

    @Test("one that sends is stopped and another one started: shards are given up and taken without a repeat")
    func exchanged() async throws {
        try await withPair { faults, first, second in
            let world = faults.world
            await world.replay.advance(to: Self.early)
            try await world.sandbox.waitForNotifications(count: 20)
            #expect(await second.process.end(SIGTERM) == 0)
            await world.replay.advance(to: (Self.early + world.replay.entryCount) / 2)
            try await eventually("its shards are taken", within: .seconds(60)) {
                try await first.heldShards() == [1, 2, 3]
            }
            let third = try await StandbyProcess(
                3, in: world, url: first.environment["STORE_URL"] ?? "", more: ["STORE_SHARDS": "\(Self.shards)"])
            try await eventually("the new one has its share", within: .seconds(60)) {
                try await third.heldShards().count == 2
            }
            await world.replay.advanceToEnd()
            try await faults.expectAll(mayRepeat: false)
            #expect(await first.process.end(SIGTERM) == 0)
            try await third.waitUntilReady(after: "SIGTERM")
            #expect(await third.process.end(SIGTERM) == 0)
            try await expectBalancedBooks(third.environment)
        }
    }
}

extension StandbyProcess {
    /// The shards besides the store itself for which it sends, as its log says.
    func heldShards() async throws -> [Int] {
        var held: Set<Int> = []
        for match in process.logged.matches(of: #/push\.shard\.(taken|given_up|lost)[^\n]* shard=(\d+)/#) {
            guard let shard = Int(match.2) else { continue }
            if match.1 == "taken" { held.insert(shard) } else { held.remove(shard) }
        }
        return held.sorted()
    }

    /// How many pushes it has had delivered.
    func delivered() async throws -> Int {
        let text = String(decoding: try await rest.send("GET", "/metrics/prometheus").body, as: UTF8.self)
        return text.matches(of: #/\nkasia_push_deliveries_total\{[^}\n]*outcome="delivered"[^}\n]*\} (\d+)/#)
            .compactMap { Int($0.1) }.reduce(0, +)
    }
}
