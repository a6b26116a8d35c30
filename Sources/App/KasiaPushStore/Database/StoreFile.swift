import Foundation

/// The file, and the two that SQLite keeps beside it.
enum StoreFile {
    /// The file, its write-ahead log, and the log's index in shared memory.
    ///
    /// In this order they are safe to remove: SQLite ignores a log without its file.
    static let suffixes = ["", "-wal", "-shm"]

    /// The absolute path of the file, with links in its folder resolved (`/var` is one on Apple's systems).
    static func resolve(_ path: String) throws(StoreError) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !["", ".", ".."].contains(name), !path.utf8.contains(0) else {
            throw StoreError(.cannotOpen, "the path names no file")
        }
        let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/") + "/"
        guard let resolved = realpath(folder, nil) else {
            throw StoreError(errno == ENOENT ? .missingFolder : .cannotOpen, String(cString: strerror(errno)))
        }
        defer { free(resolved) }
        let prefix = String(cString: resolved)
        return prefix == "/" ? "/\(name)" : "\(prefix)/\(name)"
    }

    /// Removes the files; one that is not there is no error.
    static func remove(_ path: String) throws(StoreError) {
        let path = try resolve(path)
        for file in suffixes.map({ path + $0 }) where unlink(file) != 0 && errno != ENOENT {
            throw StoreError(.cannotOpen, String(cString: strerror(errno)))
        }
    }
}
