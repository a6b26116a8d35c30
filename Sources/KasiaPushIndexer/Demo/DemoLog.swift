import Foundation
import Synchronization

/// The file that everything goes to which the demo's programs write; it stays when the demo has ended.
final class DemoLog: Sendable {
    let path: String
    private let file: Mutex<FileHandle>

    /// Makes a new file, for its owner alone.
    init(path: String) throws {
        self.path = path
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: path)
        else { throw StartError(description: "\(path) cannot be written: set TMPDIR to a folder that can") }
        self.file = Mutex(file)
    }

    /// Adds a line of a program; a full disk costs the line.
    func write(_ line: String, of program: String) {
        file.withLock { try? $0.write(contentsOf: Data("\(program) | \(line)\n".utf8)) }
    }
}
