import ArgumentParser
import Foundation
import UnixSignals

/// `kasia-push-indexer demo`: the whole path on one machine.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show the whole path: a recorded network, the indexer, stand-ins of push services, five devices.",
        discussion: "Shows each push as a line. What the programs log goes to a file, which the first lines name.")

    @Option(name: .long, help: "The recording that is played.")
    var recording = "Tests/Fixtures/recorded-blocks.recording"

    @Option(
        name: .long,
        help: """
            How many times faster than it was recorded, 0.1 to 1000, with each push shown at once. Without it, pauses \
            are shortened and pushes come one by one, to be read.
            """)
    var speed: Double?

    @Option(name: .long, help: "The REST port; 0 takes a free one.")
    var port = 0

    @Flag(name: .long, help: "Show each push in full: title, size, ids and times.")
    var cards = false

    func validate() throws {
        if let speed, !(0.1...1000).contains(speed) { throw ValidationError("--speed must be 0.1 to 1000") }
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be 0 to 65535") }
    }

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let pace = speed.map { Demo.Pace.times($0) } ?? .reading
        do {
            try await Demo(recording: recording, pace: pace, port: port, cards: cards, terminal: DemoTerminal()).run {
                for await _ in signals { return }
            }
        } catch let error as StartError {
            StandardError.say("\(error)")
            throw ExitCode.failure
        }
    }
}
