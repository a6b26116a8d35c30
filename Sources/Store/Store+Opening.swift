import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Store {
    /// Whether another process has the store at `path` open to write, whatever is the matter with the store.
    ///
    /// Looks at RocksDB's lock, and takes nothing. Not for a process that has the store open itself: closing the file
    /// would give its own lock away. Errors: `.inputOutput` where that cannot be seen.
    public static func isInUse(at path: String) throws(StoreError) -> Bool {
        let name = path + "/LOCK"
        guard FileManager.default.fileExists(atPath: name) else { return false }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        guard let file = FileHandle(forReadingAtPath: name), fcntl(file.fileDescriptor, F_GETLK, &lock) == 0 else {
            throw StoreError(.inputOutput, "cannot look at the lock \(name): \(String(cString: strerror(errno)))")
        }
        return lock.l_type != Int16(F_UNLCK)
    }

    /// What RocksDB writes beside the contents of its logs when it opens: a manifest, a new log, an options file; with a
    /// margin.
    static let openingBytes: UInt64 = 2 << 20

    /// Throws `.lowSpace` unless there is room for what an opening writes: the logs' contents as tables, and some files.
    ///
    /// RocksDB 7.8 with its assertions on ends the process when it finds no space while it opens.
    static func checkRoomToOpen(_ path: String) throws(StoreError) {
        guard let free = StoreConditions.freeBytes(path) else { return }
        let needed = logBytes(in: path) + openingBytes
        guard free < needed else { return }
        throw StoreError(
            .lowSpace, "\(free) bytes are free on its disk, and opening the store needs \(needed): free space first")
    }

    private static func logBytes(in path: String) -> UInt64 {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.filter { $0.hasSuffix(".log") }.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
            return sum + ((attributes?[.size] as? NSNumber)?.uint64Value ?? 0)
        }
    }
}
