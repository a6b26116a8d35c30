import ArgumentParser
import Foundation
import UnixSignals

/// `kasia-push-indexer demo`: the whole path on one machine.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show the whole path: a recorded network, the indexer, a stand-in for Apple and three phones.")

    @Option(name: .long, help: "The recording that is played.")
    var recording = "Tests/Fixtures/recorded-blocks.recording"

    @Option(name: .long, help: "How many times faster than it was recorded.")
    var speed = 10.0

    @Option(name: .long, help: "The REST port; 0 takes a free one.")
    var port = 0

    func validate() throws {
        guard speed >= 0.1, speed <= 1000 else { throw ValidationError("--speed must be 0.1 to 1000") }
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be 0 to 65535") }
    }

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        do {
            try await Demo(recording: recording, speed: speed, port: port).run {
                for await _ in signals { return }
            }
        } catch let error as StartError {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            throw ExitCode.failure
        }
    }
}
