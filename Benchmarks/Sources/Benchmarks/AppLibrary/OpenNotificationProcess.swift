import Foundation

/// The program `open-notification` beside this one.
enum OpenNotificationProcess {
    /// Runs it to its end; returns the seconds from its start, and its lines.
    static func run(_ arguments: [String]) throws -> (seconds: Double, lines: [String]) {
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.bundleURL.appending(path: "open-notification")
        process.arguments = arguments
        process.standardOutput = output
        var text = Data()
        let seconds = try Measure.seconds {
            try process.run()
            text = output.fileHandleForReading.readDataToEndOfFile()
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchmarkError("open-notification has failed.") }
        return (seconds, String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init))
    }
}
