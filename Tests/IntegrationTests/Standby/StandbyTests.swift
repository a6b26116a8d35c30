import APNsSandbox
import Foundation
import KaspadReplay
import PostgresServer
import Testing

/// Two real processes on one store: one works, the other stands by.
@Suite("Several processes on one store", .timeLimit(.minutes(10)))
struct StandbyTests {
    /// The node's entries after which something happens.
    private static let early = 400

    /// Runs `body` between a node and Apple, on a database of its own, with one process that works and has registered
    /// every device, and one that stands by; `more` are settings of the latter.
    private func withPair(
        _ more: [String: String] = [:],
        _ body:
            @Sendable @escaping (
                FaultWorld, PostgresServer, _ first: StandbyProcess, _ second: StandbyProcess
            ) async throws -> Void
    ) async throws {
        let server = try PostgresServer()
        let url = server.url(database: "postgres")
        try await FaultWorld.with { faults in
            let first = try await StandbyProcess(1, in: faults.world, url: url)
            try await faults.registerAll(first.rest)
            let second = try await StandbyProcess(2, in: faults.world, url: url, more: more)
            #expect(await second.standsBy)
            do {
                try await body(faults, server, first, second)
            } catch {
                for process in [first, second] { process.printState() }
                throw error
            }
        }
    }

    private func expectBalancedBooks(_ environment: [String: String]) async throws {
        let check = try await Executable.run(["check"], environment: environment)
        #expect(check.status == 0, "\(check.output)")
    }

    @Test("the second stands by, and takes over when the first is stopped: nothing is lost or doubled")
    func stopped() async throws {
        let name = "@kasia-\(UUID().uuidString)"
        let socket = try DatagramSocket(name)
        try await withPair(["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "200000"]) { faults, _, first, second in
            let (world, device) = (faults.world, faults.golden.devices[0])
            #expect(try await second.rest.send("GET", "/health").status == 200)
            #expect(try await second.rest.readiness().isReady == false)
            #expect(try await second.rest.send("POST", "/v1/push/register", device.registration).status == 503)
            #expect(try await second.standbyMetric() == 1)
            #expect(try await first.standbyMetric() == 0)
            try await eventually("both are listed") {
                try await first.members() == ["standing_by \(second.rest.port)", "working \(first.rest.port)"]
            }
            try await eventually("its supervisor is told that it is ready, and lives") {
                socket.messages.contains("READY=1")
                    && socket.messages.contains { $0.hasPrefix("WATCHDOG=1\nSTATUS=store: another process works on ") }
            }
            await world.replay.advance(to: Self.early)
            try await world.sandbox.waitForNotifications(count: 20)
            let message = "/v1/messages/\(world.sandbox.notifications[0].transaction)"
            #expect(try await second.read(message) == first.read(message))
            #expect(await first.process.end(SIGTERM) == 0)
            try await second.waitUntilReady(after: "SIGTERM")
            try await eventually("the first has left") {
                try await second.members() == ["working \(second.rest.port)"]
            }
            #expect(try await second.standbyMetric() == 0)
            #expect(try await second.rest.send("GET", message).status == 200)
            try await faults.expectAllRegistered(second.rest)
            await world.replay.advanceToEnd()
            try await faults.expectAll(mayRepeat: false)
            #expect(!socket.messages.contains("STOPPING=1"))
            let log = second.process.logged
            #expect(log.matches(of: #/service\.standby /#).count == 1)
            #expect(log.contains(#/service\.active .*standby\.seconds=/#))
            #expect(await second.process.end(SIGTERM) == 0)
            #expect(socket.messages.contains("STOPPING=1"))
            try await expectBalancedBooks(second.environment)
        }
    }

    @Test("stopped while it stands by, it ends with 0, and the first goes on")
    func stoppedStandby() async throws {
        try await withPair { faults, _, first, second in
            #expect(await second.process.end(SIGTERM) == 0)
            #expect(second.process.logged.contains("service.stopped"))
            await faults.world.replay.advanceToEnd()
            try await faults.expectAll(mayRepeat: false)
            #expect(await first.process.end(SIGTERM) == 0)
        }
    }

    @Test("stopped while it takes over, it ends with 0, and the next one takes over at once")
    func stoppedAtTakeover() async throws {
        try await withPair { faults, _, first, second in
            // The place where the first has read to is one that the node knows.
            await faults.world.replay.advance(to: Self.early)
            try await faults.world.sandbox.waitForNotifications(count: 20)
            let third = try await StandbyProcess(3, in: faults.world, url: first.environment["STORE_URL"] ?? "")
            second.process.signal(SIGSTOP)
            #expect(await first.process.end(SIGTERM) == 0)
            try await third.waitUntilReady(after: "SIGTERM")
            second.process.signal(SIGCONT)
            third.process.signal(SIGTERM)
            try await eventually("the second takes over") { second.process.logged.contains("service.active") }
            // Its parts are being connected: nobody listens to signals.
            #expect(await second.process.end(SIGTERM) == 0)
            #expect(await third.process.ended() == 0)
            try await expectBalancedBooks(second.environment)
        }
    }

    @Test("the database goes and comes back: it says so, and stands by again")
    func databaseAway() async throws {
        try await withPair { faults, server, first, second in
            try server.stop()
            try await eventually("it says so") {
                await second.store?.contains(", and does not reach the store at ") == true
            }
            #expect(try await second.rest.send("GET", "/health").status == 200)
            try server.start()
            try await eventually("the first works again") { await first.store == "ok" }
            try await eventually("the second stands by") { await second.standsBy }
            #expect(second.process.logged.contains("service.standby.store_unreachable"))
            #expect(second.process.logged.contains("service.standby.store_reached"))
            await faults.world.replay.advanceToEnd()
            try await faults.expectAll(mayRepeat: false)
            #expect(await first.process.end(SIGTERM) == 0)
            try await second.waitUntilReady(after: "SIGTERM")
            #expect(await second.process.end(SIGTERM) == 0)
        }
    }

    @Test("killed in the middle of traffic: the other takes over, and repeats only what was in flight")
    func killed() async throws {
        try await withPair { faults, _, first, second in
            let world = faults.world
            await world.replay.advance(to: Self.early)
            try await world.sandbox.waitForNotifications(count: 20)
            await world.replay.advance(to: (Self.early + world.replay.entryCount) / 2)
            #expect(await first.process.end(SIGKILL) == SIGKILL)
            // A phone that was woken reads its message while nobody works.
            let message = "/v1/messages/\(world.sandbox.notifications[0].transaction)"
            #expect(try await second.rest.send("GET", message).status == 200)
            #expect(try await second.rest.readiness().isReady == false)
            let connections = world.sandbox.counts.connections
            try await second.waitUntilReady(after: "SIGKILL")
            try await faults.expectAllRegistered(second.rest)
            await world.replay.advanceToEnd()
            try await faults.expectAll(mayRepeat: true)
            expectRepeatsInFlight(world.sandbox.notifications, firstConnections: connections)
            #expect(await second.process.end(SIGTERM) == 0)
            try await expectBalancedBooks(second.environment)
        }
    }

    @Test("a live stream of one that stands by tells all, ends when that one takes over, and goes on there")
    func streams() async throws {
        try await withPair { faults, _, first, second in
            let world = faults.world
            let busiest = Dictionary(grouping: faults.golden.notifications, by: \.device).max {
                ($0.value.count, $0.key) < ($1.value.count, $1.key)
            }
            let device = try #require(faults.golden.devices.first { $0.name == busiest?.key })
            let registration = try JSONSerialization.jsonObject(with: device.registration) as? [String: Any]
            let address = try #require((registration?["watched_addresses"] as? [String])?.first)
            _ = try await second.read("/v1/activity?address=\(address)")
            let early = try await LiveStream(of: address, port: second.rest.port)
            await world.replay.advance(to: Self.early)
            try await eventually("the one that stands by tells what the other has written") { !early.ids.isEmpty }
            #expect(await first.process.end(SIGKILL) == SIGKILL)
            try await second.waitUntilReady(after: "SIGKILL")
            #expect(early.isOver)
            let seen = early.ids
            let late = try await LiveStream(of: address, after: try #require(seen.last), port: second.rest.port)
            let whole = try await LiveStream(of: address, port: second.rest.port)
            await world.replay.advanceToEnd()
            try await faults.expectAll(mayRepeat: true)
            try await eventually("each event comes once, in order") {
                late.ids.count > 0 && whole.ids == seen + late.ids
            }
            #expect(Set(whole.ids).count == whole.ids.count)
            for stream in [early, late, whole] { await stream.close() }
            #expect(await second.process.end(SIGTERM) == 0)
        }
    }

    @Test("paused for longer than its lease, it has been replaced, ends by itself and begins nothing more")
    func paused() async throws {
        try await withPair { faults, _, first, second in
            let world = faults.world
            await world.replay.advance(to: Self.early)
            try await world.sandbox.waitForNotifications(count: 20)
            await world.replay.advance(to: (Self.early + world.replay.entryCount) / 2)
            first.process.signal(SIGSTOP)
            let connections = world.sandbox.counts.connections
            try await second.waitUntilReady(after: "SIGSTOP")
            await world.replay.advanceToEnd()
            try await faults.expectAll(mayRepeat: true)
            expectRepeatsInFlight(world.sandbox.notifications, firstConnections: connections)
            let (before, requests) = (world.sandbox.notifications, world.sandbox.requests.count)
            first.process.signal(SIGCONT)
            #expect(await first.process.ended() == 1)
            // What it had put together for one write before it was paused goes out, and is known by then.
            let late = world.sandbox.notifications.dropFirst(before.count)
            #expect(world.sandbox.requests.count == requests + late.count, "it has sent something else")
            #expect(Set(late.map(\.id)).isSubset(of: before.map(\.id)), "it has begun something")
            #expect(late.allSatisfy { $0.connection <= connections }, "it has connected again")
            let log = first.process.logged
            #expect(log.contains("service.replaced"))
            #expect(log.contains(#/\nanother process has taken over the store at .*, so this one ends: /#), "\(log)")
            try await faults.expectAllRegistered(second.rest)
            // Started again, as its supervisor does, it stands by.
            let third = try await StandbyProcess(1, in: world, url: first.environment["STORE_URL"] ?? "")
            #expect(await third.standsBy)
            #expect(await third.process.end(SIGTERM) == 0)
            #expect(await second.process.end(SIGTERM) == 0)
            try await expectBalancedBooks(second.environment)
        }
    }

    /// What came twice was the last that its device got from the first process, which had made so many connections.
    private func expectRepeatsInFlight(_ sent: [ReceivedNotification], firstConnections: Int) {
        let firsts = sent.filter { $0.connection <= firstConnections }
        let lastOfDevice = Dictionary(firsts.map { ($0.token, $0.id) }) { $1 }
        let again = Dictionary(grouping: sent, by: \.id).values.filter { $0.count > 1 }
        for copies in again {
            #expect(copies.count == 2 && copies[0].connection <= firstConnections)
            #expect(copies[1].connection > firstConnections, "repeated by the same process")
            #expect(lastOfDevice[copies[0].token] == copies[0].id, "it was not in flight")
        }
        print("standby test: \(sent.count) notifications, \(firsts.count) of the first process, \(again.count) repeats")
    }
}
