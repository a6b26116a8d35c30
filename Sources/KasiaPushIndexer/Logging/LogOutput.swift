import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The output of formatted log lines.
struct LogOutput: Sendable {
    /// Writes one line, which has its line feed.
    let write: @Sendable (String) -> Void

    /// Standard error.
    static let standardError = LogOutput(descriptor: STDERR_FILENO)

    /// An output that calls `write` for each line.
    init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// An open file descriptor, with one write for each line, so that lines of several threads or processes do not mix.
    ///
    /// A line that cannot be written (closed, or full and not blocking) is dropped, since logging must never stop the
    /// service. For a pipe without a reader, SIGPIPE must be ignored.
    init(descriptor: CInt) {
        let file = LineFile(descriptor: descriptor)
        self.init { file.write($0) }
    }
}

/// Writes whole lines, one after the other.
private final class LineFile: Sendable {
    private let descriptor: CInt
    /// Held while a pipe takes a line in parts, so that the next line waits.
    private let turn = Mutex(())

    init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    func write(_ line: String) {
        var line = line
        line.withUTF8 { bytes in
            turn.withLock { _ in writeAll(UnsafeRawBufferPointer(bytes)) }
        }
    }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = writeSome(UnsafeRawBufferPointer(rebasing: rest))
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                return
            }
        }
    }

    private func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
