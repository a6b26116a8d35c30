import Foundation

/// Where the demo's lines go, a terminal or a pipe: unbuffered, and able to tell that nobody reads any more.
final class DemoTerminal: Sendable {
    private static let lookInterval = Duration.milliseconds(500)

    private let descriptor: Int32

    /// Writes to the standard output, or to another open descriptor.
    init(descriptor: Int32 = FileHandle.standardOutput.fileDescriptor) {
        // Without it, a reader that goes away would end this program and leave the others running.
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

    /// Returns once nobody reads any more, also while there is nothing to say, or when cancelled.
    func closed() async {
        while hasReader, !Task.isCancelled { try? await Task.sleep(for: DemoTerminal.lookInterval) }
    }

    private var hasReader: Bool {
        var look = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&look, 1, 0) == 0
    }
}
