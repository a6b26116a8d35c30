import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Checks disk space and the limit of open files.
struct MachineCheck: Sendable {
    /// The free space below which RocksDB may have no room for its next compaction.
    static let littleSpace: UInt64 = 5 << 30
    /// The free space below which a write may fail at any moment.
    static let noSpace: UInt64 = 512 << 20
    /// The files that the process opens besides REST connections: RocksDB's 512 tables, logs, connections to node and
    /// Apple.
    static let ownFiles = 640

    let configuration: IndexerConfiguration

    func findings() -> [Finding] {
        [disk(), files()].compactMap { $0 }
    }

    private func disk() -> Finding? {
        let path = FileSpace.nearestDirectory(of: configuration.store.path)
        guard let free = FileSpace.freeBytes(at: path) else {
            return Finding(.fail, "disk", "\(path) cannot be looked at", todo: "check store.path and its permissions")
        }
        guard configuration.store.server == nil else {
            return Finding(.ok, "disk", "\(ByteCount(free)) free at \(path); the rows are on the server's disk")
        }
        return MachineCheck.disk(freeBytes: free, at: path)
    }

    static func disk(freeBytes: UInt64, at path: String) -> Finding {
        let text = "\(ByteCount(freeBytes)) free at \(path)"
        if freeBytes < noSpace {
            return Finding(.fail, "disk", text, todo: "make room: the store cannot be written when it is full")
        }
        return freeBytes < littleSpace
            ? Finding(
                .warn, "disk", text, todo: "have \(ByteCount(littleSpace)) or more free: tables are rewritten in whole")
            : Finding(.ok, "disk", text)
    }

    private func files() -> Finding? {
        guard let limit = FileSpace.openFileLimit() else { return nil }
        return MachineCheck.files(limit: limit, connections: configuration.http.maxConnections)
    }

    static func files(limit: UInt64, connections: Int) -> Finding {
        let needed = UInt64(connections + ownFiles)
        let text = "\(limit) open files are allowed, up to \(needed) are needed"
        return limit >= needed
            ? Finding(.ok, "open files", text)
            : Finding(
                .warn, "open files", text,
                todo:
                    "raise LimitNOFILE (systemd), nofile (Docker) or ulimit -n, or lower http.max_connections; here the "
                    + "limit of this shell is shown, not the service's")
    }
}

/// The system's limits for files.
enum FileSpace {
    /// The path itself, or its nearest existing parent.
    static func nearestDirectory(of path: String) -> String {
        var url = URL(filePath: path).standardizedFileURL
        while !FileManager.default.fileExists(atPath: url.path), url.path != "/" {
            url = url.deletingLastPathComponent()
        }
        return url.path
    }

    /// The bytes that this user may still write on the path's file system; nil if unknown.
    static func freeBytes(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) &* UInt64(status.f_frsize)
    }

    /// How many files the process may have open.
    static func openFileLimit() -> UInt64? {
        var limit = rlimit()
        #if canImport(Glibc)
        let result = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let result = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return result == 0 ? UInt64(limit.rlim_cur) : nil
    }
}
