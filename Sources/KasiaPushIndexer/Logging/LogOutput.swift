import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where finished log lines go.
struct LogOutput: Sendable {
    /// Takes one line, its line feed included.
    let write: @Sendable (String) -> Void

    /// Standard error.
    static let standardError = LogOutput(descriptor: STDERR_FILENO)

    /// An output that does what it is told with each line.
    init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// An open file descriptor: one write for each line, so that lines of several threads or processes do not mix.
    ///
    /// A line that the descriptor does not take (closed, or full and not blocking) is dropped: a log must never stop
    /// the service. A pipe whose reader is gone is such a case only where SIGPIPE is ignored.
    init(descriptor: CInt) {
        let file = LineFile(descriptor: descriptor)
        self.init { file.write($0) }
    }
}

/// Writes whole lines, one after the other.
private final class LineFile: Sendable {
    private let descriptor: CInt
    /// Only for a line that a pipe takes in parts: then the next line waits.
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
