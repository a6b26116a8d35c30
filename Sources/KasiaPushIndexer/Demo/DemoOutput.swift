import Foundation
import Synchronization

/// The output for the demo's lines, a terminal or a pipe.
///
/// It is unbuffered and notices when nobody reads any more.
final class DemoTerminal: Sendable {
    private static let lookInterval = Duration.milliseconds(500)

    private let descriptor: Int32

    /// Writes to the standard output, or to another open descriptor.
    init(descriptor: Int32 = FileHandle.standardOutput.fileDescriptor) {
        // Otherwise a reader that goes away would end this program and leave the others running.
        signal(SIGPIPE, SIG_IGN)
        self.descriptor = descriptor
    }

    /// Writes the text and a line feed.
    func say(_ text: String) {
        var bytes = Array("\(text)\n".utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if count < 0 && errno != EINTR {
                return
            }
        }
    }

    /// Returns once nobody reads any more, even while nothing is written, or when cancelled.
    func closed() async {
        while hasReader, !Task.isCancelled { try? await Task.sleep(for: DemoTerminal.lookInterval) }
    }

    private var hasReader: Bool {
        var look = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&look, 1, 0) == 0
    }
}

/// The file with the output of the demo's programs.
///
/// It stays after the demo has ended.
final class DemoLog: Sendable {
    let path: String
    private let file: Mutex<FileHandle>

    /// Makes a new file that only its owner can read.
    init(path: String) throws {
        self.path = path
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: path)
        else { throw StartError(description: "\(path) cannot be written: set TMPDIR to a folder that can") }
        self.file = Mutex(file)
    }

    /// Adds a line of a program.
    ///
    /// If the disk is full, the line is dropped.
    func write(_ line: String, of program: String) {
        file.withLock { try? $0.write(contentsOf: Data("\(program) | \(line)\n".utf8)) }
    }
}
