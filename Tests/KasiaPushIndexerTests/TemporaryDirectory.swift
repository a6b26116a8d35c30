import Foundation

/// A directory of a test's own, gone with it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/kasia-push-indexer-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and says where it is.
    func write(_ text: String, to name: String, permissions: Int = 0o644) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: file)
        return file
    }

    /// Writes a program that a test runs.
    ///
    /// A child writes it: a file that this process has open to write is inherited by every child that another test
    /// starts meanwhile, and Linux does not run a file that somebody may write ("Text file busy").
    func writeProgram(_ text: String, to name: String) throws {
        let writer = Process()
        writer.executableURL = URL(filePath: "/bin/sh")
        writer.arguments = ["-c", #"printf %s "$2" >"$1" && chmod 755 "$1""#, "sh", path + "/" + name, text]
        try writer.run()
        writer.waitUntilExit()
        guard writer.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}

/// The root of the project.
let projectDirectory = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
