import ArgumentParser
import Foundation
import KaspadReplay
import Recordings

/// `info`: what a recording holds.
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Count what a recording holds.")

    @Argument(help: "The recording.")
    var file: String

    func run() throws {
        let recording = try RecordingReader(path: file)
        let summary = try RecordingSummary(recording)
        print(summary)
    }
}
