import Foundation
import Synchronization
import Testing

/// The demo as somebody runs it: the real executable, which starts the other two.
@Suite("The demo", .timeLimit(.minutes(5)))
struct DemoTests {
    @Test("tells each push, ends with numbers and with commands that work as they stand, and leaves its log")
    func story() async throws {
        let demo = try LaunchedDemo(["--speed", "100"])
        try await demo.says("In another terminal, as they stand:")
        try await demo.says("&limit=5'")
        let story = demo.output
        let pushes = story.matches(of: /\n *\d+\.\d s {2}(Alice|Bob|Carol)'s iPhone: (?<what>.*)/)
        let others = story.matches(of: /\n *\d+\.\d s {2}Bob's (?<device>Android phone|browser): (?<what>.*)\n┌─/)
        #expect(Set(others.map(\.device)) == ["Android phone", "browser"] && others.count == 2)
        // The first push, on three devices.
        let first = try #require(story.firstMatch(of: /Bob's iPhone: (?<what>.*)\n┌─/)).what
        #expect(others.allSatisfy { $0.what == first })
        #expect(story.matches(of: /┌─/).count == 3)
        let bobs = pushes.count { $0.1 == "Bob" }
        let total = pushes.count + 2 * bobs
        let carriers = "(Apple \(pushes.count), Google \(bobs), Web Push \(bobs))"
        #expect(story.contains("pushes    \(total) pushes arrived \(carriers), 0 refused\n"))
        #expect(pushes.count >= 60 && bobs > 1)
        #expect(pushes.contains { $0.what == "Alice: New message" })
        // What was really sealed is opened.
        let opened = ["Alice: Are we still on for Saturday?", "Bob: Yes, ten o'clock at the station"]
        for text in opened { #expect(pushes.contains { $0.what == text }, "\(text)") }
        #expect(pushes.contains { $0.what.wholeMatch(of: /Alice: Received [\d.]+ KAS.*/) != nil })
        #expect(story.contains("\n  waiting   nothing\n  books     balance: deliveries "))
        #expect(story.contains(" made = \(total) delivered"))
        #expect(!story.contains("\u{1B}"))

        let commands = story.split(separator: "\n").filter { $0.hasPrefix("  curl ") }
        #expect(commands.count == 3)
        for command in commands {
            let answer = try await demo.shell("\(command) -s -w '\\n%{http_code}'")
            #expect(answer.hasSuffix("\n200"), "\(command): \(answer)")
        }

        #expect(await demo.end() == 0)
        #expect(demo.output.hasSuffix("Stopped. What the programs logged is in \(demo.log)\n"))
        #expect(demo.output.matches(of: /What happened in/).count == 2)
        let log = try String(contentsOfFile: demo.log, encoding: .utf8)
        for name in ["kasia-push-indexer", "kaspad-replay", "push-sandbox"] { #expect(log.contains("\(name) | ")) }
        let troubles = log.split(separator: "\n").filter { $0.contains(/\s(warning|error|critical)[: ]/) }
        #expect(troubles.isEmpty, "\(troubles)")
    }

    @Test("shows each push whole when asked to")
    func cards() async throws {
        let demo = try LaunchedDemo(["--speed", "1000", "--cards"])
        try await demo.says("The recording has ended.")
        let lines = demo.output.matches(of: /'s (iPhone|Android phone|browser): .*\n(?<next>.)/)
        #expect(lines.count > 60 && lines.allSatisfy { $0.next == "┌" })
        #expect(await demo.end() == 0)
    }

    @Test("ends at once with all it started when it is interrupted, whenever that is", arguments: [0, 1, 2, 3])
    func interrupted(stage: Int) async throws {
        let demo = try LaunchedDemo([])
        let signs = ["start, each", "are registered", "The recording plays", "'s iPhone: "]
        try await demo.says(signs[stage])
        let status = await demo.end()
        #expect(status == 0, "\(demo.output)")
        #expect(demo.output.contains("\nStopping …\n"))
        #expect(FileManager.default.fileExists(atPath: demo.log))
        #expect(try await demo.shell("grep -ls '\(demo.folder)' /proc/[0-9]*/environ || true") == "")
    }

    @Test("ends with all it started when nobody reads it any more")
    func unread() async throws {
        let demo = try LaunchedDemo(["--speed", "100"])
        try await demo.says("'s iPhone: ")
        try demo.stopReading()
        #expect(await demo.ended() == 0)
    }

    @Test("says what is wrong with its recording")
    func wrongRecording() async throws {
        let missing = try LaunchedDemo(["--recording", "/nowhere"])
        #expect(await missing.ended() == 1)
        #expect(missing.output.contains("/nowhere is missing"))
        let foreign = try LaunchedDemo(["--recording", "/etc/hostname"])
        #expect(await foreign.ended() == 1)
        #expect(foreign.output.contains("/etc/hostname: "))
    }
}

/// The demo in a process of its own, with a folder for what it leaves.
private final class LaunchedDemo: Sendable {
    private let process = Process()
    private let processEnd: ProcessEnd
    private let pipe = Pipe()
    private let said = Mutex("")
    private let directory: URL

    init(_ arguments: [String]) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("kasia-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        processEnd = ProcessEnd(of: process)
        let recording = Fixture.folder.appendingPathComponent("recorded-blocks.recording").path
        process.executableURL = LaunchedIndexer.executable
        process.arguments =
            ["demo"] + (arguments.contains("--recording") ? [] : ["--recording", recording]) + arguments
        process.environment = ["PATH": "/usr/bin:/bin", "TMPDIR": directory.path, "HOME": directory.path]
        process.currentDirectoryURL = directory
        process.standardOutput = pipe
        process.standardError = pipe
        let handle = pipe.fileHandleForReading
        handle.readabilityHandler = { [weak self, handle] _ in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.said.withLock { $0 += String(decoding: data, as: UTF8.self) }
        }
        try process.run()
    }

    deinit {
        if process.isRunning { process.interrupt() }
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }

    var output: String { said.withLock { $0 } }

    /// What all of its programs have in their environment, and no others.
    var folder: String { directory.lastPathComponent }

    /// The log's path, as the demo names it.
    var log: String { output.firstMatch(of: /What they log is in (.*)\n/).map { String($0.1) } ?? "" }

    func says(_ text: String) async throws {
        try await eventually("the demo says: \(text)") {
            let hasEnded = !process.isRunning
            if output.contains(text) { return true }
            if hasEnded { throw NeverHappened(description: "the demo ended: \(output)") }
            return false
        }
    }

    /// What a command prints.
    func shell(_ command: String) async throws -> String {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", command]
        let pipe = Pipe()
        shell.standardOutput = pipe
        try shell.run()
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let data = pipe.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }

    func stopReading() throws {
        pipe.fileHandleForReading.readabilityHandler = nil
        try pipe.fileHandleForReading.close()
    }

    /// Interrupts it as Ctrl-C does, and waits for its end.
    func end() async -> Int32 {
        process.interrupt()
        let status = await ended()
        // Its last words are read.
        try? await eventually("the demo's output ends") { output.contains("Stopped.") }
        return status
    }

    func ended() async -> Int32 {
        await processEnd.wait()
        return process.terminationStatus
    }
}
