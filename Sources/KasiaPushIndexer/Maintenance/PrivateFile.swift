#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A new file that nobody else can read.
enum PrivateFile {
    /// Writes `text` to a file that must not exist, mode 0600 under any umask.
    ///
    /// Errors: `StartError` that names the file.
    static func create(_ path: String, text: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, "cannot be made") }
        defer { close(descriptor) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { throw failure(path, "cannot be written") }
            bytes = bytes.dropFirst(max(0, count))
        }
        guard fsync(descriptor) == 0 else { throw failure(path, "cannot be written") }
    }

    private static func failure(_ path: String, _ what: String) -> StartError {
        StartError(description: "\(path) \(what): \(String(cString: strerror(errno)))")
    }
}
