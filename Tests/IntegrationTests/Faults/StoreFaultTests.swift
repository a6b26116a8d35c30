import APNsSandbox
import Foundation
import KaspadReplay
import StoreSupport
import Testing

/// What the disk can do to the real executable.
@Suite("Store faults", .enabled(if: TestEngine.isRocksDB, "files of a directory; DatabaseFaultTests has a server's"))
struct StoreFaultTests {
    @Test("a torn last record of the log loses nothing that was acknowledged", .timeLimit(.minutes(5)))
    func tornLog() async throws {
        try await FaultWorld.with { faults in
            let world = faults.world
            let first = try await IndexerProcess(environment: world.environment)
            try await faults.registerAll(first.rest)
            await world.replay.advance(to: 400)
            try await world.sandbox.waitForNotifications(count: 20)
            await first.end(SIGKILL)

            let folder = world.folder.appendingPathComponent("store")
            let logs = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".log") }
            let log = try FileHandle(forWritingTo: folder.appendingPathComponent(try #require(logs.max())))
            try log.truncate(atOffset: try log.seekToEnd() - 3)
            try log.close()

            let second = try await IndexerProcess(environment: world.environment)
            try await faults.expectAllRegistered(second.rest)
            await world.replay.advanceToEnd()
            try await faults.expectAll(mayRepeat: true)
            #expect(await second.end(SIGTERM) == 0)
        }
    }

    @Test(
        "a directory that cannot be written ends the start with a line that names it",
        .enabled(if: SmallDisk.isPossible, SmallDisk.reason), .timeLimit(.minutes(5)))
    func readOnly() async throws {
        try await FaultWorld.with { faults in
            let disk = try SmallDisk(at: faults.world.folder.appendingPathComponent("store"), bytes: 8 << 20)
            try disk.makeReadOnly()
            let process = try LaunchedIndexer(environment: faults.world.environment)
            #expect(await process.ended() == 1)
            #expect(process.logged.contains("store.path \(disk.folder.path)"))
        }
    }
}
