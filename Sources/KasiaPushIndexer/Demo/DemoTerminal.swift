import Foundation

/// Where the demo's lines go, a terminal or a pipe: unbuffered, and able to tell that nobody reads any more.
final class DemoTerminal: Sendable {
    private let losses: AsyncStream<Void>
    private let loss: AsyncStream<Void>.Continuation
    private let descriptor: Int32

    /// Writes to the standard output, or to another open descriptor.
    init(descriptor: Int32 = FileHandle.standardOutput.fileDescriptor) {
        // Without it, a reader that goes away would end this program and leave the others running.
        signal(SIGPIPE, SIG_IGN)
        self.descriptor = descriptor
        (losses, loss) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Writes the text and a line feed.
    func say(_ text: String) {
        var bytes = Array("\(text)\n".utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if count < 0 && errno != EINTR {
                loss.yield()
                return
            }
        }
    }

    /// Returns when a line could not be written, or when cancelled.
    func closed() async {
        for await _ in losses { return }
    }
}
