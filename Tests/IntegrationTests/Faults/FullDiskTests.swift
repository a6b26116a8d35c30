import APNsSandbox
import Foundation
import KaspadReplay
import StoreSupport
import Testing

/// The real executable on a disk that fills up.
@Suite(
    "Full disk", .enabled(if: SmallDisk.isPossible, SmallDisk.reason),
    .enabled(if: TestEngine.isRocksDB, "it is the directory's disk that fills up"))
struct FullDiskTests {
    private static func token(_ number: Int) -> String {
        String(repeating: "f0", count: 30) + String(format: "%04x", number & 0xffff)
    }

    @Test(
        "with little space left it takes in nothing new, and goes on by itself when there is more",
        .timeLimit(.minutes(10)))
    func lowSpace() async throws {
        try await FaultWorld.with { faults in
            let world = faults.world
            let disk = try SmallDisk(at: world.folder.appendingPathComponent("store"), bytes: 96 << 20)
            let indexer = try await IndexerProcess(
                environment: world.environment.merging(["STORE_MIN_FREE_SPACE": "16MiB"]) { $1 })
            let rest = indexer.rest
            try await faults.registerAll(rest)
            await world.replay.advance(to: 400)
            try await world.sandbox.waitForNotifications(count: 20)

            try disk.fill(leaving: 8 << 20)
            try await eventually("it is not ready") {
                let readiness = try await rest.readiness()
                return !readiness.isReady && readiness.store.contains("store.min_free_space")
            }
            #expect(try await !rest.registerLarge(FullDiskTests.token(1), number: 1))
            // From now on the node has more to tell, and is not asked.
            let sent = Set(world.sandbox.notifications.map(\.id))
            await world.replay.advanceToEnd()
            try await eventually("the chain's side has noticed") {
                indexer.process.logged.contains("indexer.chain.store_failed")
            }
            #expect(try await !rest.registerLarge(FullDiskTests.token(1), number: 1))
            #expect(try await !rest.isRegistered(FullDiskTests.token(1)))
            try await faults.expectAllRegistered(rest)
            #expect(sent.count < faults.golden.notifications.count)

            try disk.empty()
            try await eventually("it is ready again") { try await rest.readiness().isReady }
            #expect(try await rest.registerLarge(FullDiskTests.token(1), number: 1))
            try await faults.expectAll(mayRepeat: false)
            try await faults.expectAllRegistered(rest)
            #expect(await indexer.end(SIGTERM) == 0)
            let lines = indexer.process.logged.split(separator: "\n")
            let told = lines.filter { $0.contains("store_failed") && !$0.contains("trouble.seconds=") }
            #expect(told.count == 1, "one line and one a minute, not one for each hint")
            #expect(lines.contains { $0.contains("indexer.chain.store_recovered") })
        }
    }

    @Test("a write that finds no space stops all writing, and a restart with space goes on", .timeLimit(.minutes(10)))
    func full() async throws {
        try await FaultWorld.with { faults in
            let world = faults.world
            // Too small for RocksDB to reserve space for its log: each page is taken as it is written.
            let disk = try SmallDisk(at: world.folder.appendingPathComponent("store"), bytes: 12 << 20)
            let environment = world.environment.merging(["STORE_MIN_FREE_SPACE": "0"]) { $1 }
            let first = try await IndexerProcess(environment: environment)
            try await faults.registerAll(first.rest)
            await world.replay.advance(to: 400)
            try await world.sandbox.waitForNotifications(count: 20)

            try disk.fill()
            var acknowledged = 0
            while try await first.rest.registerLarge(FullDiskTests.token(acknowledged), number: acknowledged) {
                acknowledged += 1
                try #require(acknowledged < 1_000, "the disk is not full")
            }
            let readiness = try await first.rest.readiness()
            #expect(!readiness.isReady)
            #expect(readiness.store.contains("No space left on device") && readiness.store.contains("restart"))
            // Space alone does not help, and whatever comes now leaves the process as it is.
            try disk.empty()
            await world.replay.advanceToEnd()
            for number in 0..<20 {
                #expect(try await !first.rest.registerLarge(FullDiskTests.token(2_000 + number), number: 1))
            }
            try await eventually("the chain's side has noticed") {
                first.process.logged.contains("indexer.chain.store_failed")
            }
            try await faults.expectAllRegistered(first.rest)
            #expect(first.process.status == nil)
            #expect(await first.end(SIGTERM) == 0)

            let second = try await IndexerProcess(environment: environment)
            try await faults.expectAllRegistered(second.rest)
            for number in 0..<acknowledged {
                #expect(try await second.rest.isRegistered(FullDiskTests.token(number)))
            }
            try await faults.expectAll(mayRepeat: true)
            #expect(await second.end(SIGTERM) == 0)
        }
    }

    @Test("on a disk that is full at the start it ends with a line that names the directory", .timeLimit(.minutes(10)))
    func fullAtStart() async throws {
        try await FaultWorld.with { faults in
            let world = faults.world
            let disk = try SmallDisk(at: world.folder.appendingPathComponent("store"), bytes: 12 << 20)
            let environment = world.environment.merging(["STORE_MIN_FREE_SPACE": "0"]) { $1 }
            let first = try await IndexerProcess(environment: environment)
            try await faults.registerAll(first.rest)
            await world.replay.advance(to: 400)
            try await world.sandbox.waitForNotifications(count: 20)
            await first.end(SIGKILL)

            try disk.fill()
            let failed = try LaunchedIndexer(environment: environment)
            #expect(await failed.ended() == 1)
            #expect(failed.logged.contains("store.path \(disk.folder.path)"))
            #expect(failed.logged.contains("free space first"))

            try disk.empty()
            let third = try await IndexerProcess(environment: environment)
            try await faults.expectAllRegistered(third.rest)
            await world.replay.advanceToEnd()
            try await faults.expectAll(mayRepeat: true)
            #expect(await third.end(SIGTERM) == 0)
        }
    }
}
