import Foundation
import KasiaPushClient
import Recordings
import Synchronization

/// The demo: a recorded network, a stand-in for Apple, Google and a browser's push service, and the indexer itself as
/// separate programs, with three iPhones, an Android phone and a browser.
struct Demo: Sendable {
    /// How the recording is played.
    enum Pace: Hashable, Sendable {
        /// With shortened pauses, and the pushes one by one.
        case reading
        /// This many times faster than recorded, with each push at once.
        case times(Double)
    }

    /// The interval and the number of checks for waiting pushes after the recording's end.
    private static let (lookInterval, longestWait) = (Duration.milliseconds(500), 60)
    /// The checks in a row that must find nothing, since the indexer's figures are up to a second old.
    private static let calmLooks = 4

    let recording: String
    let pace: Pace
    /// The REST port; 0 takes a free one.
    let port: Int
    /// Whether each push that is shown has its card.
    let cards: Bool
    let terminal: DemoTerminal

    /// The state once the indexer listens.
    private struct Stage: Sendable {
        let client: DemoClient
        let narrator: DemoNarrator
        let devices: [DemoDevice]
        let start: ContinuousClock.Instant

        func summary() async -> DemoSummary {
            let figures = await client.figures()
            let seconds = (ContinuousClock.now - start).components.seconds
            return DemoSummary(devices: devices, tally: narrator.tally, figures: figures, seconds: seconds)
        }
    }

    /// The demo's progress, for its summary.
    private final class Progress: Sendable {
        let stage = Mutex<Stage?>(nil)
    }

    /// Runs until `stop` returns or nobody reads its lines.
    ///
    /// Then every program that it started has ended.
    func run(until stop: @escaping @Sendable () async -> Void) async throws {
        guard FileManager.default.fileExists(atPath: recording) else {
            throw StartError(description: "\(recording) is missing: run the demo from the project's folder, or name it")
        }
        // A short name: the path of a socket in the folder may have at most 107 bytes.
        let name = "kasia-demo-\(UUID().uuidString.prefix(8).lowercased())"
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        let log = try DemoLog(path: "\(folder.path).log")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        terminal.say(
            """
            A recorded network, the indexer and a stand-in for the push services start, each a program of its own.
            What they log is in \(log.path)
            """)
        let programs = DemoPrograms(folder: folder, log: log)
        let progress = Progress()
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await play(programs, in: folder, progress) }
                group.addTask { await stop() }
                group.addTask { await terminal.closed() }
                defer { group.cancelAll() }
                _ = try await group.next()
            }
        } catch {
            await programs.stop()
            throw error
        }
        terminal.say("\nStopping …")
        if let stage = progress.stage.withLock({ $0 }) { await sayFigures(of: stage) }
        await programs.stop()
        terminal.say("Stopped. What the programs logged is in \(log.path)")
    }

    private func sayFigures(of stage: Stage) async {
        let waiting = stage.narrator.waiting
        if waiting > 0 {
            terminal.say(
                "(\(Counted(waiting, "push", "pushes")) had arrived and \(waiting == 1 ? "is" : "are") not shown)")
        }
        terminal.say(await stage.summary().numbers)
    }

    /// Starts everything and prints what happens, until cancelled.
    private func play(_ programs: DemoPrograms, in folder: URL, _ progress: Progress) async throws {
        let start = ContinuousClock.now
        let phones = DemoDevice.cast()
        let (file, timetable) = try paced(for: phones, in: folder)
        let sandbox = try await programs.startSandbox()
        let node = try await programs.startNode(file, speed: pace.speed)
        let owner = timetable.firstDevice?.owner ?? phones[0].owner
        let devices = DemoDevice.adding(to: phones, of: owner, try await DemoSubscription.make(at: sandbox))
        let indexer = try await programs.startIndexer(node: node.url, port: port, settings: sandbox.settings)
        let client = try DemoClient(port: indexer.port)
        let narrator = DemoNarrator(
            devices: devices, showsCards: cards, pace: ReadingPace(interval: pace.interval), start: start
        ) { terminal.say($0) }
        let stage = Stage(client: client, narrator: narrator, devices: devices, start: start)
        progress.stage.withLock { $0 = stage }
        try await register(devices, with: client)
        terminal.say(
            """
            The iPhones of \(phones.map(\.owner).joined(separator: ", ")) are registered, and \(owner)'s Android phone \
            and browser.
            \(owner)'s first push is shown on all three, in full; later ones on the iPhone.
            The indexer's status page: http://127.0.0.1:\(client.port)/
            """)
        sayWhatComes(timetable)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            group.addTask { try await sandbox.program.follow { narrator.take($0) } }
            group.addTask { try await indexer.program.follow { _ in } }
            group.addTask {
                try await node.program.follow { if $0.contains("recording played") { end.yield() } }
            }
            group.addTask { try await narrator.run() }
            group.addTask {
                node.program.enter()
                for await _ in ends { break }
                try await untilQuiet(stage, score: timetable.lastScore)
                let summary = await stage.summary()
                try Task.checkCancellation()
                terminal.say("\nThe recording has ended. \(summary.numbers)\n\n\(summary.next(port: client.port))")
            }
            // The first task that ends by itself ends all.
            for try await _ in group {}
        }
    }

    /// The file to play, and the times of its pushes.
    private func paced(for phones: [DemoDevice], in folder: URL) throws -> (file: String, timetable: DemoTimetable) {
        do {
            let timetable = DemoTimetable(try Recording(contentsOf: recording), devices: phones)
            guard case .reading = pace else { return (recording, timetable) }
            let file = folder.appendingPathComponent("paced.recording").path
            let paced = timetable.atReadingPace(furtherDevices: DemoDevice.furtherDevices)
            try paced.write(to: file)
            return (file, DemoTimetable(paced, devices: phones))
        } catch {
            throw StartError(description: "\(recording): \(error.message)")
        }
    }

    private func register(_ devices: [DemoDevice], with client: DemoClient) async throws {
        for device in devices {
            do {
                _ = try await client.indexer.register(try device.registration())
            } catch {
                throw StartError(description: "\(device.name) was refused: \(error)")
            }
        }
    }

    private func sayWhatComes(_ timetable: DemoTimetable) {
        func seconds(_ milliseconds: UInt64) -> Int { Int((Double(milliseconds) / 1000 / pace.speed).rounded()) }
        let length = seconds(timetable.recording.entries.last?.offsetMs ?? 0)
        let first = timetable.firstPush.map { "the first push comes after \(seconds($0)) s" }
        terminal.say(
            "The recording plays for \(length) s; \(first ?? "none of its messages is for these phones").\n")
    }

    /// Returns when everything is read, sent and shown, or after the time limit.
    private func untilQuiet(_ stage: Stage, score: UInt64) async throws {
        var calm = 0
        var looks = 0
        while calm < Demo.calmLooks, looks < Demo.longestWait || stage.narrator.waiting > 0 {
            try await Task.sleep(for: Demo.lookInterval)
            looks += 1
            let figures = await stage.client.figures()
            let isCalm =
                figures?.waiting == 0 && (figures?.score ?? 0) >= score && stage.narrator.waiting == 0
                && figures?.delivered == stage.narrator.tally.accepted
            calm = isCalm ? calm + 1 : 0
        }
    }
}

extension Demo.Pace {
    /// The speed of the file that is played.
    fileprivate var speed: Double {
        switch self {
        case .reading: 1
        case .times(let factor): factor
        }
    }

    /// The least time between two lines.
    fileprivate var interval: Duration {
        switch self {
        case .reading: .milliseconds(DemoTimetable.pushInterval)
        case .times: .zero
        }
    }
}
