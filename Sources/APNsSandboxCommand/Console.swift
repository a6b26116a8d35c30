import Glibc

/// Standard output, unbuffered, so that what is piped into a file or another program is there at once.
enum Console {
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes the text and a line feed; gives up quietly if nobody reads.
    static func write(_ text: String) {
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if count < 0 && errno != EINTR {
                return
            }
        }
    }
}
