import Foundation
import Store

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps every other process from opening the RocksDB store in a directory to write, as long as it lives.
///
/// It is a shared lock on the file that RocksDB locks: who only reads takes none there. A process that has the store
/// open itself must not take one, since closing the file gives away its own.
final class DirectoryLock {
    /// nil: there is no file, so nobody has ever opened the directory to write, as with a backup.
    private let file: CInt?

    /// Errors: `.locked` while another process has it open to write, `.inputOutput` where the file cannot be read.
    init(_ path: String) throws(StoreError) {
        let name = path + "/LOCK"
        let file = open(name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            guard errno == ENOENT else {
                throw StoreError(.inputOutput, "cannot read \(name): \(String(cString: strerror(errno)))")
            }
            self.file = nil
            return
        }
        self.file = file
        var lock = flock()
        lock.l_type = Int16(F_RDLCK)
        lock.l_whence = Int16(SEEK_SET)
        guard fcntl(file, F_SETLK, &lock) == 0 else {
            throw StoreError(.locked, "another process writes to the store in \(path): stop it first")
        }
    }

    deinit {
        if let file { close(file) }
    }
}
